import IDXFlow

func staffHandlers() -> Handlers {
  var handlers = Handlers.showing()
  handlers.on(.identify) { step in
    var screen = Screen(step)
    guard let place = screen.inputs.firstIndex(where: { $0.id == "identifier" }) else {
      return .decline
    }
    screen.title = "Welcome to the shop"
    screen.inputs[place].label = "Staff number"
    // After a refusal, the username would be suggested.
    screen.inputs[place].suggestion = nil
    return .ask(screen) { [screen] reply in
      guard case .submit(var values) = reply else { return nil }
      guard let number = Int(values["identifier"]?.revealed ?? "") else {
        throw InvalidReply(problems: ["identifier": "Enter digits."])
      }
      values["identifier"] = Secret("\(number)@example.com")
      return try screen.decision(on: .submit(values))
    }
  }
  return handlers
}
