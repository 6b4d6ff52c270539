import Foundation
import IDXFlow

/// Where a ``LineFrontEnd`` writes lines and reads answers, such as a chat.
protocol Lines: Sendable {
  func write(_ line: String) async
  /// Waits for a line; throws `CancellationError` when its task is canceled.
  func read(_ question: String, isSecret: Bool) async throws -> String
}

/// Shows screens as lines of text, and takes lines as replies.
struct LineFrontEnd: FrontEnd {
  let lines: any Lines

  func reply(to screen: Screen) async throws -> Reply {
    await write(screen)
    if screen.startsByItself, let page = screen.page { return try await open(page, of: screen) }
    if screen.inputs.isEmpty { return try await choose(at: screen) }
    var questions = ScreenQuestions(screen)
    while let input = questions.next() {
      if let problem = input.problem { await lines.write("! \(problem)") }
      if let hint = input.hint { await lines.write(hint) }
      for rule in input.rules { await lines.write("- \(rule)") }
      for choice in input.choices { await lines.write("\(choice.id): \(choice.label)") }
      let answer = try await lines.read(input.label, isSecret: input.kind == .secret)
      // A line that begins with a slash is an option in place of an answer.
      if input.kind != .secret, let option = screen.options.first(where: { answer == "/\($0.id)" })
      {
        return .choose(option.id)
      }
      questions.take(Secret(answer))
    }
    return .submit(questions.values)
  }

  /// Writes what the screen says before it asks for something.
  private func write(_ screen: Screen) async {
    await lines.write("\(screen.title) (\(screen.host))")
    for message in screen.messages { await lines.write("! \(message.text)") }
    for note in screen.notes { await lines.write(note) }
    if let unsupported = screen.unsupported { await lines.write(unsupported) }
    if let app = screen.setUp {
      await lines.write("The key for \(app.name): \(app.keyInGroups ?? "see the image")")
    }
    if let wait = screen.wait { await lines.write(wait.instruction ?? wait.text) }
  }

  /// Lets the person choose between the main action and the options; while the server waits, this ends when there
  /// is news.
  private func choose(at screen: Screen) async throws -> Reply {
    let options = [screen.action] + screen.options
    for option in options { await lines.write("/\(option.id): \(option.label)") }
    while true {
      let answer = try await lines.read(screen.action.label, isSecret: false)
      guard let option = options.first(where: { answer == "/\($0.id)" || answer == $0.label })
      else {
        await lines.write("! Type one of the words with a slash.")
        continue
      }
      guard option.id == screen.action.id else { return .choose(option.id) }
      return if let page = screen.page { try await open(page, of: screen) } else { .submit([:]) }
    }
  }

  private func open(_ page: Screen.Page, of screen: Screen) async throws -> Reply {
    if let danger = screen.dangerOfPage { return .failed(danger) }
    await lines.write("Open \(page.url) and paste the address to which the browser returns.")
    while true {
      let answer = try await lines.read("Address", isSecret: false)
      if let url = URL(string: answer), screen.isReturn(url) { return .returned(url) }
      await lines.write("! That is not an address of this sign-in.")
    }
  }
}
