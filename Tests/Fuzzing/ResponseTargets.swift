import Foundation
import IDX
import IDXBase
import IDXOAuth

@testable import IDXFlow
@testable import IDXPrompt

extension FuzzTarget {
  /// Responses of Identity Engine: bytes are always parsed to the same values, or refused.
  static let responses = FuzzTarget(name: "responses") { bytes in
    guard let json = try? JSONValue(parsing: bytes) else {
      precondition(
        (try? IDXResponse(parsing: bytes)) == nil,
        "Bytes that are not JSON were parsed as a response.")
      return
    }
    precondition(
      (try? JSONValue(parsing: json.bytes)) == json, "Written JSON is parsed as another value.")
    guard let response = try? IDXResponse(parsing: bytes) else { return }
    precondition(response.raw.json == json, "The response has another value than the bytes.")
    precondition(
      (try? JSONValue(parsing: response.raw.bytes)) == json,
      "The bytes of the response have another value.")
    check(response)
  }

  /// What a step of a sign-in does with a response: screens, polls, scripts and the summary.
  static let steps = FuzzTarget(name: "steps") { bytes in
    guard let response = try? IDXResponse(parsing: bytes),
      let state = state(after: response), let form = response.remediations.first
    else { return }
    var progress = FlowProgress(state)
    progress.context.routes = [Route(name: .challengePoll)]
    progress.context.screens.words = .german
    let step = progress.step(for: form)
    let screen = Screen(step)
    var questions = ScreenQuestions(screen)
    for _ in 0..<4 {
      guard let input = questions.next() else { break }
      switch input.kind {
      case .choice(let choices): questions.take(Secret(choices.last?.id ?? ""))
      case .toggle: questions.take("true")
      case .text, .secret: questions.take("Analytical-1843")
      }
    }
    let answers = (try? screen.answers(with: questions.values)) ?? [:]
    let ids = screen.options.map(\.id)
    precondition(Set(ids).count == ids.count, "Two options have the same ID.")
    for option in screen.options.prefix(3) { _ = try? screen.decision(on: .choose(option.id)) }
    let texts =
      [screen.title, screen.person?.username ?? ""] + screen.notes
      + screen.lists.flatMap { [$0.title] + $0.items } + screen.inputs.map(\.label)
    for text in texts + screen.options.map(\.label) {
      precondition(TextSanitizer(oneLine: true).clean(text) == text, "A text is not clean.")
      _ = TextWrapper(width: 80).lines(of: text)
    }
    precondition(
      !screen.json.bytes.contains { $0 < 0x20 }, "A screen is more than one line of JSON.")
    _ = try? PasskeyCreationOptions(step)
    _ = try? PasskeyRequestOptions(step)
    let isNews = try? progress.finishPoll(of: form, after: .seconds(1), at: state)
    precondition(isNews == false, "The same state is news.")
    _ = progress.renewed(form)
    _ = (state.isRefusal, state.endsSuccessfully)
    let isAccepted = try? progress.advance(to: state, after: Submission(form, answers), at: step)
    precondition(
      isAccepted == false || form.isPolled || state.isSignedIn, "The same step is progress.")
    let summary = ResponseSummary(reporting: state).json
    precondition((try? JSONValue(parsing: summary.bytes)) == summary, "The summary is not JSON.")
    finish {
      let handlers = Handlers.showing(Screens(canUsePasskeys: true))
      if case .ask(let screen, _) = try await handlers.decide(step) {
        _ = try? screen.decision(on: HurriedPerson().reply(to: screen))
      }
      _ = try? await KnownAnswers(answers).decide(step)
      let text = #"[{"step":"\#(form.name)","choose":"x","fields":{"a.b":1}}]"#
      guard let script = try? Script(parsing: text.utf8) else { return }
      _ = try await ScriptHandler(script).decide(step)
    }
  }

  private static func check(_ response: IDXResponse) {
    var sink = Sink()
    sink.read(response)
    sink.resolve(response)
    if let form = AnsweredForm(response) { _ = try? form.encode() }
    for form in response.allForms {
      precondition(form == form && form.raw.json.object != nil, "A form is not equal to itself.")
      for input in form.form.inputs().prefix(8) {
        _ = form.form.fields(at: input.path)
        _ = input.field.problem(with: "1", at: input.path)
      }
    }
    for authenticator in response.authenticators {
      _ = authenticator.oneTimePassword
      _ = authenticator.passwordRules
      _ = authenticator.questions
      _ = authenticator.enrolledQuestion
    }
    precondition(
      IDXAuthenticator.Container.allCases.flatMap(response.authenticators(in:))
        == response.authenticators, "An authenticator is not in its container.")
  }

  static let configuration = try? FlowConfiguration(
    issuer: "https://id.shop.example/oauth2/default", clientID: "0oaShopApp0000000001",
    redirectURI: "com.example.shop:/callback")

  static func state(after response: IDXResponse) -> FlowState? {
    configuration.map {
      FlowState(
        FlowState.Start(
          .idx, $0, interactionHandle: "ih_stub", pkce: PKCE(),
          redirectState: "a state", nonce: "a nonce"),
        response: response, status: 200, requestID: nil)
    }
  }

  /// Runs a body to its end; errors are allowed.
  static func finish(_ body: @escaping @Sendable () async throws -> Void) {
    let isDone = DispatchSemaphore(value: 0)
    Task.detached {
      try? await body()
      isDone.signal()
    }
    isDone.wait()
  }
}

/// A person who wants to do something else at once.
private struct HurriedPerson: FrontEnd {
  func reply(to screen: Screen) -> Reply {
    screen.options.dropLast().last.map { .choose($0.id) } ?? .cancel
  }
}
