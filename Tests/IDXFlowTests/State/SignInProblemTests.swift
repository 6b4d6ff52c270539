import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import Testing

/// What a person is told about a failure.
struct SignInProblemTests {
  private static let details =
    "POST 127.0.0.1:44301/oauth2/default/v1/interact failed: the connection was refused"

  @Test(
    "It says what to do, and nothing of the request",
    arguments: [
      (FlowError(.network, details), SignInProblem.Kind.unreachable),
      (FlowError(.serverFailed, details, status: 500), .busy),
      (FlowError(.invalidConfiguration, details), .setup),
      (FlowError(.unreadableState, details), .expired), (CancellationError(), .internalError),
      (FlowError("something_new", details), .other),
    ] as [(any Error, SignInProblem.Kind)])
  func kinds(error: any Error, kind: SignInProblem.Kind) {
    let problem = SignInProblem(error)
    expectEqual(problem.kind, kind)
    for words in [Words.english, .german] {
      let texts = [
        problem.title(in: words), problem.text(in: words), problem.referenceText(in: words),
      ]
      expect(texts.allSatisfy { !$0.isEmpty && !$0.contains("{") })
      expect(texts[2].hasSuffix(problem.reference))
      for word in ["127.0.0.1", "interact", "refused", "POST"] {
        expect(!texts.joined().contains(word))
      }
    }
    expect(problem.reference.wholeMatch(of: /[A-Z0-9]{4}-[A-Z0-9]{4}/) != nil)
    expect(problem.reference != SignInProblem(error).reference)
  }

  @Test("A sign-in has the problem of its failure, which goes when another one starts")
  @MainActor func model() async throws {
    let org = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: .withPassword))
    let model = SignInModel(client: IDXClient(transport: DeadTransport()))
    expect(model.problem == nil)
    model.start(org.configuration)
    await model.end()
    expectEqual(model.problem?.kind, .unreachable)
    expectEqual(
      model.phase.message, "POST demo.okta.example/oauth2/default/v1/interact failed.")
    model.start(org.configuration)
    expect(model.problem == nil)
    await model.end()
  }

  @Test("If the server ends the sign-in, its own words say why")
  func end() throws {
    let text = "The user is not assigned to the client application."
    var draft = IDXResponse.Draft()
    draft.messages = [IDXMessage.Draft("\u{1B}\u{202E}" + text)]
    let failure = FlowPhase.Failure.ended(
      try FlowState(
        signInProtocol: "test", configuration: SimulatedOrg(users: []).configuration, draft: draft))
    expectEqual(SignInProblem(failure).text(in: .german), text)
    expectEqual(SignInProblem(failure).kind, .other)
  }
}

/// A transport whose server is not there.
private struct DeadTransport: Transport {
  func send(_ request: TransportRequest) async throws -> TransportResponse {
    throw FlowError(.network, "The server is dead.")
  }
}
