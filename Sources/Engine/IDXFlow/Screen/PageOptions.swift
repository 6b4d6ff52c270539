extension Screen {
  /// Whether it is the first screen and nobody is signing in yet, so that there is nothing to leave.
  public var isFirst: Bool { number == 1 && person == nil }

  /// The inputs that a person answers by pressing one of some buttons: a yes or no, and rows that need nothing more.
  public var pressedInputIDs: Set<Input.ID> {
    Set([consent?.inputID, pressableRows?.inputID].compactMap(\.self))
  }

  /// The rows of the only question (``choiceRows-swift.property``); nil if one of them needs more than a press.
  public var pressableRows: ChoiceRows? {
    choiceRows.flatMap { $0.rows.allSatisfy(\.inputs.isEmpty) ? $0 : nil }
  }

  /// The options that a page shows, in its order: sending again, what many people look for, others, and one way out.
  ///
  /// Starting over is left out, because it is leaving with one more press, and ``Person/changeID`` does it too. Beside a
  /// yes or no (``consent-swift.property``), there is no way out, because the server would not learn that answer.
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
