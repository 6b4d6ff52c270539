public import IDX

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What could not be done, and why.
///
/// What merely happened, such as a wrong code, is a response instead.
public struct FlowError: Error, Sendable, CustomStringConvertible {
  /// Why it could not be done.
  ///
  /// An open set: a front-end may add its own.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// A code of this name.
    public init(stringLiteral value: String) { description = value }

    /// The issuer, the client id or the redirect URI cannot be used.
    public static let invalidConfiguration: Code = "invalid configuration"
    /// The answers do not fit the form; `underlying` is an `InvalidAnswers` that lists everything.
    public static let invalidAnswers: Code = "invalid answers"
    /// No response came; `underlying` is a ``TransportError``.
    public static let network: Code = "network"
    /// The response leads away from the issuer's origin, and was not followed.
    public static let hrefRefused: Code = "href refused"
    /// The step is for a browser, or cannot be sent at all.
    public static let notSendable: Code = "not sendable"
    /// The response does not offer what was asked for.
    public static let notOffered: Code = "not offered"
    /// What the server sent is no IDX response.
    public static let unexpectedResponse: Code = "unexpected response"
    /// The server failed (status 500 and above).
    public static let serverFailed: Code = "server failed"
    /// There were too many requests; `retryAfter` says how long to wait, where that is known.
    public static let rateLimited: Code = "rate limited"
    /// The server refused to start the sign-in or to give tokens; `underlying` is an `OAuthError`.
    public static let refused: Code = "refused"
    /// The ID token failed a check; `underlying` is an `IDTokenError` that names it.
    public static let invalidToken: Code = "invalid token"
    /// The tokens are gone or stand no more, and cannot be refreshed: the person has to sign in again.
    public static let signInNeeded: Code = "sign-in needed"
    /// The browser came back to another address, or with what belongs to another sign-in.
    public static let redirectMismatch: Code = "redirect mismatch"
    /// No handler took any of the steps that are offered.
    public static let noHandler: Code = "no handler"
    /// A step needs input, and there is nobody to give it.
    public static let inputNeeded: Code = "input needed"
    /// A script does not fit what the server asks for.
    public static let scriptMismatch: Code = "script mismatch"
    /// The limit on steps, attempts or waiting was reached.
    public static let limitReached: Code = "limit reached"
    /// A saved state was made by a newer version, or is damaged.
    public static let unreadableState: Code = "unreadable state"
  }

  /// Why it could not be done.
  public let code: Code
  /// What happened and what can be done about it, in words for a person.
  public let message: String
  /// The step that was being answered; nil where there was none.
  public let remediation: Remediation.Name?
  /// The HTTP status of the response; nil where there was none.
  public let status: Int?
  /// Okta's id of the request (`X-Okta-Request-Id`), for reports; nil where there was none.
  public let requestID: String?
  /// How long to wait before the next request; nil where the server does not say.
  public let retryAfter: Duration?
  /// What caused it; nil where nothing else did.
  public let underlying: (any Error)?

  /// An error of these parts.
  public init(
    _ code: Code, _ message: String, remediation: Remediation.Name? = nil, status: Int? = nil,
    requestID: String? = nil, retryAfter: Duration? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.remediation = remediation
    self.status = status
    self.requestID = requestID
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  /// The message, and what helps to find the cause.
  public var description: String {
    var details: [String] = []
    if let remediation, !message.contains("“\(remediation)”") {
      details.append("step \(remediation)")
    }
    if let status { details.append("HTTP status \(status)") }
    if let requestID { details.append("request \(requestID)") }
    return details.isEmpty ? message : "\(message) (\(details.joined(separator: ", ")))"
  }
}

extension FlowError {
  /// Whether the request may have arrived whose answer never came: it is not to be sent again.
  package var mayHaveArrived: Bool { (underlying as? TransportError)?.mayHaveArrived == true }
}

extension FlowError: LocalizedError {
  /// The sentence that ``description`` gives, for `localizedDescription`.
  public var errorDescription: String? { description }
}
