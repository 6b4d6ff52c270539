// Signs in step by step, like an app with screens. The state can be saved between any two steps, and
// another process can continue from it.
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg

@main
struct StepByStep {
  static func main() async throws {
    let org = SimulatedOrg(
      users: [SimulatedUser(login: "ada@example.com", password: "Analytical-1843")],
      policy: .passwordOnly)
    let configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
    let client = org.client

    var state = try await client.start(configuration)
    print("The server asks for \(inputs(state))")
    state = try await client.proceed(.identify, ["identifier": "ada@example.com"], from: state)
    print("The server asks for \(inputs(state))")

    // A wrong password is not an error, but a response with messages.
    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "a guess"], from: state)
    print("The server says: \(state.response.allMessages.compactMap(\.text).joined())")

    // The snapshot contains secrets. Keep it where only the app can read and write.
    let saved = try state.snapshot()
    state = try FlowState(snapshot: saved, for: configuration)

    state = try await client.proceed(
      .challengeAuthenticator, ["credentials.passcode": "Analytical-1843"], from: state)
    let credential = try await client.redeem(state)
    print("Signed in, with the scopes \(credential.scopes.joined(separator: " "))")
  }

  private static func inputs(_ state: FlowState) -> String {
    // A screen would show an input for each of these.
    let inputs = state.response.remediations.first?.form.inputs() ?? []
    return inputs.map { $0.field.label ?? $0.path }.joined(separator: ", ")
  }
}
