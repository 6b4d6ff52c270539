import Expectations
import Foundation
import IDXBase
import Testing

@testable import idx_flow

@Suite("Profiles", .tags(.startsPrograms), .fewPrograms)
struct ProfileTests {
  private let home: TemporaryFolder

  init() throws { home = try TemporaryFolder() }

  private var environment: [String: String] {
    ["XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data")]
  }

  private var path: String { home.path("config/idx-flow/profiles.json") }

  private func write(_ text: String) throws {
    try FileManager.default.createDirectory(
      atPath: home.path("config/idx-flow"), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
  }

  private func run(_ words: String...) throws -> Program.End { try run(words) }

  private func run(_ words: [String]) throws -> Program.End {
    try Program.run(words, environment: environment)
  }

  private func content() throws -> JSONValue {
    try JSONValue(parsing: Data(contentsOf: URL(fileURLWithPath: path)))
  }

  private static let two = """
    {
      "comment": "mine",
      "profiles": {
        "default": {"issuer": "https://a.example", "clientId": "a", "redirectUri": "a:/b", "color": 1},
        "work": {"issuer": "https://b.example/oauth2/default", "client_id": "b", "scopes": ["openid"]}
      }
    }
    """

  @Test("A profile is created and changed; an empty value removes a setting")
  func set() throws {
    let created = try run(
      "profile", "set", "work", "--issuer", "b.example", "--client-id", "b", "--redirect-uri",
      "b:/b")
    created.expect(status: 0, created.output.hasPrefix("Created the profile “work”."))
    expectContains(created.errors, "idx-flow signin --profile work")
    let changed = try run(
      "profile", "set", "work", "--scope", "openid offline_access", "--redirect-uri=", "--flow",
      "device")
    changed.expect(status: 0)
    let show = try run("profile", "show", "work")
    expectEqual(
      show.output,
      "issuer    b.example\nclientId  b\nscopes    openid offline_access\nflow      device\n")
    let chosen = try Program.run(
      ["profile", "show"], environment: environment.merging(["IDX_FLOW_PROFILE": "work"]) { $1 })
    expectEqual(chosen.output, show.output)
  }

  @Test(
    "A change that no sign-in could use is refused, and nothing is changed",
    arguments: [
      (["wrk", "--scope", "openid"], "Did you mean work?"),
      (["new", "--issuer", "https://n.example"], "To create it, add --issuer URL and --client-id"),
      (["a b", "--issuer", "https://n.example", "--client-id", "n"], "cannot be the name"),
      (["work", "--issuer", "http://b.example"], "cannot be saved: "),
      (["work", "--issuer", "work"], "“work” is not a URL such as"),
      (["work", "--client-id="], "needs an issuer and a client ID"), (["work"], "needs a setting"),
    ])
  func refusedChange(words: [String], message: String) throws {
    try write(Self.two)
    let end = try run(["profile", "set"] + words)
    end.expect(status: 2, end.errors.contains(message))
    try expectEqual(String(contentsOfFile: path, encoding: .utf8), Self.two)
  }

  @Test(
    "The org of a profile changes only with agreement, and decisions for the old one go",
    .promise("profile-org"))
  func otherOrg() throws {
    try write(
      #"{"profiles": {"default": {"issuer": "https://a.example", "clientId": "a", "fastPass": "always"}}}"#
    )
    let change = ["profile", "set", "default", "--issuer", "https://n.example"]
    let asked = try run(change)
    asked.expect(status: 3, asked.errors.contains("passwords to https://n.example"))
    expectContains(asked.errors, "The profile “default” is for https://a.example.\n")
    expectContains(asked.errors, "add --force")
    try run(change + ["--force"]).expect(status: 0)
    try expectEqual(
      content()["profiles"]?["default"], ["issuer": "https://n.example", "clientId": "a"])
  }

  @Test("What a sign-in saves is for its org alone, and no decision of the person is replaced")
  func meanwhile() async throws {
    try write(#"{"profiles": {"default": {"issuer": "https://a.example", "clientId": "a"}}}"#)
    let file = try ProfileFile(environment)
    func save(_ setting: Setting, _ text: String, _ org: String = "https://a.example") async throws
      -> Bool
    { try await file.set(setting, to: text, inProfileNamed: "default", of: org) }
    try await expectEqual(save(.fastPass, "always", "https://b.example"), false)
    try await expectEqual(save(.username, "ada", "https://b.example"), false)
    try await expectEqual(save(.fastPass, "never"), true)
    try await expectEqual(save(.fastPass, "always"), false)
    try await expectEqual(save(.username, "ada"), true)
    try await expectEqual(save(.username, "bob"), true)
    let saved = try file.existingProfile(named: "default")
    expect(saved[.fastPass] == "never" && saved[.username] == "bob")
  }

  @Test(
    "A team shares what is exported, without the decisions of a person", .promise("shared-profiles")
  )
  func shared() throws {
    try write(
      """
      {"profiles": {"work": {"issuer": "https://b.example", "clientId": "b", "scopes": "openid",
        "fastPass": "always", "rememberMe": "always", "username": "ada@example.com"}}}
      """)
    try expectEqual(
      run("profile", "export").json,
      ["profiles": ["work": ["issuer": "https://b.example", "clientId": "b", "scopes": "openid"]]])
    // A file with decisions is one that somebody else wrote.
    let file = try home.file(
      "team.json",
      """
      {"profiles": {"work": {"issuer": "https://b.example", "clientId": "c", "fastPass": "never"},
        "test": {"issuer": "https://t.example", "clientId": "t", "fastPass": "always"}}}
      """)
    let asked = try run("profile", "import", file)
    asked.expect(status: 3, asked.errors.contains("\n  test  https://t.example  t\n"))
    let saved = try run("profile", "import", file, "--force")
    saved.expect(status: 0)
    expectEqual(
      saved.output, "Saved:\n  test  https://t.example  t\n  work  https://b.example  c\n")
    let left = try content()["profiles"]
    expectEqual(left?["test"], ["issuer": "https://t.example", "clientId": "t"])
    expectEqual(left?["work"]?["clientId"], "c")
    expect(left?["work"]?["fastPass"] == "always" && left?["work"]?["scopes"] == "openid")
    try expectEqual(run("profile", "import", file).output, "Nothing is new.\n")
  }

  @Test("Profiles come from an address too, and only as the address itself answers")
  func address() throws {
    let team = #"{"profiles": {"work": {"issuer": "https://b.example", "clientId": "b"}}}"#
    let server = try FixedServer([
      "/team.json": FixedServer.response("200 OK", team),
      "/old": FixedServer.response("302 Found", "", "Location: /team.json"),
    ])
    let moved = try run("profile", "import", server.address + "/old", "--force")
    moved.expect(status: 6, moved.errors.contains("The page has moved"))
    let saved = try run("profile", "import", server.address + "/team.json", "--force")
    saved.expect(status: 0)
    try expectEqual(run("profile").output, "* work  https://b.example  b\n")
    expectContains(saved.errors, "Sign in: idx-flow signin --profile work\n")
    let plain = try run("profile", "import", "http://intranet.example.com/x", "--force")
    plain.expect(status: 2)
  }

  @Test(
    "Profiles are listed, shown and removed, and unknown members of the file stay; an empty list says how to create one"
  )
  func commands() throws {
    let none = try run("profile")
    none.expect(status: 0, none.output.isEmpty)
    expectContains(none.errors, "To create one: idx-flow signin")
    try expectEqual(run("profile", "--json").output, "[]\n")
    try write(Self.two)
    try expectEqual(
      run("profile").output,
      "* default  https://a.example  a\n  work     https://b.example/oauth2/default  b\n")
    try expectEqual(
      run("profile", "show", "work").output,
      "issuer    https://b.example/oauth2/default\nclientId  b\nscopes    openid\n")
    try expectEqual(run("profile", "show", "default", "--json").json["name"], "default")
    let removed = try run("profile", "remove", "work")
    expect(removed.output == "Removed the profile “work”.\n" && removed.status == 0)
    let left = try content()
    expectEqual(left["comment"], "mine")
    expectEqual(left["profiles"]?["default"]?["color"], 1)
    expectEqual(left["profiles"]?["work"], nil)
    try run("profile", "remove", "work").expect(status: 2)
  }

  @Test("A wrong action or name is explained, with a suggestion")
  func usage() throws {
    try write(Self.two)
    let name = try run("profile", "show", "wrk")
    expect(name.errors.contains("Did you mean work?") && name.status == 2)
    for (words, message) in [
      (["sho"], "profile has no action “sho”. Did you mean show?"),
      (["remove"], "profile remove needs the NAME of a profile."),
      (["show", "work", "--scope", "openid"], "Only profile set takes --scope."),
    ] {
      try expectContains(run(["profile"] + words).errors, message)
    }
  }

  @Test("An address that several profiles have needs the name of one")
  func ambiguous() throws {
    try write(
      """
      {"profiles": {"a": {"issuer": "https://acme.example/oauth2/x", "clientId": "1"},
        "b": {"issuer": "https://acme.example", "clientId": "2"},
        "c": {"issuer": "https://acme.example", "clientId": "3"}}}
      """)
    let end = try run("signin", "acme.example", "--no-input")
    end.expect(status: 2)
    expectContains(
      end.errors, "Choose one:\n  idx-flow signin --profile b\n  idx-flow signin --profile c\n")
    for words in [["--demo"], ["--profile", "a"], ["--issuer", "https://acme.example"]] {
      let end = try run(["signin", "a"] + words)
      end.expect(status: 2)
      expectContains(end.errors, "\(words[0]) and “a” cannot be used together.")
    }
  }

  @Test(
    "A mistake in the file of --config is named with its position",
    arguments: [
      (#"{"issuer": "https://a.example" "clientId": "x"}"#, "Line 1, column 32: It is not JSON"),
      ("{\n  \"isuer\": \"x\"}", "config.json, line 2, column 3: “isuer” is no setting."),
      (
        "<plist><dict>\n<key>isuer</key><string>x</string></dict></plist>",
        "config.json, line 2, column 1: “isuer” is no setting. Did you mean issuer?"
      ),
    ])
  func damagedConfiguration(text: String, message: String) throws {
    let end = try run("signin", "--no-input", "--config", home.file("config.json", text))
    end.expect(status: 2)
    expectContains(end.errors, message)
  }

  @Test(
    "A damaged file is explained and never changed", .promise("profile-file"),
    arguments: [
      ("{", "cannot be used and was not changed."), ("[]", "It must be a JSON object."),
      ("{\n  ä}", "Line 2, column 3: It is not JSON"),
      (
        "{\"profiles\": {\"other\": {\"issuer\": \"https://a.example\"},\n\"default\": {\"isuer\": \"x\"}}}",
        "line 2, column 13: “isuer” of the profile “default” is no setting. Did you mean issuer?"
      ),
      (#"{"profiles": 1}"#, "“profiles” must be an object."),
      (#"{"profiles": {"default": 1}}"#, "the profile “default” is not an object"),
      (
        #"{"profiles": {"default": {"issuer": 1}}}"#,
        "“issuer” of the profile “default” is not a text"
      ),
      (
        #"{"profiles": {"default": {"client_secret": "geheim"}}}"#,
        "the profile “default” contains a client secret"
      ),
    ])
  func damaged(text: String, message: String) throws {
    try write(text)
    let end = try run("signin", "--no-input")
    end.expect(status: 2)
    expect(end.errors.contains(message) && !end.errors.contains("geheim"))
    try expectEqual(String(contentsOfFile: path, encoding: .utf8), text)
  }

  @Test(
    "A file that others can change, a pipe, a folder, and links that lead to each other are refused at once",
    .promise("profile-file"))
  func special() throws {
    try write(Self.two)
    try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
    let changeable = try run("profile")
    changeable.expect(status: 2, changeable.errors.contains("can be changed by other users"))
    for isPipe in [true, false] {
      try FileManager.default.removeItem(atPath: path)
      expectEqual(isPipe ? mkfifo(path, 0o600) : mkdir(path, 0o700), 0)
      for words in [["profile"], ["profile", "remove", "x"], ["signin", "--no-input"]] {
        let end = try run(words)
        end.expect(status: 2)
        expectEqual(
          end.errors,
          """
          idx-flow: The profile file \(path) is a pipe, a device or a folder.
          What to do: Move it away.

          """)
      }
    }
    let folder = home.path("config/idx-flow")
    try FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createSymbolicLink(atPath: folder, withDestinationPath: "idx-flow")
    for words in [["profile"], ["profile", "--json"], ["signin", "--no-input"]] {
      let end = try run(words)
      end.expect(status: 2)
      expectContains(end.errors, "\(path) cannot be read. Too many links lead to it.\nWhat to do: ")
    }
  }

  @Test(
    "A file in a folder that cannot be read is an error",
    .enabled(if: geteuid() != 0, "root can read everything"))
  func unreadable() throws {
    try write(Self.two)
    let folder = home.path("config/idx-flow")
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: folder)
    let end = try run("profile")
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder)
    expect(
      end.status == 2 && end.errors.contains("cannot be read. Permission denied.\nWhat to do: "))
  }

  private func mode(_ name: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: home.path(name))[.posixPermissions] as? Int
  }

  private func drafts() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: home.path("config/idx-flow"))
      .filter { $0 != "profiles.json" }
  }

  @Test(
    "Only the owner can access the file and new folders", .promise("file-modes"),
    arguments: ["000", "022", "777"])
  func modes(mask: String) throws {
    let program = Program.products.appending(path: "idx-flow").path
    let end = try Program.run(
      ["-c", "umask \(mask); exec '\(program)' profile remove work"], of: "/bin/sh",
      environment: environment)
    end.expect(status: 2)
    try expectEqual(mode("config"), 0o700)
    try expectEqual(mode("config/idx-flow"), 0o700)
    try expectEqual(mode("config/idx-flow/profiles.json"), 0o600)
    try expectEqual(drafts(), [])
  }

  @Test(
    "A draft is for the owner only, and becomes the file, also while another process changes the file",
    .promise("file-modes"))
  func draft() throws {
    let file = try URL(filePath: home.file("profiles.json", "old", mode: 0o644))
    try FileReplacement.replace(file, with: Array("new".utf8)) { draft in
      let name = URL(filePath: draft).lastPathComponent
      try expectEqual(mode(name), 0o600)
      expectEqual(home.text(of: name), "new")
      expectEqual(home.text(of: "profiles.json"), "old")
    }
    try expectEqual(mode("profiles.json"), 0o600)
    expectEqual(home.text(of: "profiles.json"), "new")
    try FileReplacement.replace(file, with: Array("first".utf8)) { _ in
      try FileReplacement.replace(file, with: Array("second".utf8))
      expectEqual(home.text(of: "profiles.json"), "second")
    }
    expectEqual(home.text(of: "profiles.json"), "first")
  }

  @Test(
    "A draft that a crash left behind is removed with the next change, also if that changes nothing; other files stay",
    .promise("crash-draft"))
  func oldDraft() throws {
    for removed in ["nothing", "work"] {
      try write(Self.two)
      _ = try home.file("config/idx-flow/profiles-\(UUID()).tmp", "x")
      try expectEqual(run("profile", "remove", removed).status, removed == "work" ? 0 : 2)
      try expectEqual(drafts(), [])
    }
    try write(Self.two)
    let locked = "profiles-\(UUID()).tmp"
    let names = [locked, "profiles-mine.tmp", "notes-\(UUID()).tmp"]
    for name in names { _ = try home.file("config/idx-flow/\(name)", "x") }
    let descriptor = open(home.path("config/idx-flow/\(locked)"), O_RDONLY | O_CLOEXEC)
    defer { close(descriptor) }
    expectEqual(flock(descriptor, LOCK_EX), 0)
    try run("profile", "remove", "work").expect(status: 0)
    try expectEqual(Set(drafts()), Set(names))
  }

  @Test("If the file is a link, the linked file is changed and the link stays")
  func link() throws {
    try write("{}")
    let elsewhere = try home.file("dotfiles.json", Self.two)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
    let end = try run("profile", "remove", "work")
    end.expect(status: 0)
    try expectEqual(FileManager.default.destinationOfSymbolicLink(atPath: path), elsewhere)
    expect(!(try String(contentsOfFile: elsewhere, encoding: .utf8).contains("work")))
  }

  @Test("Profiles that programs add at the same time are all kept")
  func together() async throws {
    let file = try ProfileFile(environment)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<20 {
        group.addTask {
          try await file.add(Profile(name: "p\(number)", values: [.issuer: "https://a.example"]))
        }
      }
      for try await isNew in group { expect(isNew) }
    }
    expectEqual(Set(try file.names()), Set((0..<20).map { "p\($0)" }))
    try await expectEqual(file.add(Profile(name: "p1", values: [:])), false)
    try expectEqual(file.profile(named: "p1")?[.issuer], "https://a.example")
  }

  @Test("Only a name that is easy to type in a shell is accepted for a new profile")
  func names() throws {
    for name in ["work", "dev-1234.okta.com", "ada@example", "Büro_2"] {
      try Profile.check(name: name)
    }
    for name in ["", "-x", "a b", "a/b", "a\u{1B}[2J", "$(x)", String(repeating: "a", count: 65)] {
      #expect(throws: CommandFailure.self) { try Profile.check(name: name) }
    }
  }
}

/// Where settings come from.
struct SettingSourceTests {
  private let home: TemporaryFolder
  private let environment: [String: String]

  init() throws {
    home = try TemporaryFolder()
    environment = ["XDG_CONFIG_HOME": home.path("config"), "XDG_DATA_HOME": home.path("data")]
    try FileManager.default.createDirectory(
      atPath: home.path("config/idx-flow"), withIntermediateDirectories: true)
    _ = try home.file(
      "config/idx-flow/profiles.json",
      """
      {"profiles": {
        "default": {"issuer": "https://default.example", "clientId": "d", "redirectUri": "d:/d"},
        "work": {"issuer": "https://work.example", "clientId": "w", "redirectUri": "w:/w",
                 "scopes": "openid email", "flow": "direct"}}}
      """)
  }

  private func settings(
    _ words: [String], _ more: [String: String] = [:]
  ) throws -> SignInSettings {
    try SignInSettings(
      CommandLineOptions(words, accepting: SignInCommand.allOptions, of: "signin"),
      environment.merging(more) { $1 })
  }

  @Test("Options override the environment, then a profile, then the file")
  func precedence() throws {
    let file = try home.file(
      "settings.json", #"{"issuer": "https://file.example", "scopes": ["openid", "phone"]}"#)
    let chosen = try settings(
      ["--profile", "work", "--config", file, "--redirect-uri", "o:/o"],
      ["OKTA_IDX_CLIENTID": "e"])
    let configuration = try chosen.configuration()
    expectEqual(configuration.issuer.absoluteString, "https://work.example")
    expect(configuration.clientID == "e" && configuration.redirectURI == "o:/o")
    expectEqual(configuration.scopes, ["openid", "email"])
    expectEqual(chosen[.flow]?.text, "direct")
    expectEqual(chosen.variablesBeforeProfile, ["OKTA_IDX_CLIENTID"])
    let same = ["OKTA_IDX_ISSUER": "work.example/", "OKTA_IDX_SCOPES": "openid"]
    try expectEqual(settings(["--profile", "work"], same).variablesBeforeProfile, [])
    try expectEqual(settings([], ["OKTA_IDX_CLIENTID": "e"]).variablesBeforeProfile, [])
    try expectEqual(settings([], ["IDX_FLOW_PROFILE": "work"])[.clientID]?.text, "w")
  }

  @Test(
    "A chosen profile is not mixed with another org, from an option or a variable",
    .promise("profile-org"))
  func anotherOrg() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try settings(["--profile", "work", "--issuer", "https://other.example"])
    }
    expectEqual(failure?.exitCode, .usage)
    expectEqual(failure?.message.contains("another org was named."), true)
    let chosen = try settings(
      ["--profile", "work"], ["OKTA_IDX_ISSUER": "https://other.example"])
    expect(chosen[.clientID] == nil && chosen[.scopes] == nil && chosen[.flow] == nil)
    try expectEqual(
      settings(["--profile", "work", "--issuer", "work.example"])[.clientID]?.text, "w")
  }

  @Test("The default profile is used unless a file, another org or another app is named")
  func defaultProfile() throws {
    try expectEqual(settings([]).configuration().clientID, "d")
    try expectEqual(settings([]).issuerSource?.description, "the profile default")
    let file = try home.file("settings.json", #"{"issuer": "https://file.example"}"#)
    try expectEqual(settings(["--config", file]).missing(), [.clientID, .redirectURI])
    try expectEqual(settings(["--client-id", "other"]).missing(), [.issuer, .redirectURI])
    for same in ["https://default.example", "https://default.example/", "default.example"] {
      try expectEqual(settings(["--issuer", same]).configuration().clientID, "d")
    }
  }

  @Test("All missing settings are reported at once, with a chosen profile that does not exist")
  func missing() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try settings(["--profile", "wrok", "--client-id", "c"]).configuration()
    }
    expectEqual(failure?.exitCode, .usage)
    expectEqual(
      failure?.message,
      "There is no profile “wrok”. Did you mean work? Settings are missing: --issuer "
        + "(OKTA_IDX_ISSUER), --redirect-uri (OKTA_IDX_REDIRECTURI).")
  }

  @Test("No file agrees to something in place of the person")
  func agreements() throws {
    let file = try home.file(
      "agreeing.json",
      #"{"issuer": "https://f.example", "clientId": "f", "fastPass": "always", "rememberMe": "always"}"#
    )
    let direct = try settings(["--config", file])
    expect(direct[.clientID]?.text == "f" && direct[.fastPass] == nil && direct[.rememberMe] == nil)
    let other = try settings(["--config", file, "--issuer", "https://o.example"])
    expectEqual(other[.fastPass], nil)
    try expectEqual(
      settings(["--profile", "new", "--config", file]).newProfile(hasPerson: true)?[.fastPass], nil)
    _ = try home.file(
      "config/idx-flow/profiles.json", #"{"profiles": {"default": {"fastPass": "always"}}}"#)
    let mixed = try settings(["--profile", "default", "--config", file])
    expect(mixed[.issuer]?.text == "https://f.example" && mixed[.fastPass] == nil)
  }

  @Test(
    "Only settings that a person typed become a profile, unless it was chosen by name or has a name that is taken"
  )
  func newProfile() throws {
    let other = try settings(["--issuer", "https://o.example", "--client-id", "o"])
    expect(other[.redirectURI] == nil && !other.remembersAnswers)
    expectEqual(other.newProfile(hasPerson: true), nil)
    let all = ["--issuer", "https://o.example", "--client-id", "o", "--redirect-uri", "o:/o"]
    try FileManager.default.removeItem(atPath: home.path("config/idx-flow/profiles.json"))
    try expectEqual(settings(all).newProfile(hasPerson: true)?.name, "default")
    try expectEqual(settings(all).newProfile(hasPerson: true)?[.redirectURI], "o:/o")
    try expectEqual(settings(all).newProfile(hasPerson: false), nil)
    let variables = [
      "OKTA_IDX_ISSUER": "https://e.example", "OKTA_IDX_CLIENTID": "e",
      "OKTA_IDX_REDIRECTURI": "e:/e",
    ]
    try expectEqual(settings([], variables).newProfile(hasPerson: true), nil)
    let scopes = ["OKTA_IDX_SCOPES": "openid admin"]
    let typed = try require(settings(all, scopes).newProfile(hasPerson: true))
    expect(typed[.issuer] == "https://o.example" && typed[.scopes] == nil)
    try expectEqual(
      settings(["--profile", "new"], variables).newProfile(hasPerson: false)?[.clientID], "e")
  }

  @Test(
    "An org is recognized in what people type and copy",
    arguments: [
      ("dev-1234.okta.com", "https://dev-1234.okta.com"),
      (" https://dev-1234.okta.com/ ", "https://dev-1234.okta.com"),
      ("dev-1234-admin.okta.com/admin/dashboard", "https://dev-1234.okta.com"),
      ("https://dev-1234.okta.com/app/UserHome?x=1#y", "https://dev-1234.okta.com"),
      ("dev-1234.okta.com/oauth2/default", "https://dev-1234.okta.com/oauth2/default"),
      (
        "https://a.example/oauth2/aus1/.well-known/openid-configuration",
        "https://a.example/oauth2/aus1"
      ),
      ("https://a.example/oauth2/aus1/v1/authorize", "https://a.example/oauth2/aus1"),
      ("http://127.0.0.1:8080/oauth2/default", "http://127.0.0.1:8080/oauth2/default"),
      ("login.example-admin.com", "https://login.example-admin.com"),
      ("locahlost:8485", "https://locahlost:8485"), ("intranet", "intranet"),
    ])
  func typed(text: String, issuer: String) {
    expectEqual(IssuerText(typed: text).issuer, issuer)
  }
}
