import IDX

// The handlers of the steps that a person answers by filling in a form.

/// The username, with the password if the form has one.
struct IdentifyHandler: ScreenHandler {
  let rememberDevice: DevicePermission

  func plan(_ step: Step, _ context: ScreenContext) -> ScreenPlan {
    var screen = Screen(step, context, omittedFields: rememberDevice.omittedFields)
    for index in screen.options.indices {
      let role = screen.options[index].role
      screen.options[index].isProminent = role != .startOver && role != .quit
    }
    screen.notes += StepNotes(phrases: Phrases(step, context)).unavailable
    return .ask(screen, at: step)
  }

  func decide(_ reply: Reply, to screen: Screen) throws -> Decision {
    rememberDevice.completed(try screen.decision(on: reply), at: screen.step)
  }
}

/// A password, a code or an answer for an authenticator that is set up.
struct ChallengeHandler: ScreenHandler {
  let rememberDevice: DevicePermission

  func plan(_ step: Step, _ context: ScreenContext) -> ScreenPlan {
    let screen = Screen(
      step, context, omittedFields: rememberDevice.omittedFields, prominent: [.recover, .resend])
    return .ask(screen, at: step)
  }

  func decide(_ reply: Reply, to screen: Screen) throws -> Decision {
    rememberDevice.completed(try screen.decision(on: reply), at: screen.step)
  }
}

/// Skips what is optional, without asking.
struct SkipHandler: ScreenHandler {
  func plan(_ step: Step, _ context: ScreenContext) -> ScreenPlan {
    // After a failure, nobody would notice that it is sent again.
    step.notice == nil
      ? .decide(.submit([:])) : .show(Screen(step, context))
  }
}

/// Any form, also one that is not known in advance.
struct AnyFormHandler: ScreenHandler {
  func plan(_ step: Step, _ context: ScreenContext) -> ScreenPlan {
    let prominent: [Remediation.Name] =
      switch step.remediation.name {
      case .selectAuthenticatorEnroll, .reenrollAuthenticatorWarning, .profileUpdate,
        .enrollProfile:
        [.skip]
      default: [.resend]
      }
    return .ask(Screen(step, context, prominent: prominent), at: step)
  }
}

extension ScreenPlan {
  /// The screen; a form with nothing to fill in is submitted at once, unless there are other forms or the
  /// server warns.
  ///
  /// A form that the person has just chosen is not shown again for confirmation. Only a person starts over: a server
  /// could ask for that without end.
  static func ask(_ screen: Screen, at step: Step) -> ScreenPlan {
    guard step.remediation.canBeSent else { return .decide(.decline) }
    let hasAlternatives =
      !step.wasChosen && screen.options.contains { ![.startOver, .quit].contains($0.role) }
    let warns =
      step.notice != nil
      || step.messagesOfNoField.contains { $0.kind == .error || $0.kind == .warning }
    let startsOver = step.remediation.name == .cancel
    return screen.inputs.isEmpty && !hasAlternatives && !warns && !startsOver
      ? .decide(.submit([:])) : .show(screen)
  }
}
