public import IDXBase

/// The server's refusal of an OAuth request, or a response that cannot be read.
///
/// Source: RFC 6749, sections 4.1.2.1 and 5.2.
public struct OAuthError: CodedError, Hashable {
  /// The server's error code (`error`).
  public struct Code: OpenSet {
    /// The code, such as `invalid_grant`, without control characters.
    public let rawValue: String
    /// Creates a code; control characters are removed.
    public init(rawValue: String) { self.rawValue = rawValue.printable }

    /// The request is incomplete or malformed.
    public static let invalidRequest: Code = "invalid_request"
    /// The client is unknown, or failed to authenticate.
    public static let invalidClient: Code = "invalid_client"
    /// The code, token or verifier is wrong, expired or already used.
    public static let invalidGrant: Code = "invalid_grant"
    /// The client may not use this grant type.
    public static let unauthorizedClient: Code = "unauthorized_client"
    /// The server does not support this grant type.
    public static let unsupportedGrantType: Code = "unsupported_grant_type"
    /// A scope is unknown or not allowed.
    public static let invalidScope: Code = "invalid_scope"
    /// The person or a policy denied access; at Okta also: the grant type is not enabled.
    public static let accessDenied: Code = "access_denied"
    /// The person must consent to the scopes of the app, in a browser (OpenID Connect Core, section 3.1.2.6).
    public static let consentRequired: Code = "consent_required"
    /// The person must sign in first, in a browser (OpenID Connect Core, section 3.1.2.6).
    public static let loginRequired: Code = "login_required"
    /// More steps are needed: the sign-in continues with the same interaction handle.
    public static let interactionRequired: Code = "interaction_required"
    /// The access token is expired, revoked or malformed (RFC 6750, section 3.1).
    public static let invalidToken: Code = "invalid_token"
    /// The access token does not allow this request (RFC 6750, section 3.1).
    public static let insufficientScope: Code = "insufficient_scope"
    /// The app must prove with a key that the request is its own, or the server does not accept its proof (RFC 9449,
    /// section 5).
    public static let invalidDPoPProof: Code = "invalid_dpop_proof"
    /// The proof must contain the nonce in the header field `DPoP-Nonce` (RFC 9449, section 8).
    public static let useDPoPNonce: Code = "use_dpop_nonce"
    /// The server failed.
    public static let serverError: Code = "server_error"
    /// The server is overloaded or under maintenance.
    public static let temporarilyUnavailable: Code = "temporarily_unavailable"
    /// The response is not a token response.
    ///
    /// Only this package uses this code.
    public static let unreadableResponse: Code = "unreadable_response"
  }

  /// The server's error code, or ``Code/unreadableResponse``.
  public let code: Code
  /// The server's explanation for developers (`error_description`), without control characters; nil if it
  /// sent none.
  public let explanation: String?

  /// Creates an error.
  package init(_ code: Code, description: String? = nil) {
    self.code = code
    let explanation = description.map(\.printable)
    self.explanation = explanation == "" ? nil : explanation
  }

  /// Reads the body of a refusal; nil if it is not one.
  ///
  /// The shape is `{"error": "…", "error_description": "…"}`; other members are ignored. Some of Okta's
  /// OAuth endpoints send `{"errorCode": "invalid_client", "errorSummary": "…"}` instead, in the form of
  /// its other APIs, whose own codes (`E0000007`) are not OAuth errors.
  package init?(parsing body: [UInt8]) {
    guard let response = try? JSONValue(parsing: body) else { return nil }
    if let code = response["error"]?.string, !code.isEmpty {
      self.init(Code(rawValue: code), description: response["error_description"]?.string)
    } else if let code = response["errorCode"]?.string, code.contains("_") {
      self.init(Code(rawValue: code), description: response["errorSummary"]?.string)
    } else {
      return nil
    }
  }

  /// Reads the value of a `WWW-Authenticate` header field; nil if it names no error.
  ///
  /// The shape is `Bearer error="…", error_description="…"`, or the same with `DPoP`, among other challenges. Source:
  /// RFC 9110, section 11.6.1; RFC 6750, section 3; RFC 9449, section 7.1.
  init?(challenge: String) {
    var scheme = ""
    var found: [String: [String: String]] = [:]
    var schemes: [String] = []
    for item in HeaderList.parts(of: challenge, by: ",") {
      var parameter = item
      let word = item.prefix { !" =".contains($0) }
      let rest = item.dropFirst(word.count).trimmed()
      // A word before a parameter, or alone, begins a challenge.
      if !rest.hasPrefix("=") {
        scheme = word.lowercased()
        schemes.append(scheme)
        parameter = rest
      }
      let (name, value) = HeaderList.parameter(parameter)
      if found[scheme]?[name] == nil { found[scheme, default: [:]][name] = value }
    }
    for scheme in schemes where ["bearer", "dpop"].contains(scheme) {
      guard let code = found[scheme]?["error"], !code.isEmpty else { continue }
      self.init(Code(rawValue: code), description: found[scheme]?["error_description"])
      return
    }
    return nil
  }
}

extension OAuthError {
  /// A sentence for a person.
  public var message: String {
    switch code {
    case .invalidRequest: "The server says that the request is malformed."
    case .invalidClient: "The server does not know this client, or could not authenticate it."
    case .invalidGrant: "The code or token is wrong, expired or already used."
    case .unauthorizedClient, .unsupportedGrantType: "This client may not sign in this way."
    case .invalidScope: "The server does not grant one of the scopes."
    case .accessDenied: "Access was denied."
    case .invalidToken: "The access token is expired, revoked or malformed."
    case .insufficientScope: "The access token does not allow this request."
    case .consentRequired:
      "The app needs your consent, which this protocol cannot ask for. Sign in once in a browser."
    case .loginRequired: "The server needs a sign-in in a browser."
    case .interactionRequired: "The sign-in needs more steps."
    case .invalidDPoPProof:
      "The server wants a proof of a key (DPoP), or does not accept the one that it got."
    case .useDPoPNonce:
      "The server asks for another nonce each time, or for one that it does not send, so that no proof of the key "
        + "(DPoP) satisfies it."
    case .serverError: "The server failed."
    case .temporarilyUnavailable: "The server is temporarily unavailable."
    case .unreadableResponse: "The server's response cannot be read."
    default: "The server refused the request."
    }
  }

  /// The message, the server's code and its explanation; long texts are cut after 250 characters.
  public var description: String {
    let explanation = explanation.map { ": \($0.shortened(to: 250))" } ?? ""
    return "\(message) (\(code.rawValue.shortened(to: 250))\(explanation))"
  }
}
