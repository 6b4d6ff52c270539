public import IDX
public import IDXOAuth

extension FlowError.Code {
  /// The answers do not fit the form; `underlying` is an `InvalidAnswers` that lists all problems.
  public static let invalidAnswers: Self = "invalid_answers"
  /// The response does not offer what was asked for.
  public static let notOffered: Self = "not_offered"
  /// The browser returned to another address, or with the data of another sign-in.
  public static let redirectMismatch: Self = "redirect_mismatch"
  /// No handler took any of the offered steps.
  public static let noHandler: Self = "no_handler"
  /// A step needs input, and there is nobody to ask.
  public static let inputNeeded: Self = "input_needed"
  /// A script does not fit what the server asks for.
  public static let scriptMismatch: Self = "script_mismatch"
  /// The limit on steps, attempts or waiting was reached.
  public static let limitReached: Self = "limit_reached"
  /// A saved state was made by a newer version, or is damaged.
  public static let unreadableState: Self = "unreadable_state"
}

extension FlowError {
  /// Creates an error about a remediation.
  public init(
    _ code: Code, _ message: String, remediation: Remediation.Name?, status: Int? = nil,
    requestID: String? = nil, retryAfter: Duration? = nil, underlying: (any Error)? = nil
  ) {
    self.init(
      code, message, step: remediation?.rawValue, status: status, requestID: requestID,
      retryAfter: retryAfter, underlying: underlying)
  }

  /// The remediation that was being answered.
  public var remediation: Remediation.Name? { step.map(Remediation.Name.init(rawValue:)) }
}
