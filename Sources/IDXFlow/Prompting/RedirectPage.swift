public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A page that the person has to go to with a browser: an identity provider, a smart card, a proof of
/// identity.
public struct RedirectPage: Sendable {
  /// The step that leads there.
  public let step: Step
  /// Where to go.
  public let url: URL

  /// A page of a step.
  public init(_ url: URL, of step: Step) {
    self.url = url
    self.step = step
  }

  /// Where the browser comes back to in the end: the redirect URI of the app.
  public var redirectURI: String { step.state.configuration.redirectURI }
}

// The query may hold the token of the sign-in.
extension RedirectPage: Redacted {
  /// The host and the path, without the query.
  public var description: String { "\(url.host ?? "")\(url.path(percentEncoded: true))" }
}
