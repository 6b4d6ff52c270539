import Expectations
import Foundation
import IDXBase
import TerminalSupport
import Testing

@testable import idx_flow

/// What a shared file of profiles, which somebody else wrote, can do.
@Suite("Profile import", .tags(.startsPrograms), .fewPrograms)
struct ProfileImportTests {
  private let home: TemporaryFolder

  init() throws { home = try TemporaryFolder() }

  private var environment: [String: String] {
    ["XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data")]
  }

  private static func text(of profiles: JSONValue) -> String {
    let file: JSONValue = ["profiles": profiles]
    return file.text
  }

  /// Saves the person's own profiles.
  private func own(_ profiles: JSONValue) throws {
    try FileManager.default.createDirectory(
      atPath: home.path("config/idx-flow"), withIntermediateDirectories: true)
    _ = try home.file(
      "config/idx-flow/profiles.json", Self.text(of: profiles))
  }

  private func saved() throws -> JSONValue? {
    try JSONValue(parsing: Array(home.text(of: "config/idx-flow/profiles.json").utf8))["profiles"]
  }

  /// Imports a file; without `--force` nobody can be asked, and the questions are in the errors.
  private func run(_ profiles: JSONValue, _ more: String...) throws -> Program.End {
    try run(Self.text(of: profiles), more)
  }

  private func run(_ text: String, _ more: [String]) throws -> Program.End {
    let file = try home.file("team.json", text)
    return try Program.run(["profile", "import", file] + more, environment: environment)
  }

  @Test(
    "A host is shown as it is reached, whatever its letters look like", .promise("ascii-host"),
    arguments: [
      ("https://dev-1.okta.example\u{2044}.evil.example", "xn--example-7d7c.evil.example"),
      ("https://d\u{435}v-1.okta.example", "xn--dv-1-v4d.okta.example"),
    ])
  func lookAlikes(issuer: String, host: String) throws {
    let asked = try run(["work": ["issuer": .string(issuer), "clientId": "a"]])
    expectContains(asked.errors, host)
    expect(asked.errors.utf8.allSatisfy { $0 < 0x80 }, "\(asked.errors)")
    _ = try run(["work": ["issuer": .string(issuer), "clientId": "a"]], "--force")
    try expectContains(Program.run(["profile"], environment: environment).output, host)
    // A file that was edited by hand shows it too, and so does a sign-in.
    try own(["default": ["issuer": .string(issuer), "clientId": "a", "redirectUri": "a:/b"]])
    for command in [["profile"], ["profile", "show"], ["profile", "show", "--json"]] {
      let end = try Program.run(command, environment: environment)
      expect(end.output.contains(host) && end.output.utf8.allSatisfy { $0 < 0x80 }, "\(end.output)")
    }
  }

  @Test(
    "What changes an org is asked last, by itself, however many profiles are new",
    .promise("shared-profiles"))
  func order() throws {
    try own([
      "work": ["issuer": "https://a.example", "clientId": "a"],
      "other": ["issuer": "https://o.example", "clientId": "o", "scopes": "openid profile"],
      "third": ["issuer": "https://o.example", "clientId": "o"],
    ])
    var file = JSONValue.Object()
    file["work"] = ["issuer": "https://b.example", "clientId": "a"]
    file["third"] = ["issuer": "https://o.example", "clientId": "p"]
    file["other"] = ["issuer": "https://o.example", "clientId": "o", "scopes": "openid"]
    for number in 0..<80 {
      file["n\(number)"] = ["issuer": .string("https://\(number).example"), "clientId": "n"]
    }
    file["default"] = ["issuer": "https://d.example", "clientId": "d"]
    let asked = try run(.object(file))
    let lines = asked.errors.split(separator: "\n").map(String.init)
    expectEqual(
      Array(lines.suffix(10)),
      [
        "  n79  https://79.example  n", "  The profile “other”:",
        "    scopes: “openid profile” becomes “openid”", "The file changes the profile “third”:",
        "    clientId: “o” becomes “p”", "The file changes the profile “work”:",
        "The profile “work” is for https://a.example.",
        "From now on, its sign-ins send passwords to https://b.example.",
        "Nothing was changed.", "What to do: Nobody can be asked here. To agree, add --force.",
      ])
    expectEqual(lines[1], "  default  https://d.example  d")
    // What is saved was shown, in groups of which each fits in a window.
    for number in 0..<80 {
      expectContains(asked.errors, "  n\(number)  https://\(number).example  n\n")
    }
    let title = "These profiles are new. Their sign-ins go to these servers:"
    expectEqual(lines.count { $0.hasSuffix(title) }, 6)
    expect(lines.split(separator: title).dropFirst().dropLast().allSatisfy { $0.count <= 16 })
    try expectEqual(saved()?["work"]?["issuer"], "https://a.example")
  }

  @Test(
    "All settings of a new profile are shown, and one that asks for more is asked about by itself",
    .promise("shared-profiles"),
    arguments: [
      ("flow", "device", false), ("redirectUri", "https://elsewhere.example/cb", false),
      ("scopes", "openid  openid profile", false), ("dpop", "never", true),
      ("scopes", "openid okta.users.manage", true),
    ])
  func newProfiles(setting: String, value: String, isSerious: Bool) throws {
    let profile: JSONValue = [
      "issuer": "https://a.example", "clientId": "a", .init(setting): .string(value),
    ]
    let asked = try run(["work": profile])
    let shown = value == "openid  openid profile" ? "openid profile" : value
    expectContains(asked.errors, "  work  https://a.example  a\n    \(setting): “\(shown)”")
    expectEqual(asked.errors.contains("This profile is new, and asks for more"), isSerious)
  }

  @Test(
    "A change that can harm is saved only with an answer about it alone",
    .promise("shared-profiles"))
  func answers() async throws {
    try own([
      "first": ["issuer": "https://a.example", "clientId": "a"],
      "second": ["issuer": "https://a.example", "clientId": "a"],
    ])
    let file = try home.file(
      "team.json",
      """
      {"profiles": {"first": {"issuer": "https://b.example", "clientId": "a"},
        "second": {"issuer": "https://c.example", "clientId": "a"},
        "third": {"issuer": "https://t.example", "clientId": "t"}}}
      """)
    let terminal = try WatchedTerminal()
    let program = try Program(
      ["profile", "import", file], environment: environment, input: terminal.path)
    _ = try await terminal.see("Save them? [y/N]:")
    try terminal.type("y\n")
    _ = try await terminal.see("send passwords to https://b.example.\nChange it? [y/N]:")
    try terminal.type("n\n")
    _ = try await terminal.see("send passwords to https://c.example.\nChange it? [y/N]:")
    try terminal.type("y\n")
    expectEqual(program.end().status, 0)
    try expectEqual(
      ["first", "second", "third"].map { try saved()?[$0]?["issuer"] },
      ["https://a.example", "https://c.example", "https://t.example"])
  }

  @Test(
    "A setting that the file does not have stays, and one that protects less is named",
    .promise("shared-profiles"))
  func kept() throws {
    let work: JSONValue = [
      "issuer": "https://a.example", "clientId": "a", "redirectUri": "a:/b", "scopes": "openid",
      "flow": "browser", "dpop": "always", "fastPass": "never", "rememberMe": "never",
    ]
    try own(["work": work])
    let same = try run(["work": ["issuer": "https://a.example", "clientId": "a"]], "--force")
    expectEqual(same.output, "Nothing is new.\n")
    try expectEqual(saved()?["work"], work)
    let asked = try run([
      "work": [
        "issuer": "https://a.example", "clientId": "a", "redirectUri": "a:/c", "flow": "idx",
        "scopes": "openid offline_access", "dpop": "when-required", "fastPass": "always",
      ]
    ])
    for line in [
      "The file changes the profile “work”:", "redirectUri: “a:/b” becomes “a:/c”",
      "scopes: “openid” becomes “openid offline_access”", "flow: “browser” becomes “idx”",
      "dpop: “always” becomes “when-required”",
    ] {
      expectContains(asked.errors, line)
    }
    expect(!asked.errors.contains("fastPass"))
    // With another org, decisions for the old one go, and bound tokens stay bound.
    _ = try run(["work": ["issuer": "https://b.example", "clientId": "b"]], "--force")
    try expectEqual(
      saved()?["work"], ["issuer": "https://b.example", "clientId": "b", "dpop": "always"])
  }

  @Test(
    "A change that cannot harm needs no question of its own", .promise("shared-profiles"),
    arguments: [
      ("dpop", "always", false), ("dpop", "never", true), ("scopes", "openid", false),
      ("scopes", "openid email", true), ("scopes", "openid offline_access", false),
      ("flow", "device", false), ("redirectUri", "x:/y", true),
    ])
  func harm(setting: String, value: String, isSerious: Bool) throws {
    try own(["work": ["issuer": "https://a.example", "clientId": "a"]])
    let asked = try run([
      "work": ["issuer": "https://a.example", "clientId": "a", .init(setting): .string(value)]
    ])
    expectEqual(asked.errors.contains("The file changes the profile “work”:"), isSerious)
    expectContains(asked.errors, "\(setting): the default becomes “\(value)”")
  }

  @Test(
    "What could look like something else is refused", .promise("shared-profiles"),
    arguments: [
      ("work", ["clientId": "a (new)  https://good.example"], "clientId must have no spaces"),
      ("work", ["clientId": "a\u{202E}b"], "no client ID can have"),
      ("work", ["clientId": "\u{430}"], "no client ID can have"),
      ("work", ["clientId": "a", "scopes": "openid \"x\""], "no scope can have"),
      ("work", ["clientId": "a", "redirectUri": "a:/\u{451}"], "must be percent-encoded"),
      (
        "work", ["clientId": "a", "issuer": "https://good.example%2F.evil.example"], "is not a URL"
      ),
      ("work", ["clientId": "a", "issuer": "https://good.example%2eevil.example"], "is not a URL"),
      (
        "work", ["clientId": "a", "userAgent": "Shop\r\nCookie: b"],
        "userAgent must have only visible ASCII characters"
      ),
      ("w\u{43E}rk", ["clientId": "a"], "cannot be the name of a shared profile"),
      ("wo\u{7}rk", ["clientId": "a"], "cannot be the name"),
    ] as [(String, JSONValue, String)])
  func disguises(name: String, settings: JSONValue, message: String) throws {
    var profile = settings.object ?? JSONValue.Object()
    if profile["issuer"] == nil { profile["issuer"] = "https://a.example" }
    let end = try run(.object(.init([.init(name, .object(profile))])), "--force")
    end.expect(status: 2, end.errors.contains(message))
    expectEqual(FileManager.default.fileExists(atPath: home.path("config")), false)
  }

  @Test(
    "A file with too many profiles or bytes, a profile twice, or a value of which a question could not show the end is refused",
    .promise("shared-profiles"))
  func limits() throws {
    let profile = #"{"issuer": "https://a.example", "clientId": "a"}"#
    func imported(_ profiles: some Sequence<String>) throws -> Program.End {
      let members = profiles.map { "\"\($0)\": \(profile)" }.joined(separator: ",")
      return try run("{\"profiles\": {\(members)}}", ["--force"])
    }
    try expectContains(
      imported((0..<201).map { "n\($0)" }).errors, "has 201 profiles, and at most 200 are imported")
    try expectEqual(imported((0..<200).map { "n\($0)" }).status, 0)
    try expectEqual(imported(["work", "work"]).status, 2)
    try expectEqual(imported((0..<100_000).map { "n\($0)" }).status, 2)
    for setting in ["scopes", "redirectUri", "clientId"] {
      var long: JSONValue.Object = .init([
        .init("issuer", "https://a.example"), .init("clientId", "a"),
      ])
      let words = (0..<100).map { "scope.\($0)" }.joined(separator: setting == "scopes" ? " " : "-")
      long[setting] = .string(setting == "redirectUri" ? "a:/" + words : words)
      let end = try run(["work": .object(long)], "--force")
      end.expect(status: 2)
      expectContains(end.errors, "“\(setting)” of the profile “work” has more than 800 characters.")
    }
  }

  @Test("An error never repeats the query of an address", .promise("error-content"))
  func query() throws {
    let server = try FixedServer([
      "/gone": FixedServer.response("404 Not Found", ""),
      "/empty": FixedServer.response("200 OK", "{}"),
      "/bad": FixedServer.response("200 OK", #"{"profiles": {"a": 1}}"#),
    ])
    let origin = server.address
    for address in [
      "\(origin)/gone", "\(origin)/empty", "\(origin)/bad", "http://127.0.0.1:1/x",
      "http://intranet.example.com/x", "https://ho st/x", "ftp://a.example/x",
      "https://user:secret@a.example/x",
    ] {
      let end = try Program.run(
        ["profile", "import", address + "?token=secret#secret", "--force"],
        environment: environment.merging(["IDX_FLOW_RETRY_TIME": "0"]) { $1 })
      expect(end.status != 0 && !end.errors.contains("secret"), "\(end.errors)")
    }
  }
}
