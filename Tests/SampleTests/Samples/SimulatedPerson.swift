import IDXFlow
import IDXSimulatedOrg
import IDXTesting

@MainActor func signIn() async throws -> FlowPhase {
  let scenario = OrgScenario["email"]
  let org = SimulatedOrg(scenario)
  let model = SignInModel(client: org.client)
  let person = SimulatedPerson(of: org, goal: scenario.goal)
  model.start(org.configuration, goal: scenario.goal)
  var last: Screen?
  while let screen = await model.next(after: last) {
    if let reply = try await person.reply(to: screen) { model.reply(reply, to: screen) }
    last = screen
  }
  return model.phase
}
