import IDXFlow
import IDXSimulatedOrg
import IDXTesting

func signInAsScriptedPerson() async throws -> Outcome {
  let org = SimulatedOrg(
    users: [SimulatedUser(login: "ada@example.com", password: "Analytical-1843")],
    policy: .required(.googleAuthenticator))
  let person = ScriptedFrontEnd([
    .answer("identifier", "ada@example.com"),
    .answer("credentials.passcode", "Analytical-1843"),
    .answer("authenticator", .authenticator(.googleAuthenticator)),
    .totp("credentials.passcode"),
  ])
  let coordinator = FlowCoordinator(client: org.client, handlers: .showing(on: person))
  let outcome = try await coordinator.run(org.configuration)
  try await person.finish()
  return outcome
}
