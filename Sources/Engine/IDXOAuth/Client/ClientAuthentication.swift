public import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// How an app proves with its client secret that it is the app.
///
/// Only a program on a server can keep a secret. Apps on phones and computers have none, because everyone
/// who has the app can read it.
///
///     let authentication = ClientAuthentication.secretBasic(secret, for: configuration)
///     let tokens = TokenClient(transport: transport, authentication: authentication)
///     let client = IDXClient(transport: transport, tokens: tokens)
///
/// The secret is sent only for the app and to the issuer of the configuration. It is not part of a
/// configuration, a state or a credential, so it is never saved. Source: RFC 6749, section 2.3.1.
public struct ClientAuthentication: Sendable, Hashable {
  private enum Method: Sendable { case basic, post }

  private let method: Method
  private let secret: Secret
  private let app: AppIdentity

  /// Sends the client ID and the secret in the header field `Authorization` (`client_secret_basic`).
  public static func secretBasic(_ secret: Secret, for configuration: FlowConfiguration) -> Self {
    secretBasic(secret, for: configuration.app)
  }

  package static func secretBasic(_ secret: Secret, for app: AppIdentity) -> Self {
    Self(method: .basic, secret: secret, app: app)
  }

  /// Sends the secret as a parameter of the body (`client_secret_post`).
  public static func secretPost(_ secret: Secret, for configuration: FlowConfiguration) -> Self {
    Self(method: .post, secret: secret, app: configuration.app)
  }

  /// The request with the proof; throws if it is a request of another app.
  func authenticating(_ request: TokenRequest, of other: AppIdentity) throws -> TokenRequest {
    guard other == app else {
      throw FlowError(
        .invalidConfiguration,
        "The client secret belongs to the app \(app), and the request to the app \(other). Nothing was "
          + "sent. Use a client for each app.")
    }
    switch method {
    case .post: return request.adding([("client_secret", secret.revealed)])
    case .basic:
      let pair = [app.clientID, secret.revealed]
        .map { FormURLEncoding.percentEncode($0, spaceAsPlus: true) }.joined(separator: ":")
      // Okta refuses a client ID in the body together with this header field.
      return request.removing("client_id").adding(
        headers: ["Authorization": "Basic " + Data(pair.utf8).base64EncodedString()])
    }
  }
}

extension ClientAuthentication: Redacted {
  /// The name of the method.
  public var description: String {
    switch method {
    case .basic: "client_secret_basic"
    case .post: "client_secret_post"
    }
  }
}

/// An app at an issuer: who a request for tokens comes from.
package struct AppIdentity: Sendable, Hashable, CustomStringConvertible {
  let issuer: URL
  let clientID: String

  package init(issuer: URL, clientID: String) {
    self.issuer = issuer
    self.clientID = clientID
  }

  package var description: String { "\(clientID.printable) at \(issuer)" }
}

extension FlowConfiguration {
  /// The app.
  package var app: AppIdentity { AppIdentity(issuer: issuer, clientID: clientID) }
}

extension Credential.ID {
  /// The app that the credential is for.
  package var app: AppIdentity { AppIdentity(issuer: issuer, clientID: clientID) }
}
