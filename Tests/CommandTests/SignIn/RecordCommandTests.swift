import Expectations
import Foundation
import IDXBase
import IDXRecording
import TerminalSupport
import Testing

@Suite("Sign-ins are recorded and played by the command", .tags(.startsPrograms), .fewPrograms)
struct RecordCommandTests {
  private static let script = """
    [{"step": "identify",
      "fields": {"identifier": "ada@example.com", "credentials.passcode": "Analytical-1843"}},
     {"step": "select-authenticator-enroll", "choose": "google_otp"},
     {"step": "enroll-authenticator", "fields": {"credentials.passcode": {"totp": true}}}]
    """

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func run(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> Program.End {
    try Program.run(
      arguments, environment: ["XDG_DATA_HOME": folder.url.path].merging(environment) { $1 })
  }

  private func recording(_ path: String) throws -> Recording {
    try Recording(parsing: Data(contentsOf: URL(filePath: path)))
  }

  /// Records the demo, and returns the path of the file.
  private func recorded() throws -> String {
    let script = try folder.file("script.json", Self.script)
    let path = folder.path("recording.json")
    let end = try run(["signin", "--demo", "--force", "--script", script, "--record", path])
    end.expect(status: 0)
    expectContains(end.errors, "Recorded in \(path): 7 requests")
    return path
  }

  @Test("A recording has nothing of the person, and only its owner can read it")
  func record() throws {
    let path = try recorded()
    // A picture can contain any four letters.
    let text = try String(contentsOfFile: path, encoding: .utf8)
      .replacing(/data:image[^"]*/, with: "")
    for value in ["ada", "example.com", "Analytical", "1843", "demo.okta"] {
      expect(!text.contains(value), "\(value)")
    }
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
  }

  @Test(
    "A recording says truly which version recorded which protocol, on which system, and also how it failed",
    .promise("recording-origin"))
  func facts() throws {
    let version = try run(["version"]).output.trimmingCharacters(in: .whitespacesAndNewlines)
    expectPrefix(version, "idx-flow ")
    for name in ["idx", "direct", "classic"] {
      let path = folder.path("\(name).json")
      let end = try run([
        "signin", "--demo", "--flow", name, "--force", "--no-input", "--record", path,
      ])
      let recording = try recording(path)
      expectEqual(recording.facts["program"], version)
      expectEqual(recording.facts["protocol"], name)
      guard name == "idx" else { continue }
      #if os(Linux)
        expectEqual(recording.facts["system"], "Linux")
      #else
        expectEqual(recording.facts["system"], "macOS")
      #endif
      end.expect(status: 3)
      expectEqual(recording.facts["code"], "input_needed")
      expect(recording.exchanges.count >= 2)
    }
  }

  @Test(
    "An existing file is not changed, and one that cannot be written is an error, before anything is sent",
    .promise("recording-file"))
  func existing() throws {
    let path = try folder.file("mine.json", "mine")
    let end = try run(["signin", "--demo", "--no-input", "--record", path])
    end.expect(status: 2)
    expectEqual(
      end.errors,
      "idx-flow: --record: \(path) already exists and was not changed. Choose another name.\n")
    try expectEqual(String(contentsOfFile: path, encoding: .utf8), "mine")
    for path in [folder.path("none/mine.json"), "-", ""] {
      let end = try run(["signin", "--demo", "--no-input", "--record", path])
      end.expect(status: 2)
      expect(end.errors.hasPrefix("idx-flow: --record") && !end.errors.contains("demo:"))
    }
  }

  @Test(
    "A recording becomes a script, which plays it to the end; another choice than the recorded one ends the replay"
  )
  func script() throws {
    let (path, script) = (try recorded(), folder.path("answers.json"))
    let saved = try run(["replay", path, "--save-script", script])
    saved.expect(status: 0)
    let values = [
      "IDX_ANSWER_IDENTIFIER": "x", "IDX_ANSWER_PASSCODE": "y",
      "IDX_ANSWER_GOOGLE_OTP_PASSCODE": "123456",
    ]
    for name in values.keys { expectContains(saved.errors, "reads the variable \(name).") }
    let end = try run(["replay", path, "--script", script], values)
    end.expect(status: 0)
    expectSuffix(end.errors, "The whole recording was played: 7 requests.\n")
    let skipping = try folder.file(
      "skip.json",
      """
      [{"step": "identify", "fields": {"identifier": "x", "credentials.passcode": "y"}},
       {"step": "skip"}]
      """)
    let other = try run(["replay", path, "--script", skipping])
    other.expect(status: 1)
    expectContains(other.errors, ": The client sent POST")
  }

  @Test("A damaged recording cannot be played, and says why")
  func damaged() throws {
    let end = try run(["replay", folder.file("damaged.json", "{}")])
    end.expect(status: 2)
    expectContains(end.errors, "cannot be played. The file is not a recording")
  }

  @Test("inspect shows each exchange of a recording")
  func inspect() throws {
    let path = try recorded()
    let tree = try run(["inspect", path])
    tree.expect(status: 0)
    expectContains(tree.output, "recording.json, exchange 1: POST /oauth2/default/v1/interact")
    expectContains(tree.output, "\n  identify\n")
    let lines = try run(["inspect", "--format", "json", path]).output.split(separator: "\n")
    let exchanges = try lines.map { try JSONValue(parsing: $0.utf8)["exchange"]?.integer }
    // The place of the request for keys differs.
    expect(exchanges.count == 4 && exchanges.first == 2)
  }

  /// Starts the command in the folder of this test, with a terminal.
  private func start(_ arguments: [String], at terminal: PseudoTerminal) throws -> Program {
    let command = Program.products.appending(path: "idx-flow").path
    return try Program(
      ["-c", #"cd "$1" && shift && exec "$@""#, "sh", folder.url.path, command] + arguments,
      of: "/bin/sh",
      environment: ["XDG_DATA_HOME": folder.url.path, "IDX_FLOW_STORE": "file", "TERM": "xterm"],
      input: terminal.path)
  }

  private func savedReport() throws -> Recording {
    try recording(folder.path("idx-flow-report.json"))
  }

  @Test(
    "After an unexpected response or another failure, a report is saved if the person wants it",
    arguments: [
      ("200 OK", "[]", "idx-flow: "),
      (
        "400 Bad Request", #"{"error": "invalid_request", "error_description": "Not you."}"#,
        "Not you."
      ),
    ])
  func report(status: String, body: String, reason: String) async throws {
    let server = try FixedServer([
      "/oauth2/default/v1/interact": FixedServer.response(status, body)
    ])
    for answer in ["", "y"] {
      let terminal = try PseudoTerminal()
      let program = try start(
        [
          "signin", "--issuer", server.issuer, "--client-id", "c", "--redirect-uri", "a:/b",
          "--force", "--scope", "openid",
        ], at: terminal)
      try await terminal.answer("Save a report? [y/N]: ", "?")
      expectContains(program.errorsSoFar, reason)
      let help = try await terminal.answer("Save a report? [y/N]: ", answer)
      expectContains(help, "With yes, a file is written here")
      let end = program.end()
      expect(end.status != 0)
      expectEqual(end.errors.contains("Saved in idx-flow-report.json."), answer == "y")
      expectEqual((try? savedReport()) != nil, answer == "y")
    }
    let report = try savedReport()
    expectEqual(report.facts["code"] == "unexpected_response", status == "200 OK")
    // The start, and the question which engine the org has.
    expectEqual(report.exchanges.count, 2)
  }

  @Test(
    "A report is offered to a person who quits at a step that cannot be done here, and not elsewhere"
  )
  func unsupportedStep() async throws {
    let terminal = try PseudoTerminal()
    let program = try start(["signin", "--demo", "captcha", "--force"], at: terminal)
    try await terminal.answer("Choose 1-4: ", "4")
    try await terminal.answer("Save a report? [y/N]: ", "y")
    let end = program.end()
    end.expect(status: 130)
    try expect(!savedReport().exchanges.isEmpty)
    let elsewhere = try PseudoTerminal()
    let other = try start(["signin", "--demo", "password", "--force"], at: elsewhere)
    _ = try await elsewhere.shown(until: "Username: ")
    try elsewhere.type("\u{4}")
    let quit = other.end()
    quit.expect(status: 130)
  }

  @Test(
    "The person chooses which new names a recording keeps; short ones are never kept",
    arguments: [("1", ""), ("2", "y"), ("2", "n")])
  func newNames(choice: String, answer: String) async throws {
    let terminal = try PseudoTerminal()
    let path = folder.path("names.json")
    let program = try start(
      ["signin", "--demo", "granular-consent", "--force", "--record", path], at: terminal)
    try await terminal.signIn()
    try await terminal.answer("Allow access? (y/n): ", "y")
    for scope in ["View your email address", "Use plan", "Use plan.details"] {
      try await terminal.answer("\(scope) [Y/n]: ", "y")
    }
    try await terminal.answer("Choose 1-2: ", choice)
    if choice == "2" { try await terminal.answer("Keep “plan.details”, at ", answer) }
    let end = program.end()
    end.expect(status: 0)
    let text = try String(contentsOfFile: path, encoding: .utf8)
    expect(!text.contains("\"plan\""))
    expectEqual(text.contains("\"plan.details\""), answer == "y")
  }
}
