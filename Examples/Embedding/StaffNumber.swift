import IDXFlow

extension Handlers {
  /// Asks for a staff number in place of the username, in a terminal, in a window and on a web site.
  ///
  /// `username` finds the username of a staff number; nil if nobody has the number.
  mutating func askForStaffNumber(
    username: @escaping @Sendable (_ number: String) -> String?
  ) {
    on(.identify) { step in
      let standard = Screen(step)
      var screen = standard
      screen.inputs.removeAll { $0.id == "identifier" }
      screen.inputs.insert(
        Screen.Input(id: "staff", kind: .text, label: "Staff number", isRequired: true), at: 0)
      return .ask(screen) { reply in
        // A cancel, or another option of the screen, means what it always does.
        guard case .submit(var values) = reply else { return nil }
        guard let name = username(values["staff"]?.revealed ?? "") else {
          throw InvalidReply(problems: ["staff": "Nobody has this number."])
        }
        values["identifier"] = Secret(name)
        return try standard.decision(on: .submit(values))
      }
    }
  }
}
