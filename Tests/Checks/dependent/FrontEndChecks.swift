import IDXFlow
import IDXSimulatedOrg

/// A person who answers questions from a list, each with its label.
actor ScriptedLines: Lines {
  /// The label of a question, and what the person answers.
  struct Answer: Sendable {
    let question: String
    let text: @Sendable () async -> String

    init(_ question: String, _ text: @escaping @Sendable () async -> String) {
      self.question = question
      self.text = text
    }
  }

  private var answers: [Answer]
  private let waits: Bool
  private(set) var written: [String] = []
  /// Whether the person has answered everything, and waits for news.
  private(set) var isWaiting = false

  /// With `waits`, the person waits after the last answer; otherwise a further question is a failure.
  init(_ answers: [Answer], waits: Bool = false) { (self.answers, self.waits) = (answers, waits) }

  var isFinished: Bool { answers.isEmpty }

  func write(_ line: String) { written.append(line) }

  func read(_ question: String, isSecret: Bool) async throws -> String {
    guard let next = answers.first else {
      guard waits else { throw Failure(description: "“\(question)” was not expected.") }
      isWaiting = true
      while true { try await Task.sleep(for: .seconds(3600)) }
    }
    guard next.question == question else {
      throw Failure(description: "“\(next.question)” was expected, not “\(question)”.")
    }
    answers.removeFirst()
    return await next.text()
  }
}

enum FrontEndChecks {
  private static let password: [ScriptedLines.Answer] = [
    .init("Username") { "ada@example.com" }, .init("Password") { "Analytical-1843" },
  ]

  static func run() async throws {
    try await setsUpAnApp()
    try await waitsForAPush()
  }

  /// A choice, the key of an authenticator app, and a code that cannot be right.
  private static func setsUpAnApp() async throws {
    let org = SimulatedOrg(OrgScenario["enroll-google"])
    let person = ScriptedLines(
      password + [
        .init("Authenticator") { "google_otp" }, .init("Code") { "12" },
        .init("Code") { await org.authenticatorCode(for: "ada@example.com") ?? "" },
      ])
    try await signIn(to: org, as: person) { _ in }
    try await expect(
      person.written.contains { $0.hasPrefix("The key for ") }, "The key must be shown.")
  }

  /// A wait that ends when the person approves the push on the phone.
  private static func waitsForAPush() async throws {
    let org = SimulatedOrg(OrgScenario["push-number"])
    let person = ScriptedLines(password + [.init("How to verify") { "push" }], waits: true)
    try await signIn(to: org, as: person) { time in
      while await !person.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
      let number = await org.pushes(for: "ada@example.com").last?.number ?? "none"
      let isShown = await person.written.contains { $0.contains(number) }
      try expect(isShown, "The number to choose must be shown.")
      await org.approvePush(for: "ada@example.com", choosing: number)
      org.advance(by: time / .seconds(1))
    }
  }

  private static func signIn(
    to org: SimulatedOrg, as person: ScriptedLines,
    sleep: @escaping @Sendable (Duration) async throws -> Void
  ) async throws {
    let coordinator = FlowCoordinator(
      client: org.client, handlers: .showing(on: LineFrontEnd(lines: person)), sleep: sleep)
    guard case .signedIn(let signIn) = try await coordinator.run(org.configuration) else {
      throw Failure(description: "The sign-in must succeed.")
    }
    try expect(signIn.credential.username == "ada@example.com", "Ada must be signed in.")
    try await expect(person.isFinished, "Each answer must be used.")
  }
}
