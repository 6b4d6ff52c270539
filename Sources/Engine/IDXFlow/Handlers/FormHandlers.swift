import IDX

// The handlers of the steps that a person answers by filling in a form.

/// The username, with the password if the form has one.
struct IdentifyHandler: StepHandler {
  func decide(_ step: Step) -> Decision {
    var screen = Screen(step)
    for index in screen.options.indices {
      let role = screen.options[index].role
      screen.options[index].isProminent = role != .startOver && role != .quit
    }
    screen.notes += StepNotes(phrases: Phrases(step)).unavailable
    return .asking(screen, at: step)
  }
}

/// Skips what is optional, without asking.
struct SkipHandler: StepHandler {
  func decide(_ step: Step) -> Decision {
    // After a failure, nobody would notice that it is sent again.
    step.notice == nil ? .submit([:]) : .ask(Screen(step))
  }
}

/// Any form, also one that is not known in advance.
struct FormHandler: StepHandler {
  /// The forms whose options many people look for.
  private let prominent: [Remediation.Name]

  init(prominent: Remediation.Name...) { self.prominent = prominent }

  func decide(_ step: Step) -> Decision {
    .asking(Screen(step, prominent: prominent), at: step)
  }
}

extension Decision {
  /// The screen; a form with nothing to fill in is submitted at once, unless there are other forms or the
  /// server warns.
  ///
  /// A form that the person has just chosen is not shown again for confirmation. Only a person starts over: a server
  /// could ask for that without end.
  static func asking(_ screen: Screen, at step: Step) -> Decision {
    guard step.remediation.canBeSent else { return .decline }
    let hasAlternatives =
      !step.wasChosen && screen.options.contains { ![.startOver, .quit].contains($0.role) }
    let warns =
      step.notice != nil
      || step.messagesOfNoField.contains { $0.kind == .error || $0.kind == .warning }
    let startsOver = step.remediation.name == .cancel
    return screen.inputs.isEmpty && !hasAlternatives && !warns && !startsOver
      ? .submit([:]) : .ask(screen)
  }
}
