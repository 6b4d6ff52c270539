import Expectations
import IDXFlow
import IDXOAuth
import Testing

@testable import idx_flow

@Suite(.tags(.startsPrograms), .fewPrograms) struct ArgumentTests {
  private static let specs = [
    OptionSpec("--issuer", value: "URL", ""), OptionSpec("--json", ""), OptionSpec("--no-qr", ""),
    OptionSpec("--flow", value: "NAME", of: .oneOf(["idx", "direct", "classic"]), ""),
  ]

  private func read(_ words: String...) throws -> CommandLineOptions {
    try CommandLineOptions(words, accepting: Self.specs, of: "signin")
  }

  @Test(
    "A value follows its option or the short name of it, or is attached; the last value is used")
  func values() throws {
    try expectEqual(read("--issuer", "a").values, ["--issuer": "a"])
    try expectEqual(read("--issuer=a=b").values, ["--issuer": "a=b"])
    try expectEqual(read("--issuer=--json").values, ["--issuer": "--json"])
    try expectEqual(read("--issuer", "-").values, ["--issuer": "-"])
    try expectEqual(read("--issuer", "a", "--issuer", "b").values, ["--issuer": "b"])
    let specs = [OptionSpec("--method", letter: "X", value: "METHOD", ""), .help, .json]
    func readShort(_ words: String...) throws -> CommandLineOptions {
      try CommandLineOptions(words, accepting: specs, of: "api")
    }
    try expectEqual(readShort("-X", "PUT", "-h").values, ["--method": "PUT"])
    try expectEqual(readShort("-XPUT").values, ["--method": "PUT"])
    try expectEqual(readShort("-h").flags, ["--help"])
    for word in ["-x", "-hX", "-j", "-é"] {
      #expect(throws: CommandFailure.self) { try readShort(word, "PUT") }
    }
    expectEqual(specs[0].head, "-X, --method METHOD")
  }

  @Test(
    "Flags and operands may be mixed; -- ends the options, and so does the first operand for another program"
  )
  func mixed() throws {
    let options = try read("one", "--json", "-", "--", "--no-qr", "-x")
    expectEqual(options.flags, ["--json"])
    expectEqual(options.operands, ["one", "-", "--no-qr", "-x"])
    let other = try CommandLineOptions(
      ["--json", "curl", "--json", "--", "-x"], accepting: Self.specs,
      operand: OperandSpec("COMMAND", maximum: .max, endsOptions: true), of: "exec")
    expectEqual(other.flags, ["--json"])
    expectEqual(other.operands, ["curl", "--json", "--", "-x"])
  }

  @Test(
    "A wrong option or value is explained, with a suggestion",
    arguments: [
      (
        ["--isuer", "a"],
        "signin has no option --isuer. Did you mean --issuer? See: idx-flow signin --help"
      ),
      (
        ["--noqr"], "signin has no option --noqr. Did you mean --no-qr? See: idx-flow signin --help"
      ),
      (["--frobnicate"], "signin has no option --frobnicate. See: idx-flow signin --help"),
      (["--issuer"], "--issuer needs a value: --issuer URL."),
      (["--issuer", "--json"], "--issuer needs a value: --issuer URL."),
      (["--json=yes"], "--json takes no value."),
      (
        ["--flow", "clasic"],
        "--flow must be idx, direct or classic, not clasic. Did you mean classic?"
      ),
    ])
  func wrong(words: [String], message: String) {
    let failure = #expect(throws: CommandFailure.self) {
      try CommandLineOptions(words, accepting: Self.specs, of: "signin")
    }
    expectEqual(failure?.exitCode, .usage)
    expectEqual(failure?.message, message)
  }
}

struct SpellingTests {
  @Test(
    "Similar words are suggested, the most similar one first; each changed or swapped character counts"
  )
  func similar() {
    for (word, expected) in [
      ("sigin", ["signin"]), ("inspct", ["inspect"]), ("isnpect", ["inspect"]), ("", []),
      ("frobnicate", []), ("pusch", ["push"]), ("number-push", ["push-number"]),
      ("google", ["google-authenticator", "enroll-google"]), ("PUSH_NUMBER", ["push-number"]),
    ] as [(String, [String])] {
      let words = [
        "signin", "inspect", "push", "push-number", "google-authenticator", "enroll-google",
      ]
      expectEqual(Spelling.similar(to: word, among: words).prefix(expected.count), expected[...])
      if expected.isEmpty { expectEqual(Spelling.hint(for: word, among: words), "") }
    }
    expectEqual(Spelling.distance("push", "push"), 0)
    expectEqual(Spelling.distance("pusch", "push"), 1)
    expectEqual(Spelling.distance("psuh", "push"), 1)
    expectEqual(Spelling.distance("bash", "push"), 2)
    expectEqual(Spelling.distance("", "push"), 4)
  }
}

struct SettingsTests {
  private func settings(
    _ words: [String], _ environment: [String: String] = [:]
  ) throws -> FlowConfiguration {
    let options = try CommandLineOptions(
      words, accepting: SignInCommand.allOptions, of: "signin")
    return try SignInSettings(options, environment).configuration()
  }

  private static let everything = [
    "OKTA_IDX_ISSUER": "https://environment.example", "OKTA_IDX_CLIENTID": "environment",
    "OKTA_IDX_REDIRECTURI": "environment:/callback", "OKTA_IDX_SCOPES": "openid,email",
  ]

  private static let list = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
      <key>issuer</key><string>https://file.example</string>
      <key>clientId</key><string>file</string>
      <key>redirectUri</key><string>file:/callback</string>
      <key>scopes</key><array><string>openid</string><string>phone</string></array>
      <key>logoutRedirectUri</key><string>not for us</string>
    </dict></plist>
    """

  @Test(
    "Each option overrides the environment, which overrides the file; without scopes, they are openid and profile"
  )
  func precedence() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("Okta.plist", Self.list)

    func values(_ words: [String], _ environment: [String: String] = [:]) throws -> [String] {
      let found = try settings(["--config", file] + words, environment)
      return [found.issuer.absoluteString, found.clientID, found.redirectURI ?? ""] + found.scopes
    }
    try expectEqual(
      values([]), ["https://file.example", "file", "file:/callback", "openid", "phone"])
    try expectEqual(
      values([], Self.everything),
      ["https://environment.example", "environment", "environment:/callback", "openid", "email"])
    try expectEqual(
      values(
        ["--client-id", "option", "--scope", "openid profile"],
        ["OKTA_IDX_REDIRECTURI": "environment:/callback", "OKTA_IDX_SCOPES": ""]),
      ["https://file.example", "option", "environment:/callback", "openid", "profile"])
    let oneText = try folder.file(
      "OneText.plist",
      Self.list.replacing(
        "<array><string>openid</string><string>phone</string></array>",
        with: "<string>openid phone</string>"))
    try expectEqual(settings(["--config", oneText]).scopes, ["openid", "phone"])
    var environment = Self.everything
    environment["OKTA_IDX_SCOPES"] = nil
    try expectEqual(settings([], environment).scopes, ["openid", "profile"])
  }

  @Test(
    "A missing setting is named with its option, variable and key, and so is a file that is missing or not a property list"
  )
  func missing() throws {
    for variable in ["OKTA_IDX_ISSUER", "OKTA_IDX_CLIENTID", "OKTA_IDX_REDIRECTURI"] {
      let environment = Self.everything.merging([variable: ""]) { $1 }
      let failure = #expect(throws: CommandFailure.self) { try settings([], environment) }
      expectEqual(failure?.exitCode, .usage, "\(variable)")
      expectEqual(failure?.message.contains(variable), true)
      expectEqual(failure?.remedy?.contains("--demo"), true)
    }
    for content in [nil, "{", "<plist>"] as [String?] {
      let folder = try TemporaryFolder()
      let path = try content.map { try folder.file("bad.plist", $0) } ?? folder.path("none.plist")
      let failure = #expect(throws: CommandFailure.self) { try settings(["--config", path]) }
      expectEqual(failure?.exitCode, .usage)
      expectEqual(failure?.message.contains(path), true)
    }
  }
}
