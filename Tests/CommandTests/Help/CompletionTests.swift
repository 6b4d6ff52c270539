import Expectations
import IDXSimulatedOrg
import Testing

@testable import idx_flow

@Suite("Completions", .tags(.startsPrograms), .fewPrograms) struct CompletionTests {
  private func words(_ line: String...) async -> [String]? {
    guard
      case .words(let words) = await Completion.next(
        after: line, among: IDXFlowCommand.commands,
        users: { _ in ["ada@example.com", "bob@example.com"] })
    else { return nil }
    return words.map(\.text)
  }

  @Test("The first word is a command; each option is offered, with its help")
  func commands() async {
    await expectEqual(words("sta"), ["status"])
    await expectEqual(words("log"), ["login", "logout"])
    await expectEqual(words(""), IDXFlowCommand.commands.all.map { $0.name })
    await expectEqual(words("--v"), ["--version"])
    await expectEqual(words("nothing", ""), [])
    for command in IDXFlowCommand.commands.all {
      let found = await Completion.next(
        after: [command.name, "--"], among: IDXFlowCommand.commands, users: { _ in [] })
      let expected = command.allOptions.map { Completion.Word(text: $0.name, summary: $0.help) }
      expectEqual(found, .words(expected))
    }
    await expectEqual(words("login", "--redi"), ["--redirect-uri"])
  }

  @Test(
    "Each word that is offered as a value is accepted by the parser, and files are left to the shell"
  )
  func values() async throws {
    for command in IDXFlowCommand.commands.all {
      for option in command.allOptions {
        guard case .oneOf(let expected) = option.values else { continue }
        await expectEqual(words(command.name, option.name, ""), expected)
        await expectEqual(
          words(command.name, "\(option.name)="), expected.map { "\(option.name)=\($0)" })
        for value in expected {
          _ = try CommandLineOptions(
            [option.name, value], accepting: command.allOptions, of: command.name)
        }
      }
    }
    await expectEqual(words("signin", "--issuer", ""), [])
    await expectEqual(words("signin", "--first-factor", "otp,pu"), ["otp,push"])
    await expectEqual(words("signin", "--first-factor=otp,pu"), ["--first-factor=otp,push"])
    for line in [
      ["signin", "--script", ""], ["inspect", "a.json", "b"], ["signin", "--config=x"],
      ["exec", "--env", "A", "--", "x", "--user"], ["exec", "sh", "-"],
    ] {
      await expectEqual(
        Completion.next(after: line, among: IDXFlowCommand.commands, users: { _ in [] }), .files)
    }
  }

  @Test("Demos of the protocol, users of the chosen store and profiles are offered by their names")
  func users() async throws {
    let all = try await require(words("signin", "--demo", ""))
    expectEqual(all, OrgScenario.all(for: .idx).map(\.name) + ["list"])
    let direct = try await require(words("signin", "--flow", "direct", "--demo", ""))
    expectEqual(direct, OrgScenario.all(for: .direct).map(\.name) + ["list"])
    await expectEqual(words("signin", "--demo", "--no-q"), ["--no-qr"])
    await expectEqual(words("token", "--user", "a"), ["ada@example.com"])
    await expectEqual(words("use", "b"), ["bob@example.com"])
    await expectEqual(words("use", "bob@example.com", ""), [])
    _ = await Completion.next(
      after: ["use", "--demo", "--store=file", ""], among: IDXFlowCommand.commands
    ) { options in
      expect(options.flags == ["--demo"] && options.values == ["--store": "file"])
      return []
    }
    func completion(_ line: String...) async -> Completion {
      await Completion.next(
        after: line, among: IDXFlowCommand.commands, users: { _ in [] },
        profiles: { ["default", "work"] })
    }
    await expectEqual(
      completion("signin", "--profile", "w"), .words([Completion.Word(text: "work")]))
    await expectEqual(completion("profile", "sh"), .words([Completion.Word(text: "show")]))
    await expectEqual(
      completion("profile", "remove", "d"), .words([Completion.Word(text: "default")]))
    await expectEqual(completion("profile", "show", "default", ""), .words([]))
  }

  @Test("The program prints the words for a shell, also of saved users")
  func program() async throws {
    let home = try DataHome()
    let server = try OrgServer(users: [.demo, .bob])
    try await home.signIn(at: server)
    try await home.signIn(at: server, as: .bob)
    let users = try home.run("completion", "words", "--", "token", "--user", "")
    expectEqual(users.output, "ada@example.com\t\nbob@example.com\t\n")
    let files = try home.run("completion", "words", "--", "signin", "--script", "a")
    expectEqual(files.output, ":files\n")
    let nothing = try home.run("completion", "words", "--", "signin", "--nothing", "")
    nothing.expect(status: 0, nothing.output.isEmpty && nothing.errors.isEmpty)
    expectEmpty(server.paths)
  }

  @Test("Only a script for bash, zsh or fish can be printed")
  func scripts() throws {
    let other = try Program.run(["completion", "zshh"])
    other.expect(status: 2)
    expectEqual(
      other.errors, "idx-flow: completion needs bash, zsh or fish, not zshh. Did you mean zsh?\n")
    try Program.run(["completion"]).expect(status: 2)
  }
}

@Suite("The manual page", .tags(.startsPrograms), .fewPrograms) struct ManPageTests {
  @Test(
    "It has a section for each command, with all of its options, and all exit statuses; no text is a request of roff"
  )
  func complete() throws {
    let end = try Program.run(["man"])
    end.expect(status: 0, end.errors.isEmpty)
    let page = end.output.replacing("\\-", with: "-")
    expectPrefix(page, ".TH IDX-FLOW 1 ")
    for command in IDXFlowCommand.commands.all {
      let section = try require(
        page.components(separatedBy: ".SS ").first { $0.hasPrefix("\(command.name)\n") })
      for option in command.options { expectContains(section, "\\fB\(option.head)\\fR\n") }
      for example in command.examples { expectContains(section, example.purpose) }
    }
    for code in ExitCode.allCases { expectContains(page, "\\fB\(code.rawValue)\\fR\n") }
    let known = [".TH", ".SH", ".SS", ".B", ".I", ".TP", ".PP", ".br", ".RS", ".RE", ".nf", ".fi"]
    for line in ManPage.text(of: IDXFlowCommand.commands).split(separator: "\n")
    where line.hasPrefix(".") {
      expectContains(known, String(line.prefix { $0 != " " }))
    }
    expect(!ManPage.text(of: IDXFlowCommand.commands).contains("\n'"))
  }

  @Test(
    "In Markdown, it has a page for each command, in which no character is taken for a sign of Markdown"
  )
  func markdown() throws {
    let end = try Program.run(["man", "--format", "markdown"])
    end.expect(status: 0, end.errors.isEmpty)
    let pages = "\n\(end.output)".components(separatedBy: "\n# idx-flow ").dropFirst()
    expectEqual(
      pages.map { String($0.prefix { $0 != "\n" }) }, IDXFlowCommand.commands.all.map { $0.name })
    for (page, command) in zip(pages, IDXFlowCommand.commands.all) {
      for option in command.options { expectContains(page, "\n| `\(option.head)` | ") }
      for example in command.examples { expectContains(page, "\n```sh\n\(example.text)\n```\n") }
    }
    expectContains(end.output, #"login, consent or select\_account |"#)
    expectContains(end.output, "\n```text\n  {\"profiles\": ")
  }
}
