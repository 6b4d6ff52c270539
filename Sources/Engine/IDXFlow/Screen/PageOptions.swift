extension Screen {
  /// Whether nothing was entered in this sign-in, so that there is nothing to leave.
  public var isFirst: Bool { number == 1 && person == nil }

  /// The options that a page shows, in its order: sending again, what many people look for, others, and one way out.
  ///
  /// Starting over is left out, because it is leaving with one more press, and ``Person/changeID`` does it too. Beside a
  /// yes or no (``consent-swift.property``), both would be a third answer, which the server does not learn.
  public var pageOptions: [Option] {
    let others = options.filter { ![.startOver, .quit].contains($0.role) }
    let first = others.filter { $0.role == .resend }
    let rest = others.filter { $0.role != .resend }
    // After the end, starting over is the main action.
    let leaves = !isFirst && consent == nil && action.role != .startOver
    return first + rest.filter(\.isProminent) + rest.filter { !$0.isProminent }
      + options.filter { $0.role == .quit && leaves }
  }
}
