import Expectations
import IDX
import IDXBase
import Testing

@testable import idx_flow

@Suite(.tags(.startsPrograms), .fewPrograms) struct ScriptedSignInTests {
  private static let identify = """
    {"step": "identify",
     "fields": {"identifier": "ada@example.com", "credentials.passcode": "Analytical-1843"}}
    """
  private static let skip = #"{"step": "skip"}"#
  private static let greeting = """
    demo: this org is simulated in memory; nothing is sent over the network.
    demo: the user is ada@example.com, the password Analytical-1843

    """

  /// The data folder of the program, and the note about it.
  private let folder: TemporaryFolder
  private let savedNote: String

  init() throws {
    folder = try TemporaryFolder()
    savedNote =
      "Saved in the folder \(folder.path("idx-flow/demo")).\nSee: idx-flow status --demo\n"
  }

  private func run(_ entries: String..., options: [String] = []) throws -> Program.End {
    let script = try folder.file("script.json", "[\(entries.joined(separator: ","))]")
    return try Program.run(
      ["signin", "--demo", "--force", "--script", script] + options,
      environment: ["XDG_DATA_HOME": folder.url.path])
  }

  @Test(
    "A script signs in; the result is the whole output, the steps go to standard error, and unused entries are counted"
  )
  func signsIn() throws {
    let all = try run(Self.identify, Self.skip)
    all.expect(status: 0)
    expectEqual(all.output, "Signed in as ada@example.com.\n")
    expectEqual(
      all.errors, Self.greeting + "answering identify\nanswering skip\n" + savedNote)
    let one = try run(Self.identify, Self.skip, #"{"step": "cancel"}"#)
    one.expect(status: 0)
    expectSuffix(one.errors, "The last entry of the script was not used.\n" + savedNote)
    let two = try run(Self.identify, Self.skip, Self.skip, Self.skip)
    expectSuffix(two.errors, "The last 2 entries of the script were not used.\n" + savedNote)
  }

  @Test("The JSON result contains tokens only with --no-store")
  func json() throws {
    let saved = try run(Self.identify, Self.skip, options: ["--json"])
    let plain = try saved.json
    saved.expect(status: 0, plain["status"] == "signed_in" && plain["store"] == "file")
    expectEqual(plain["user"], "ada@example.com")
    expectEqual(plain["scopes"], ["openid", "profile", "email", "offline_access"])
    let end = try run(Self.identify, Self.skip, options: ["--no-store"])
    let result = try end.json
    end.expect(status: 0)
    expect(result["token_type"] == "Bearer" && result["store"] == nil)
    for name in ["access_token", "refresh_token", "id_token"] {
      expectEqual(plain[name], nil)
      expectEqual(result[name]?.string?.isEmpty, false)
    }
    // The demo accepts scopes.
    let scoped = try run(
      Self.identify, Self.skip, options: ["--no-store", "--scope", "openid email"])
    try expectEqual(scoped.json["scopes"], ["openid", "email"])
  }

  @Test(
    "If the script has no more entries, the step is named, with status 3, and --json prints the form, without handles"
  )
  func usedUp() throws {
    let end = try run(Self.identify)
    end.expect(status: 3, end.output.isEmpty)
    expectSuffix(
      end.errors,
      """
      answering identify
      idx-flow: The server asks for “select-authenticator-enroll”, and all entries of the script are used. \
      It offers google_otp (Google Authenticator), okta_email (Email).

      """)
    let json = try run(Self.identify, options: ["--json"])
    json.expect(status: 3)
    let result = try json.json
    expect(result["status"] == "failed" && result["exit_status"] == 3)
    let names = result["asks"]?.array?.compactMap { $0["name"]?.string }
    expectEqual(names, ["select-authenticator-enroll", "skip"])
    let options = result["asks"]?[0]?["fields"]?[0]?["options"]
    expectEqual(
      options?.array?.compactMap { $0["label"]?.string }, ["Google Authenticator", "Email"])
    // The handles of the org.
    expect(!(json.output + json.errors).contains(/(?:02|ih_)[\w-]{38}/))
    expectEqual(options?[0]?["authenticator"], "google_otp")
    expectEqual(options?[1]?["authenticator"], "okta_email")
  }

  @Test("An entry for another step, or with wrong fields, is explained, before any request")
  func mismatch() throws {
    let end = try run(#"{"step": "enroll-authenticator"}"#)
    end.expect(status: 3)
    let sentence =
      "idx-flow: Entry 1 of the script answers “enroll-authenticator”, and the server offers "
      + "identify, cancel. (step identify, HTTP status 200, request "
    expectContains(end.errors, sentence)
    let wrong = try run(#"{"step": "identify", "fields": {"name": "hunter2"}}"#)
    wrong.expect(status: 2)
    expectSuffix(
      wrong.errors,
      """
      idx-flow: Entry 1 of the script does not fit “identify”. Username (identifier) is \
      required. Password (credentials.passcode) is required. The form has no field name. Its fields are identifier, credentials.passcode, rememberMe.

      """)
    expect(!wrong.errors.contains("hunter2") && !wrong.errors.contains("answering"))
  }

  @Test("A wrong answer has status 4 and the server's message; the answer is not shown")
  func wrongPassword() throws {
    let end = try run(
      #"{"step": "identify", "fields": {"identifier": "a", "credentials.passcode": "hunter2"}}"#,
      options: ["--json"])
    end.expect(status: 4)
    expectContains(end.errors, "\nSign-in failed. Check your username and password.\n")
    expectContains(
      end.errors,
      "idx-flow: The server refused entry 1 of the script, “identify”. "
        + "Sign-in failed. Check your username and password.")
    let result = try end.json
    expectEqual(result["messages"]?[0]?["key"], "errors.E0000004")
    expect(!(end.errors + end.output).contains("hunter2"))
  }

  @Test(
    "A script that cannot be read or parsed has status 2",
    arguments: [
      (nil, "The script /no/such/script cannot be read. The file does not exist.\n"),
      ("{", "The script cannot be read."), ("{}", "The script must be a JSON array"),
      ("[{}]", "Entry 1 of the script has no “step”"),
      (#"[{"step": "identify", "field": {}}]"#, "Entry 1 of the script has “field”"),
    ] as [(String?, String)])
  func badScript(text: String?, message: String) throws {
    let folder = try TemporaryFolder()
    let script = try text.map { try folder.file("script.json", $0) } ?? "/no/such/script"
    let end = try Program.run(["signin", "--demo", "--script", script])
    end.expect(status: 2, end.output.isEmpty)
    expectContains(end.errors, "idx-flow: \(message)")
  }

  @Test("A script comes from a pipe or standard input; passwords and keys from elsewhere")
  func fromPipe() throws {
    let setUp = """
      {"step": "select-authenticator-enroll", "choose": "google_otp"},
      {"step": "enroll-authenticator", "fields": {"credentials.passcode": {"totp": true}},
       "saveKey": "\(folder.path("key.txt"))"}
      """
    try run(Self.identify, setUp).expect(status: 0)
    expectPrefix(folder.text(of: "key.txt"), "otpauth://totp/")
    let again = try run(Self.identify, setUp)
    again.expect(status: 2, again.errors.contains("already exists and was not changed"))
    let password = try folder.file("password", "Analytical-1843\n")
    let script = """
      [{"step": "identify", "fields": {"identifier": {"env": "ADA"}},
        "ifAsked": {"credentials.passcode": {"file": "\(password)"}}}, {"step": "skip"}]
      """
    let program = Program.products.appending(path: "idx-flow").path
    for command in [
      "printf %s \"$SCRIPT\" | '\(program)' signin --demo --force --script -",
      "'\(program)' signin --demo --force --script - <<END\n$SCRIPT\nEND",
    ] {
      let end = try Program.run(
        ["-c", command], of: "/bin/sh",
        environment: [
          "SCRIPT": script, "ADA": "ada@example.com", "XDG_DATA_HOME": folder.url.path,
        ])
      end.expect(status: 0, end.output == "Signed in as ada@example.com.\n")
      expect(!end.errors.replacing(Self.greeting, with: "").contains("Analytical"))
      let missing = try Program.run(
        ["-c", command], of: "/bin/sh",
        environment: ["SCRIPT": script, "XDG_DATA_HOME": folder.url.path])
      missing.expect(status: 2)
      expectSuffix(missing.errors, "Entry 1 of the script: The variable ADA is not set.\n")
    }
  }

  @Test(
    "Without a terminal, or with --no-input, the step is named, and --json prints the first form")
  func notSignedIn() throws {
    for (options, reason) in [
      ([], "there is no terminal"), (["--no-input"], "--no-input is set"),
    ] as [([String], String)] {
      let end = try Program.run(["signin", "--demo"] + options)
      end.expect(status: 3, end.output.isEmpty)
      expectEqual(
        end.errors,
        Self.greeting + """
          idx-flow: The server asks for “identify”, but \(reason). Use --script FILE to answer it.

          """)
    }
    let end = try Program.run(["signin", "--demo", "--no-input", "--json"])
    end.expect(status: 3)
    let result = try end.json
    expectEqual(result["asks"]?[0]?["name"], "identify")
    let fields = result["asks"]?[0]?["fields"]
    expect(fields?[0]?["label"] == "Username" && fields?[0]?["required"] == true)
    expectEqual(fields?[1]?["fields"]?[0]?["secret"], true)
    expectEqual(
      fields?[3],
      [
        "name": "stateHandle", "label": .null, "type": .null, "required": true, "visible": false,
        "mutable": false, "secret": false, "value": .null,
      ])
  }

  @Test(
    "Options that do not fit the demo, the protocol or each other are usage errors",
    arguments: [
      (["--issuer", "https://o.example"], "do not use --issuer with it"),
      (["--unlock", "--register"], "--unlock and --register cannot be used together"),
      (["--flow", "older"], "--flow"), (["--flow", "idx", "--session-token"], "--session-token"),
      (["--flow", "direct", "--session-token"], "--session-token"),
      (["--flow", "classic", "--register"], "--register"),
      (["--flow", "classic", "--first-factor", "otp"], "--first-factor"),
      (["--flow", "browser", "--recover"], "--recover"),
      (["--flow", "device", "--register"], "--register"), (["--prompt", "login"], "--prompt"),
      (["--flow", "device", "--prompt", "login"], "--prompt"),
      (["--flow", "browser", "--prompt", "never"], "--prompt"),
      (["--flow", "browser", "--max-age", "soon"], "--max-age"),
      (["--flow", "browser", "--max-age", "-1"], "--max-age"),
      (["--flow", "device", "--max-age", "5"], "max_age"),
    ])
  func usage(words: [String], reason: String) throws {
    let end = try Program.run(["signin", "--demo", "--no-input"] + words)
    end.expect(status: 2, end.output.isEmpty)
    expectContains(end.errors, reason)
  }

  @Test("--json prints an object for every failure, even for wrong usage")
  func jsonFailures() throws {
    for words in [["signin", "--json"], ["signin", "--json", "--bogus"]] {
      let end = try Program.run(words)
      end.expect(status: 2)
      let object = try end.json
      expect(object["status"] == "failed" && object["exit_status"] == 2)
    }
  }
}
