import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import SignInSupport

/// What Ada does in the samples: she knows her password, reads her mail, and uses her phone.
struct Ada: Sendable {
  let org: SimulatedOrg
  /// The labels that she chooses, the best one first.
  var choices: [String] = []
  private let log = Locked<[String]>([])

  init(_ org: SimulatedOrg, choosing choices: [String] = []) {
    (self.org, self.choices) = (org, choices)
  }

  /// What she was shown and asked.
  var seen: [String] { log.withLock { $0 } }

  func see(_ texts: String...) { log.withLock { $0 += texts } }

  /// What she types beside a label.
  func text(for label: String) async -> String {
    see(label)
    switch label.lowercased() {
    case let label where label.contains("username"): return TestSignIn.login
    case let label where label.contains("new password"): return "Difference-1846"
    case let label where label.contains("password"): return TestSignIn.password
    default: return await code
    }
  }

  /// The newest code by email, or the one of her app.
  var code: String {
    get async {
      if let code = await org.mailbox.lastCode(to: TestSignIn.login) { return code }
      return await org.authenticatorCode(for: TestSignIn.login) ?? "no code"
    }
  }

  /// The position of what she chooses.
  func choice(among labels: [String]) -> Int? {
    see(labels.joined(separator: " | "))
    return choices.lazy.compactMap { wanted in
      labels.firstIndex { $0.localizedCaseInsensitiveContains(wanted) }
    }.first
  }

  /// Looks at her phone: takes a number that she was shown there.
  func choosesNumber(_ text: String) async {
    guard let number = await org.pushes(for: TestSignIn.login).last?.number else { return }
    guard text.contains(number) else { return }
    await org.approvePush(for: TestSignIn.login, choosing: number)
  }
}

/// The views of the app of “Coming from Okta's SDKs”.
struct AdaViews: Views {
  let ada: Ada

  func show(_ texts: [String]) async { for text in texts { ada.see(text) } }
  func ask(_ field: Remediation.Field) async -> Secret? {
    Secret(await ada.text(for: field.label ?? ""))
  }
  func choose(_ labels: [String]) async -> Int? { ada.choice(among: labels) }
}

/// The chat of “Handlers and screens”.
struct Chat: Sendable {
  let ada: Ada

  func say(_ text: String) async { ada.see(text) }
  func send(_ image: [UInt8]) async { ada.see("an image of \(image.count) bytes") }
  func ask(_ question: String, isSecret: Bool) async throws -> String {
    await ada.text(for: question)
  }
  func open(_ page: URL) async throws -> URL { try require(await ada.org.visit(page)) }

  func choose(among labels: [String]) async throws -> Int {
    // While a phone has to do something, she waits.
    let isWaiting = labels[0] == Words.english["wait.action"]
    if isWaiting { try await SampleTime.untilCanceled() }
    return ada.choice(among: labels) ?? 0
  }
}

extension Ada {
  /// The answers to a form of a program that goes from form to form.
  func answers(to form: Remediation) async -> Answers {
    var answers = Answers()
    func next() -> Remediation.Input? {
      form.form.inputs(answering: answers).first { answers[$0.path] == nil }
    }
    while let input = next() { answers[input.path] = await answer(to: input) }
    return answers
  }

  /// The answer to an input.
  func answer(to input: Remediation.Input) async -> Answer {
    let labels = input.field.choices.map { $0.label ?? "" }
    if !labels.isEmpty { return .option(choice(among: labels) ?? 0) }
    if input.field.type == .boolean { return true }
    return .text(await text(for: input.field.label ?? ""))
  }
}
