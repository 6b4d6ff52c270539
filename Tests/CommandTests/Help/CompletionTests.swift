import IDXTesting
import Testing

@testable import idx_flow

@Suite("Completions", .tags(.startsPrograms), .fewPrograms) struct CompletionTests {
  private func words(_ line: String...) async -> [String]? {
    guard
      case .words(let words) = await Completion.next(
        after: line, users: { _ in ["ada@example.com", "bob@example.com"] })
    else { return nil }
    return words.map(\.text)
  }

  @Test("The first word is a command, or the other name of one")
  func commands() async {
    #expect(await words("sta") == ["status"])
    #expect(await words("log") == ["login", "logout"])
    #expect(await words("") == IDXFlowCommand.commands.map { $0.name })
    #expect(await words("--v") == ["--version"])
    #expect(await words("nothing", "") == [])
  }

  @Test("Each option of each command is offered, with its help")
  func options() async {
    for command in IDXFlowCommand.commands {
      let found = await Completion.next(after: [command.name, "--"], users: { _ in [] })
      let expected = command.allOptions.map { Completion.Word(text: $0.name, summary: $0.help) }
      #expect(found == .words(expected))
    }
    #expect(await words("login", "--redi") == ["--redirect-uri"])
  }

  @Test("Each word that is offered as a value is accepted by the parser")
  func values() async throws {
    for command in IDXFlowCommand.commands {
      for option in command.allOptions {
        guard case .oneOf(let expected) = option.values else { continue }
        #expect(await words(command.name, option.name, "") == expected)
        #expect(
          await words(command.name, "\(option.name)=") == expected.map { "\(option.name)=\($0)" })
        for value in expected {
          _ = try CommandLineOptions(
            [option.name, value], accepting: command.allOptions, of: command.name)
        }
      }
    }
    #expect(await words("signin", "--issuer", "") == [])
    #expect(await words("signin", "--first-factor", "otp,pu") == ["otp,push"])
    #expect(await words("signin", "--first-factor=otp,pu") == ["--first-factor=otp,push"])
  }

  @Test("Demos of the protocol are offered; a demo without a name can be followed by an option")
  func demos() async throws {
    let all = try #require(await words("signin", "--demo", ""))
    #expect(all == OrgScenario.all(for: .idx).map(\.name) + ["list"])
    let direct = try #require(await words("signin", "--flow", "direct", "--demo", ""))
    #expect(direct == OrgScenario.all(for: .direct).map(\.name) + ["list"])
    #expect(await words("signin", "--demo", "--no-q") == ["--no-qr"])
  }

  @Test("Users are asked for with the options of the command line")
  func users() async {
    #expect(await words("token", "--user", "a") == ["ada@example.com"])
    #expect(await words("use", "b") == ["bob@example.com"])
    #expect(await words("use", "bob@example.com", "") == [])
    _ = await Completion.next(after: ["use", "--demo", "--store=file", ""]) { options in
      #expect(options.flags == ["--demo"] && options.values == ["--store": "file"])
      return []
    }
  }

  @Test("Names of profiles are offered for the option, and for the command after its action")
  func profiles() async {
    func words(_ line: String...) async -> Completion {
      await Completion.next(after: line, users: { _ in [] }, profiles: { ["default", "work"] })
    }
    #expect(await words("signin", "--profile", "w") == .words([Completion.Word(text: "work")]))
    #expect(await words("profile", "sh") == .words([Completion.Word(text: "show")]))
    #expect(await words("profile", "remove", "d") == .words([Completion.Word(text: "default")]))
    #expect(await words("profile", "show", "default", "") == .words([]))
  }

  @Test("Files are left to the shell")
  func files() async {
    for line in [
      ["signin", "--script", ""], ["inspect", "a.json", "b"], ["signin", "--config=x"],
      ["exec", "--env", "A", "--", "x", "--user"], ["exec", "sh", "-"],
    ] {
      #expect(await Completion.next(after: line, users: { _ in [] }) == .files)
    }
  }

  @Test("The program prints the words for a shell, also of saved users")
  func program() async throws {
    let home = try DataHome()
    let server = try OrgServer(users: [.demo, .bob])
    try await home.signIn(at: server)
    try await home.signIn(at: server, as: .bob)
    let users = try await home.run("completion", "words", "--", "token", "--user", "")
    #expect(users.output == "ada@example.com\t\nbob@example.com\t\n")
    let files = try await home.run("completion", "words", "--", "signin", "--script", "a")
    #expect(files.output == ":files\n")
    let nothing = try await home.run("completion", "words", "--", "signin", "--nothing", "")
    #expect(nothing.status == 0 && nothing.output.isEmpty && nothing.errors.isEmpty)
    #expect(server.paths.isEmpty)
  }

  @Test("There is a script for each shell, and no other", arguments: ["bash", "zsh", "fish"])
  func scripts(shell: String) async throws {
    let end = try await Program.run(["completion", shell])
    #expect(end.status == 0 && end.errors.isEmpty)
    #expect(end.output.contains(" completion words -- "))
    let other = try await Program.run(["completion", "zshh"])
    #expect(other.status == 2)
    #expect(
      other.errors
        == "idx-flow: completion needs bash, zsh or fish, not zshh. Did you mean zsh?\n")
    #expect(try await Program.run(["completion"]).status == 2)
  }
}

@Suite("The manual page", .tags(.startsPrograms), .fewPrograms) struct ManPageTests {
  @Test("It has a section for each command, with all of its options, and all exit statuses")
  func complete() async throws {
    let end = try await Program.run(["man"])
    #expect(end.status == 0 && end.errors.isEmpty)
    let page = end.output.replacing("\\-", with: "-")
    #expect(page.hasPrefix(".TH IDX-FLOW 1 "))
    for command in IDXFlowCommand.commands {
      let section = try #require(
        page.components(separatedBy: ".SS ").first { $0.hasPrefix("\(command.name)\n") })
      for option in command.options { #expect(section.contains("\\fB\(option.head)\\fR\n")) }
      for example in command.examples { #expect(section.contains(example.purpose)) }
    }
    for code in ExitCode.allCases { #expect(page.contains("\\fB\(code.rawValue)\\fR\n")) }
  }

  @Test("No line of text is taken for a request of roff")
  func requests() {
    let known = [".TH", ".SH", ".SS", ".B", ".I", ".TP", ".PP", ".br", ".RS", ".RE", ".nf", ".fi"]
    for line in ManPage.text.split(separator: "\n") where line.hasPrefix(".") {
      #expect(known.contains(String(line.prefix { $0 != " " })))
    }
    #expect(!ManPage.text.contains("\n'"))
  }
}
