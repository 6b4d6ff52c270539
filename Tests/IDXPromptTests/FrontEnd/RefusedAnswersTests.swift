import Expectations
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

struct RefusedAnswersTests {
  private func code(_ key: String? = nil, otherWays: Bool = true) -> JSONValue {
    let passcode: JSONValue = ["name": "passcode", "label": "Code", "required": true]
    let form = JSONValue.form(
      "challenge-authenticator",
      ["name": "credentials", "required": true, "form": ["value": [passcode]]])
    let messages = key.map { [JSONValue.message("No more answers.", "ERROR", key: $0)] } ?? []
    return .response(
      [form] + (otherWays ? [.form("unlock-account")] : []), says: messages)
  }

  @Test("After too many wrong passwords, none is asked for, and the reason is an error")
  func password() async throws {
    let (shown, result) = try await TerminalSession.play(
      makeOrg(SignInPolicy(attempts: 2)),
      ["Username: ": "ada@example.com", "Password: ": "a guess", "Password: ": "another"])
    expectEqual(
      shown,
      """
      Sign in to Demo app
      Username: ada@example.com
      Password: ••••••••
        ✗ The password is wrong.
        The username is ada@example.com (type ? to change it).
      Password: ••••••••
        ✗ There were too many wrong answers. The account is locked.

      """)
    let error = #expect(throws: FlowError.self) { try result.get() }
    expectEqual(error?.code, .rateLimited)
    expectEqual(error?.remediation, .challengeAuthenticator)
  }

  @Test("Of pasted lines only the first answers; the others use up no attempts")
  func pasted() async throws {
    let (shown, result) = try await TerminalSession.play(
      makeOrg(SignInPolicy(attempts: 2)),
      [
        "Username: ": "ada@example.com", "Password: ": "a guess\nanother\na third",
        "Password: ": "Analytical-1843",
      ])
    expect(result.isSignedIn)
    expectEqual(
      shown,
      """
      Sign in to Demo app
      Username: ada@example.com
      Password: ••••••••
        ✗ The password is wrong.
        The username is ada@example.com (type ? to change it).
      What you typed before this question was ignored.
      Password: ••••••••

      """)
  }

  @Test(
    "If there are other ways, the person chooses one, or waits as long as the server says and tries again"
  )
  func otherWays() async throws {
    let server = CannedServer(code(), code("oie.tooManyRequests"))
    let (shown, _) = try await TerminalSession.play(
      server, ["Code: ": "111111", "Choose 1-3: ": "1", "Code: ": "222222"])
    expectEqual(
      shown,
      """
      Verify with an authenticator
      Code: 111111
        ✗ No more answers.
        1  Try again, best after some minutes
        2  Unlock your account
        3  Quit
      Choose 1-3: 1
      Code: 222222

      """)
    await expectEqual(server.answers.count, 2)

    let (waited, _) = try await TerminalSession.play(
      BusyServer(server: CannedServer(code(), code("oie.tooManyRequests"))),
      [
        "Code: ": "111111", "Choose 1-3: ": "1",
        "Waiting until the server accepts answers again… 3:20 left": "", "Code: ": "\u{4}",
      ])
    expectContains(waited, "  1  Wait, then try again\n")
  }

  /// Adds the time after which the server accepts answers again.
  private struct BusyServer: Transport {
    let server: CannedServer

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      var response = try await server.send(request)
      if request.url.lastPathComponent == "challenge-authenticator" {
        response = TransportResponse(
          status: 429, headers: ["Retry-After": "200"], body: response.body)
      }
      return response
    }
  }

  @Test(
    "If the account is locked, trying again is no option",
    arguments: ["errors.E0000069", "errors.E0000119"])
  func locked(key: String) async throws {
    let server = CannedServer(code(), code(key))
    let (shown, _) = try await TerminalSession.play(
      server, ["Code: ": "111111", "Choose 1-2: ": "1"])
    expectContains(shown, "\n  1  Unlock your account\n  2  Quit\n")
    await expectEqual(server.answers.last, "unlock-account {}")
  }

  @Test("A lock that the server reports before any answer does not hide the question")
  func atStart() async throws {
    let server = CannedServer(code("oie.tooManyRequests", otherWays: false))
    _ = try await TerminalSession.play(server, ["Code: ": "111111"])
    await expectEqual(server.answers.count, 1)
  }
}
