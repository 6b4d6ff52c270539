public import IDX
public import IDXFlow

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Asks a person at a terminal.
///
/// Choices are numbered, secrets are not echoed, and `?` at any prompt lists what else can be done.
/// Ctrl-D gives the sign-in up. Text of the server is shown without control characters.
public struct TerminalPrompter: Prompter {
  private let terminal: Terminal
  private let drawsQRCodes: Bool
  private let now: @Sendable () -> Date
  private let wording = Wording()

  /// A prompter on a terminal.
  ///
  /// `drawsQRCodes` is whether QR codes are drawn beside the key; `now` tells how long a code is
  /// good for.
  public init(
    terminal: Terminal, drawsQRCodes: Bool = true,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.terminal = terminal
    self.drawsQRCodes = drawsQRCodes
    self.now = now
  }

  /// Says, before the first question, how to find out what else can be done.
  public func greet() {
    let hint = "Type ? at any prompt to see what else can be done, Ctrl-C to give up."
    terminal.write(terminal.style.dim(hint) + "\n\n")
  }

  /// Shows the title of a step and what the server says about it, or what an app needs.
  public func show(_ notice: Notice) async throws {
    switch notice {
    case .step(let step):
      if step.attempt == 1, let title = wording.title(of: step) { page.heading(title) }
      page.messages(step.messages, at: step)
      if step.attempt == 1, let instruction = wording.instruction(for: step) {
        page.note(instruction)
      }
    case .authenticatorApp(let app): try await show(app)
    case .problem(let sentence): page.problem(sentence)
    case .obstacle(let obstacle): page.problem(obstacle.description)
    }
  }

  /// Shows what an event means to the person, where no step will.
  ///
  /// That is that something was set up or sent again, and what the server says when it offers
  /// nothing more.
  public func report(_ event: FlowEvent) {
    switch event {
    case .accepted(let form, let authenticator?) where form.name == .enrollAuthenticator:
      page.success("\(wording.name(of: authenticator)) is set up.")
    case .accepted(let form, _) where form.name == .resend: page.success("Sent again.")
    case .received(let state) where state.isAtEnd:
      page.messages(state.response.everyMessage, at: nil)
    default: break
    }
  }

  /// Asks one question.
  public func ask(_ question: Question) async throws -> Reply {
    // The server's words are about the answer before; once that was not sent, they are old.
    if let problem = question.problem {
      page.problem(sentence(for: problem, question))
    } else {
      page.messages(question.field.messages, at: question.step)
    }
    while true {
      let reply =
        switch question.kind {
        case .text: try await askText(question, secret: false)
        case .secret: try await askText(question, secret: true)
        case .confirmation: try await askConfirmation(question)
        case .choice(let options, let beside):
          try await askChoice(question, options, beside)
        }
      if let reply { return reply }
    }
  }

  /// Lists the forms by number.
  public func choose(_ forms: [Remediation], at step: Step) async throws -> Reply {
    let labels = forms.map(wording.title(ofAlternative:)) + ["Quit"]
    page.list(labels)
    while true {
      guard case .text(let line) = try await terminal.readLine(prompt: "\(choose(labels)): ")
      else { return .cancel }
      if let position = position(of: line.trimmed, in: labels) {
        return position < forms.count ? .instead(forms[position]) : .cancel
      }
      page.problem("\(numbers(of: labels)).")
    }
  }

  private var page: Page { Page(terminal: terminal, wording: wording, now: now) }
}

// MARK: - Kinds of questions; nil means that the question is to be asked again

extension TerminalPrompter {
  private func askText(_ question: Question, secret: Bool) async throws -> Reply? {
    let label = page.inline(wording.label(of: question))
    let hint =
      if let suggestion = question.suggestion?.string, !secret {
        " [\(page.inline(suggestion))]"
      } else {
        question.isRequired ? "" : " (optional)"
      }
    guard
      case .text(let line) = try await terminal.readLine(
        prompt: label.hasSuffix("?") && hint.isEmpty ? "\(label) " : "\(label)\(hint): ",
        secret: secret)
    else { return .cancel }
    let text = secret ? line : question.tidied(line)
    if text == "?" { return try await askAlternatives(question) }
    if text.isEmpty { return question.suggestion.map { .answer(.value($0)) } ?? .nothing }
    return .answer(.value(.string(text)))
  }

  private func askConfirmation(_ question: Question) async throws -> Reply? {
    let suggestion = question.suggestion?.bool
    let choice = suggestion == true ? "[Y/n]" : suggestion == false ? "[y/N]" : "[y/n]"
    let hint = choice + (question.isRequired || suggestion != nil ? "" : " (optional)")
    let label = page.inline(wording.label(of: question))
    guard case .text(let line) = try await terminal.readLine(prompt: "\(label) \(hint): ")
    else { return .cancel }
    switch line.trimmed.lowercased() {
    case "?": return try await askAlternatives(question)
    case "y", "yes": return .answer(true)
    case "n", "no": return .answer(false)
    case "" where suggestion != nil: return .answer(.value(.bool(suggestion == true)))
    case "" where !question.isRequired: return .nothing
    default:
      page.problem("Type y for yes or n for no.")
      return nil
    }
  }

  private func askChoice(
    _ question: Question, _ options: [Field.Option], _ beside: [Remediation]
  ) async throws -> Reply? {
    let labels =
      options.map(wording.label) + beside.map(wording.title(ofAlternative:))
    if !question.isAlone { page.caption(wording.label(of: question)) }
    page.list(labels)
    while true {
      let prompt = "\(choose(labels))\(question.isRequired ? "" : " (optional)"): "
      guard case .text(let line) = try await terminal.readLine(prompt: prompt)
      else { return .cancel }
      let text = line.trimmed
      if text == "?" { return try await askAlternatives(question) }
      if text.isEmpty, !question.isRequired { return .nothing }
      if let position = position(of: text, in: labels) {
        return position < options.count
          ? .answer(.option(position)) : .instead(beside[position - options.count])
      }
      page.problem("\(numbers(of: labels)), or ? for what else can be done.")
    }
  }

  private func askAlternatives(_ question: Question) async throws -> Reply? {
    let forms = question.step.alternatives.filter { !question.offersBeside($0) }
    let labels = forms.map(wording.title(ofAlternative:)) + ["Quit"]
    page.heading("What else can be done here")
    page.list(labels)
    while true {
      let prompt = "\(choose(labels)), or Enter to go back: "
      guard case .text(let line) = try await terminal.readLine(prompt: prompt)
      else { return .cancel }
      let text = line.trimmed
      if text.isEmpty { return nil }
      if let position = position(of: text, in: labels) {
        return position < forms.count ? .instead(forms[position]) : .cancel
      }
      page.problem("\(numbers(of: labels)).")
    }
  }

  private func choose(_ labels: [String]) -> String {
    labels.count == 1 ? "Choose [1]" : "Choose [1-\(labels.count)]"
  }

  private func numbers(of labels: [String]) -> String {
    labels.count == 1 ? "Type 1" : "Type a number from 1 to \(labels.count)"
  }

  /// Where in a list that is, which somebody named by its number or its words.
  private func position(of text: String, in labels: [String]) -> Int? {
    let named = labels.firstIndex { page.inline($0).lowercased() == text.lowercased() }
    let counted = Int(text).flatMap { (1..<labels.count + 1).contains($0) ? $0 - 1 : nil }
    return counted ?? named
  }

  private func sentence(for problem: InvalidAnswers.Problem, _ question: Question) -> String {
    switch problem.reason {
    case .missing: "Type an answer, or ? for what else can be done."
    case .tooShort(let minimum): "It must have at least \(minimum) characters."
    case .tooLong(let maximum): "It must have at most \(maximum) characters."
    case .notAnOption, .notChangeable, .unknown, .wrongType: problem.description
    }
  }
}

// MARK: - Authenticator apps

extension TerminalPrompter {
  private func show(_ app: AuthenticatorApp) async throws {
    let appPage = AuthenticatorAppPage(terminal: terminal, drawsQRCode: drawsQRCodes)
    if let uri = app.uri { return appPage.show(uri) }
    guard let image = app.image else { return }
    if !appPage.show(image, for: app.name) { try await offer(image) }
  }

  private func offer(_ image: Authenticator.Image) async throws {
    page.note(
      "The server sends the key only as an image with a QR code, which cannot be drawn here. "
        + "Save the image, open it and scan it; then delete it, since whoever has it has the key.")
    while true {
      let line = try await terminal.readLine(prompt: "Save it to (Enter to leave it): ")
      guard case .text(let name) = line else { throw CancellationError() }
      guard !name.trimmed.isEmpty else { return }
      do {
        try PrivateFile.write(image.bytes, to: name.trimmed)
        page.success("Saved to \(name.trimmed).")
        return
      } catch { page.problem("\(error)") }
    }
  }
}

extension Question {
  /// Whether the form asks for nothing else, so that its title says what is asked.
  fileprivate var isAlone: Bool {
    let form = step.remediation.form
    return !path.contains(".") && form.fields.count { !$0.isFixed && $0.isVisible } <= 1
  }

  /// Whether a form stands beside the options already.
  fileprivate func offersBeside(_ form: Remediation) -> Bool {
    if case .choice(_, let beside) = kind { beside.contains(form) } else { false }
  }
}

extension Question {
  /// What was typed, without spaces around it; a code of digits also without those inside it.
  fileprivate func tidied(_ line: String) -> String {
    let text = line.trimmed
    let compact = text.filter { $0 != " " && $0 != "-" }
    let isCode = ["credentials.passcode", "credentials.totp"].contains(path)
    return isCode && compact.allSatisfy(\.isNumber) ? compact : text
  }
}

extension String {
  /// The text without white space around it.
  var trimmed: String {
    var view = self[...]
    while view.first?.isWhitespace == true { view.removeFirst() }
    while view.last?.isWhitespace == true { view.removeLast() }
    return String(view)
  }
}
