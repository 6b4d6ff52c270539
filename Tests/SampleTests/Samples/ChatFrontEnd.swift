import IDXFlow

struct ChatFrontEnd: FrontEnd {
  let chat: Chat

  func reply(to screen: Screen) async throws -> Reply {
    await chat.say("\(screen.title) (\(screen.host))")
    let waiting = screen.wait.map { $0.instruction ?? $0.text }
    let texts = screen.messages.map(\.text) + screen.notes
    let reasons = [screen.unsupported, waiting].compactMap { $0 }
    for text in texts + reasons { await chat.say(text) }
    for list in screen.lists {
      await chat.say("\(list.title) \(list.items.joined(separator: ", "))")
    }
    if let app = screen.setUp {
      await chat.say("\(app.name): \(app.keyInGroups ?? "")")
      if let image = app.qrCodePNG() { await chat.send(image) }
    }
    if screen.startsByItself, let reply = try await open(screen) { return reply }
    // The main action, and others, such as “Remind me later”.
    let options = [screen.action] + screen.options
    let option = options[try await chat.choose(among: options.map(\.label))]
    if option.role == .open, let reply = try await open(screen) { return reply }
    guard option == screen.action else { return .choose(option.id) }
    var questions = ScreenQuestions(screen)
    while let input = questions.next() {
      for text in input.rules + [input.hint, input.problem].compactMap({ $0 }) {
        await chat.say(text)
      }
      switch input.kind {
      case .choice(let choices):
        let number = try await chat.choose(among: choices.map(\.label))
        questions.take(Secret(choices[number].id))
      case .toggle:
        let isNo = try await chat.choose(among: ["\(input.label) Yes", "No"]) == 1
        questions.take(isNo ? "false" : "true")
      default:
        let text = try await chat.ask(input.label, isSecret: input.kind == .secret)
        questions.take(Secret(text))
      }
    }
    return screen.inputs.isEmpty ? .choose(option.id) : .submit(questions.values)
  }

  private func open(_ screen: Screen) async throws -> Reply? {
    guard let page = screen.page else { return nil }
    if let danger = screen.dangerOfPage { return .failed(danger) }
    return .returned(try await chat.open(page.url))
  }
}

func signIn(
  to configuration: FlowConfiguration, with client: any FlowClient, in chat: Chat
) async throws -> Outcome {
  let coordinator = FlowCoordinator(
    client: client, handlers: .showing(on: ChatFrontEnd(chat: chat)))
  let outcome = try await coordinator.run(configuration)
  return outcome
}
