import Foundation
import IDXFlow
import IDXRecording
import IDXTesting

func signInThatWasRecorded(at file: URL) async throws {
  let replay = try ReplayTransport(Recording(parsing: Data(contentsOf: file)))
  let person = ScriptedFrontEnd([
    .answer("identifier", "somebody"), .answer("credentials.passcode", "something"),
    .answer("authenticator", .authenticator(.googleAuthenticator)),
    .totp("credentials.passcode"),
  ])
  let coordinator = FlowCoordinator(client: replay.client, handlers: .showing(on: person))
  _ = try await coordinator.run(replay.configuration)
  try await replay.finish()
}
