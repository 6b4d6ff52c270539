import Expectations
import Testing

@Suite(.tags(.startsPrograms), .fewPrograms) struct ExampleTests {
  @Test("HeadlessSignIn signs in")
  func headless() async throws {
    let end = try await Program.run([], of: "HeadlessSignIn")
    expectEqual(
      end.output,
      """
      Signed in as ada@example.com
      Signed in as ada@example.com
      Signed in as ada@example.com
      The org has seen 1 device at 203.0.113.7

      """)
    expect(end.status == 0 && end.errors.isEmpty)
  }

  @Test("StaySignedIn refreshes its tokens and signs out")
  func staysSignedIn() async throws {
    let end = try await Program.run([], of: "StaySignedIn")
    expectEqual(
      end.output,
      """
      Signed in as ada@example.com
      An hour later: a new token, without a sign-in
      The server says: Ada Byron
      The API responds: HTTP status 200
      Signed out: 2 tokens revoked
      Afterwards: Nobody is signed in. Sign in first.

      """)
    expect(end.status == 0 && end.errors.isEmpty)
  }

  @Test("StepByStep continues from a saved state")
  func stepByStep() async throws {
    let end = try await Program.run([], of: "StepByStep")
    expectEqual(
      end.output,
      """
      The server asks for Username, Remember this device
      The server asks for Password
      The server says: The password is wrong.
      Signed in, with the scopes openid profile

      """)
    expect(end.status == 0 && end.errors.isEmpty)
  }
}
