public import IDXBase

/// Why a sign-in, a refresh or another request failed.
///
/// A wrong code or password is not an error: the response of the server says so.
public struct FlowError: CodedError {
  /// Why a request failed.
  ///
  /// Other modules add codes, and an app can add codes of its own.
  public struct Code: OpenSet {
    /// The name, such as `rate_limited`.
    public let rawValue: String
    /// Creates a code, for example for a failure of your own handler.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A part of the configuration cannot be used: the issuer, the client ID, the redirect URI, the
    /// scopes or a script.
    public static let invalidConfiguration: Code = "invalid_configuration"
    /// No response came; `underlying` is a ``/IDXBase/TransportError``.
    public static let network: Code = "network"
    /// The response leads away from the issuer's origin, and was not followed.
    public static let hrefRefused: Code = "href_refused"
    /// The request needs a browser, or cannot be sent at all.
    public static let notSendable: Code = "not_sendable"
    /// The server's response is not what the protocol requires.
    public static let unexpectedResponse: Code = "unexpected_response"
    /// The server failed (status 500 and above).
    public static let serverFailed: Code = "server_failed"
    /// There were too many requests; ``FlowError/retryAfter`` is the time to wait, if the server says it.
    public static let rateLimited: Code = "rate_limited"
    /// The server refused to start the sign-in or to issue tokens, and `underlying` is an ``OAuthError``;
    /// or it refused the answer of a script, and `underlying` is nil.
    public static let refused: Code = "refused"
    /// The org needs a browser for what comes next; the message says for what.
    public static let browserNeeded: Code = "browser_needed"
    /// The ID token failed a check; `underlying` is an ``IDTokenError`` that names the check.
    public static let invalidToken: Code = "invalid_token"
    /// There are no valid tokens, and they cannot be refreshed: the person has to sign in again.
    public static let signInNeeded: Code = "sign_in_needed"
    /// The tokens are bound to a key that is missing, is another one, or cannot be used on this device: the person has
    /// to sign in again.
    public static let wrongKey: Code = "wrong_key"
  }

  /// Why the request failed.
  public let code: Code
  /// What happened and what to do about it; ``description`` adds details.
  public let message: String
  /// The name of the remediation that was being answered, such as `identify`; nil for other requests.
  public let stepName: String?
  /// The HTTP status of the response; nil if the error is not about a response.
  public let status: Int?
  /// Okta's ID of the request (`X-Okta-Request-Id`), for a report to Okta; nil if the server sent none.
  public let requestID: String?
  /// How long to wait before the next request; nil if the server does not say.
  public let retryAfter: Duration?
  /// The error that caused this one; nil if there is none.
  public let underlying: (any Error)?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, stepName: String? = nil, status: Int? = nil,
    requestID: String? = nil, retryAfter: Duration? = nil, underlying: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.stepName = stepName
    self.status = status
    self.requestID = requestID
    self.retryAfter = retryAfter
    self.underlying = underlying
  }

  /// The message, followed by details that help to find the cause.
  public var description: String {
    var details: [String] = []
    if let stepName, !message.contains("“\(stepName)”") { details.append("step \(stepName)") }
    if let status { details.append("HTTP status \(status)") }
    if let requestID { details.append("request \(requestID)") }
    return details.isEmpty ? message : "\(message) (\(details.joined(separator: ", ")))"
  }

  /// Whether it is unknown what the server did with the request: the response was lost, or was not the
  /// server's.
  ///
  /// Such a request must not simply be sent again.
  package var leavesUnknown: Bool {
    switch code {
    case .network: (underlying as? TransportError)?.mayHaveArrived == true
    // A server that is too busy names a time; a proxy sends 503 also if the server behind it had begun.
    case .serverFailed: status != 503 || retryAfter == nil
    case .unexpectedResponse: true
    default: false
    }
  }

  /// Whether the same request may succeed later: the network or the server failed.
  package var isTemporary: Bool { [.network, .serverFailed, .rateLimited].contains(code) }

  /// Whether the person has to sign in again.
  package var asksForSignIn: Bool { [.signInNeeded, .wrongKey].contains(code) }

  /// The error with one more sentence.
  package func adding(_ sentence: String) -> FlowError {
    FlowError(
      code, "\(message) \(sentence)", stepName: stepName, status: status, requestID: requestID,
      retryAfter: retryAfter, underlying: underlying)
  }
}

extension FlowError {
  /// A text about this error, which is in English: in another language, a sentence about the code comes before it.
  package func sentence(_ text: String) -> Sentence {
    Sentence(template: "{1}", named: "error.\(code)", values: ["1": .text(text)])
  }
}
