import Expectations
import Testing

@Suite(.tags(.startsPrograms), .fewPrograms) struct ExampleTests {
  @Test(
    "Each example signs in to its end",
    arguments: [
      (
        "HeadlessSignIn",
        """
        Signed in as ada@example.com
        Signed in as ada@example.com
        Signed in as ada@example.com
        The org has seen 1 device at 203.0.113.7

        """
      ),
      (
        "StaySignedIn",
        """
        Signed in as ada@example.com
        An hour later: a new token, without a sign-in
        The server says: Ada Byron
        The API responds: HTTP status 200
        Signed out: 2 tokens revoked
        Afterwards: Nobody is signed in. Sign in first.

        """
      ),
      (
        "StepByStep",
        """
        The server asks for Username, Remember this device
        The server asks for Password
        The server says: The password is wrong.
        Signed in, with the scopes openid profile

        """
      ),
    ])
  func signsIn(name: String, output: String) throws {
    let end = try Program.run([], of: name)
    expectEqual(end.output, output)
    end.expect(status: 0, end.errors.isEmpty)
  }
}
