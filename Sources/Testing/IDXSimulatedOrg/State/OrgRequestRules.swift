import Foundation
import IDX
import IDXBase
public import IDXOAuth

/// Which requests a ``SimulatedOrg`` accepts; it can be changed at any time.
///
///     await org.changeRequests {
///       $0.isStrict = false
///       $0.trustedOrigins = ["http://localhost:3000"]
///     }
public struct OrgRequestRules: Sendable, Hashable {
  /// Whether the org refuses a body of Identity Engine that differs from the form in any way, and parameters of OAuth
  /// that it does not know; true by default.
  ///
  /// If false, the org ignores unknown parameters (RFC 6749, sections 3.1 and 3.2), and accepts the members `key` and
  /// `autoChallenge` of `authenticator` in every form, because Okta's clients send them. If another body
  /// does not fit, the response contains the forms of the step besides the messages.
  public var isStrict = true
  /// What every request to Identity Engine must have besides its body; nothing by default.
  public var demands: Set<Demand> = []
  /// The origins of the web sites whose scripts can send requests (CORS), such as `http://localhost:3000`; none by
  /// default.
  ///
  /// They are compared with the header field `Origin` character by character, so they have no path, and no port that
  /// is the default.
  public var trustedOrigins: Set<String> = []
  /// The public keys of the app; nil, the default, if it has none.
  ///
  /// It must authenticate with a JWT that one of them verifies (`private_key_jwt`: RFC 7523, section 3). The org does not
  /// look at its `jti`.
  public var clientKeys: JSONWebKeySet?
  /// Whether a browser can start a sign-in only with parameters that the app has pushed (RFC 9126); false by default.
  public var requiresPushedRequests = false
  /// The page on which people sign in with a browser; nil, the default, if there is none, and the authorization endpoint
  /// accepts only session tokens.
  public var signInPage: OrgSignInPage?
  /// The apps to which the org signs people in with SAML, besides the page; none by default.
  public var samlApps: [SAMLApp] = []
  /// Which of Okta's two engines the org has, as `/.well-known/okta-organization` says; Identity Engine by default.
  public var pipeline = Pipeline.idx

  /// An engine, with the name that servers have for it.
  public enum Pipeline: String, Sendable, Hashable, CaseIterable {
    /// Identity Engine.
    case idx
    /// The classic engine: the page has an empty state token, and the addresses of Identity Engine do not exist.
    case v1
  }

  /// A header field that says who asks.
  public enum Demand: String, Sendable, Hashable, CaseIterable {
    /// The org itself, with every answer to a form (`Origin`).
    case origin = "Origin"
    /// The client, or the browser of the person (`X-Okta-User-Agent-Extended`).
    case userAgent = "X-Okta-User-Agent-Extended"
    /// The address of the person's computer (`X-Forwarded-For`).
    case address = "X-Forwarded-For"
    /// The person's device (`X-Device-Token`).
    case deviceToken = "X-Device-Token"
  }

  /// Creates the default rules.
  public init() {}
}

extension OrgRequestRules {
  /// The message about a header field that a request must have, and has not; nil if there is none.
  func missing(in request: OrgRequest, of settings: OrgSettings) -> Message? {
    guard request.address.hasPrefix(settings.idx("")) else { return nil }
    let isAnswer = request.address != settings.idx("/introspect")
    for demand in Demand.allCases where demands.contains(demand) {
      let value = request.http.field(demand.rawValue)
      guard demand == .origin ? !isAnswer || value == settings.origin : value != nil else {
        return .error("simulated.request.context", "The request needs \(demand.rawValue).", [])
      }
    }
    return nil
  }

  /// The paths of members that a body can have although its form does not.
  var toleratedMembers: Set<String> {
    isStrict ? [] : ["authenticator.key", "authenticator.autoChallenge"]
  }
}
