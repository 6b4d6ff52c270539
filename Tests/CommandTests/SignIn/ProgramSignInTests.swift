import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

@testable import idx_flow

@Suite(
  "A program shows the sign-in", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct ProgramSignInTests {
  private static let login = SimulatedUser.demo.login
  private static let password = SimulatedUser.demo.password.revealed

  private func dialog(at server: OrgServer, _ more: String...) throws -> ProgramDialog {
    try ProgramDialog(server.options + ["--store", "file"] + more)
  }

  /// Answers each screen that needs it, up to the last line.
  private func play(
    _ dialog: ProgramDialog
  ) async throws -> (line: JSONValue, program: Program.End) {
    while let line = try await dialog.next(), line["type"] != "end" {
      guard let screen = line["screen"], screen["action"]?["role"] != "wait" else { continue }
      dialog.submit(
        ["identifier": Self.login, "credentials.passcode": Self.password], to: screen)
    }
    return try await dialog.end()
  }

  @Test(
    "It sets up Google Authenticator, and nothing that it types comes back",
    .promise("front-end-lines"))
  func enrollment() async throws {
    let server = try OrgServer(policy: .required(.googleAuthenticator))
    let dialog = try dialog(at: server)
    var screen = try await dialog.screen()
    expectEqual(screen["host"]?.string, server.host)
    // The problem with a value is on a new screen, and so is a refusal.
    dialog.submit(["identifier": ""], to: screen)
    screen = try await dialog.screen()
    expectEqual(screen["inputs"]?[0]?["problem"], "Enter an answer.")
    dialog.submit(["identifier": Self.login], to: screen)
    screen = try await dialog.screen()
    dialog.submit(["credentials.passcode": "Wrong-Guess-1815"], to: screen)
    screen = try await dialog.screen()
    expectEqual(screen["messages"]?[0]?["kind"], "error")
    dialog.submit(["credentials.passcode": Self.password], to: screen)
    screen = try await dialog.screen()
    dialog.submit(["authenticator": "google_otp"], to: screen)
    screen = try await dialog.screen()
    let key = try require(screen["setUp"]?["key"]?.string)
    let code = try require(TOTPGenerator(base32: Secret(key))).code(at: server.org.now)
    dialog.submit(["credentials.passcode": code], to: screen)
    let news = try await dialog.next("news")
    expectEqual(news["kind"], "success")
    expectEqual(news["text"], "Google Authenticator is set up.")
    let (line, end) = try await dialog.end()
    expectEqual(line["type"], "end")
    expectEqual(line["status"], "signed_in")
    expectEqual(line["user"]?.string, Self.login)
    end.expect(status: 0)
    expectEqual(end.errors, "")
    let text = dialog.all.map(\.text).joined() + end.errors
    for typed in [Self.password, "Wrong-Guess-1815", "\"\(code)\""] {
      expect(!text.contains(typed), "\(typed)")
    }
    let numbers = dialog.all.compactMap { $0["screen"]?["number"]?.integer }
    expectEqual(numbers, [1, 2, 3, 4, 5, 6])
    expect(dialog.all.allSatisfy { $0["version"] == 1 })
  }

  @Test(
    "A line that cannot be used is answered with news, and the screen stays",
    arguments: [
      ("hello", "The line is no reply. It is not JSON"),
      ("[]", "A reply must be a JSON object"),
      (#"{"reply":"cancel"}"#, "The reply needs the “number” of its screen, a whole number."),
      (
        #"{"number":1,"reply":"submit","values":{"usrname":"ada"}}"#,
        "There is no input “usrname”."
      ),
      (#"{"number":7,"reply":"cancel"}"#, "The reply is to screen 7, but screen 1 is shown."),
      (#"{"number":1,"reply":"choose","id":"quit"}"#, "“choose” has no member “id”"),
    ])
  func wrongLine(line: String, reason: String) async throws {
    let dialog = try ProgramDialog(["--demo", "password"])
    _ = try await dialog.screen()
    dialog.send("")
    dialog.send(line)
    let news = try await dialog.next("news")
    expectEqual(news["kind"], "error")
    expectEqual(news["text"]?.string?.contains(reason), true, "\(news)")
    dialog.send(#"{"number":1,"reply":"choose","option":"quit"}"#)
    let (last, end) = try await dialog.end()
    expectEqual(dialog.all.count { $0["type"] == "screen" }, 1)
    expectEqual(last["exit_status"], 130)
    end.expect(status: 130)
  }

  @Test(
    "The end of the input, a signal, or nobody who reads the lines cancels the sign-in, also at the server"
  )
  func canceled() async throws {
    let server = try OrgServer()
    let dialog = try dialog(at: server)
    _ = try await dialog.screen()
    dialog.closeInput()
    let (line, end) = try await dialog.end()
    expectEqual(line["type"], "end")
    expectEqual(line["message"], "Canceled.")
    end.expect(status: 130)
    expect(server.paths.contains { $0.hasSuffix("/cancel") })
    let signaled = try ProgramDialog(["--demo", "password"])
    _ = try await signaled.screen()
    signaled.program.send(SIGTERM)
    let (last, killed) = try await signaled.end()
    expectEqual(last["exit_status"], 130)
    killed.expect(status: 130)
    let other = try OrgServer()
    let closed = try Program.run(
      ["signin", "--front-end=json"] + other.options, outputIsClosed: true)
    closed.expect(status: 130)
    expect(other.paths.contains { $0.hasSuffix("/cancel") })
  }

  @Test("A line that is too long or not UTF-8 cancels the sign-in")
  func badBytes() async throws {
    // Arguments of a test are encoded as JSON, which is slow for a megabyte.
    for (bytes, reason) in [
      ([UInt8](repeating: 0x20, count: LineReader.longestLine + 1), "longer than 1 MiB"),
      ([0x22, 0xFF, 0x22, 0x0A], "not UTF-8"),
    ] {
      let dialog = try ProgramDialog(["--demo", "password"])
      _ = try await dialog.screen()
      // The program stops to read in the middle of a line that is too long.
      dialog.send(bytes: bytes)
      let news = try await dialog.next("news")
      expectEqual(news["text"]?.string?.contains(reason), true, "\(news)")
      try await expectEqual(dialog.end().program.status, 130, "\(reason)")
    }
  }

  @Test(
    "What prevents a sign-in is in the last line, and nothing is asked",
    arguments: [
      ([], "settings_missing"), (["--frce"], nil), (["--script", "-"], nil),
      (["--no-input"], nil), (["--demo", "list"], nil), (["--demo", "nothing"], nil),
    ] as [([String], String?)])
  func unusable(words: [String], code: String?) async throws {
    let dialog = try ProgramDialog(words)
    let (line, end) = try await dialog.end()
    expectEqual(dialog.all.count, 1)
    expectEqual(line["type"], "end")
    expectEqual(line["status"], "failed")
    expectEqual(line["exit_status"], 2)
    expectEqual(line["code"]?.string, code)
    end.expect(status: 2)
  }

  @Test(
    "In a demo, the main action uses the browser, the security key or Okta Verify of the demo",
    arguments: ["idp-only", "passkey", "device-challenge"])
  func devices(demo: String) async throws {
    let dialog = try ProgramDialog(["--demo", demo])
    let (line, end) = try await play(dialog)
    expectEqual(line["status"], "signed_in", "\(dialog.all.map(\.text))")
    end.expect(status: 0)
  }

  @Test("With --no-store, the tokens are in the last line only")
  func tokens() async throws {
    let dialog = try ProgramDialog(["--demo", "password", "--no-store", "--verbose"])
    let (line, end) = try await play(dialog)
    let token = try require(line["access_token"]?.string)
    expect(!dialog.all.dropLast().contains { $0.text.contains(token) })
    // A trace is for the developer.
    expectContains(end.errors, "trace: POST")
    expect(!end.errors.contains(token) && !dialog.all.contains { $0.text.contains("trace:") })
  }
}
