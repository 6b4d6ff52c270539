import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Every situation, through what is asked of a person")
struct SituationTests {
  @Test(
    "Each comes to its end, however responses are written",
    .timeLimit(.minutes(5)), arguments: Situation.all,
    [[], [.optionsAsForms, .bareReferences, .flagsAsStrings, .unknownMembers]] as [ResponseShape])
  func play(situation: Situation, shape: ResponseShape) async throws {
    let scenario = try #require(OrgScenario.named(situation.name))
    let scene = try Scene(scenario, shape: shape)
    let (outcome, person) = try await scene.play(
      situation.replies(scene), goal: situation.goal, passkeys: situation.passkeys)
    switch (outcome, situation.end) {
    case (.signedIn(let signIn), .tokens):
      #expect(!signIn.credential.tokens.accessToken.revealed.isEmpty)
    case (.ended(let state), .message(let key)):
      #expect(state.response.allMessages.map(\.key) == [key])
    case (.cancelled, .givenUp(let unsupportedStep)):
      #expect(await person.unsupportedSteps.map(\.kind) == [unsupportedStep].compactMap(\.self))
    default: Issue.record("It ends otherwise: \(outcome)")
    }
  }

  @Test("There is one list of replies for each")
  func complete() {
    #expect(Situation.all.map(\.name).sorted() == OrgScenario.all.map(\.name).sorted())
  }
}

extension ScriptedPrompter {
  var unsupportedSteps: [UnsupportedStep] {
    notices.compactMap {
      if case .unsupported(let unsupportedStep) = $0 { unsupportedStep } else { nil }
    }
  }
}
