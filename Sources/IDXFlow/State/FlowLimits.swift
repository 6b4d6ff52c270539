/// How far a coordinator goes before it gives up, so that nothing loops for ever.
public struct FlowLimits: Sendable, Hashable {
  /// How many steps a sign-in may take: answers, sent or not, choices of another form, and returns of
  /// a browser.
  ///
  /// Default 100. Polls that a handler leaves to the coordinator (`Decision.poll`) are not counted.
  public var steps = 100
  /// How many answers to one form may be refused in a row, by the server or by the form's own rules.
  ///
  /// Default 10.
  public var attempts = 10
  /// How long to poll one step.
  ///
  /// Default 5 minutes.
  public var polling: Duration = .seconds(300)
  /// How long to poll in one sign-in, whatever the steps.
  ///
  /// Default 30 minutes.
  public var pollingInAll: Duration = .seconds(1800)
  /// How long to wait for the server to take a cancel when the task is cancelled.
  ///
  /// Default 2 seconds.
  public var cancelTimeout: Duration = .seconds(2)

  /// The defaults.
  public init() {}
}
