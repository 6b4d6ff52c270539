import Expectations
import IDXBase
import Testing

@testable import idx_flow

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite(.tags(.startsPrograms), .fewPrograms) struct HelpTests {
  private static let texts =
    [HelpText.overview(of: IDXFlowCommand.commands), HelpText.exitStatus]
    + IDXFlowCommand.commands.all.map { HelpText.help(for: $0) }

  @Test(
    "Help fits 100 columns, and at a terminal its window, and nothing is lost", arguments: texts,
    [40, 60, 120])
  func window(text: String, width: Int) {
    for line in text.split(separator: "\n") { expect(line.count <= 100) }
    let fitted = PageText.fitted(text, to: width)
    expectEqual(
      fitted.split(whereSeparator: \.isWhitespace), text.split(whereSeparator: \.isWhitespace))
    let tooLong = fitted.split(separator: "\n").filter { $0.count > width }
    // Command lines are copied, and a long word is not broken.
    expectEqual(
      tooLong.filter { line in
        !text.contains(line) && line.split(separator: " ").last?.count ?? 0 < width / 2
      }, [])
    if width == 120 { expectEqual(fitted, text) }
  }

  @Test("Columns continue under their beginning")
  func columns() {
    let text = """
      A sentence that is
      filled again.

      Options:
        --issuer URL  the authorization server
      """
    expectEqual(
      PageText.fitted(text, to: 36),
      """
      A sentence that is
      filled again.

      Options:
        --issuer URL  the authorization
                      server
      """)
    expectPrefix(PageText.fitted(text, to: 16), "A sentence that\nis filled again.")
  }

  @Test("The help lists every command, with status 0 for --help and 2 without a command")
  func help() throws {
    let overview = try Program.run(["--help"])
    expectEqual(overview.output, Self.overview)
    overview.expect(status: 0, overview.errors.isEmpty)
    for command in IDXFlowCommand.commands.all {
      expectContains(overview.output, "\n  \(command.name)  ")
    }
    let nothing = try Program.run([])
    expectEqual(nothing.output, Self.overview)
    nothing.expect(status: 2, nothing.errors.isEmpty)
  }

  @Test(
    "--help of a command lists every option on standard output, with status 0",
    arguments: IDXFlowCommand.commands.all.map { $0.name })
  func help(of name: String) throws {
    let command = try require(IDXFlowCommand.commands.all.first { $0.name == name })
    let help = try Program.run([name, "--help"])
    expectEqual(help.output, PageText.fitted(HelpText.help(for: command), to: 80) + "\n")
    help.expect(status: 0, help.errors.isEmpty)
    for option in command.allOptions { expectContains(help.output, "\n  \(option.head) ") }
    // Only a command to copy is longer.
    let long = help.output.split(separator: "\n").map(String.init).filter { $0.count > 80 }
    expect(long.allSatisfy { $0.contains("idx-flow ") || $0.hasPrefix("  ") }, "\(long)")
  }

  private static let overview =
    PageText.fitted(HelpText.overview(of: IDXFlowCommand.commands), to: 80) + "\n"

  @Test("Names of commands and options are used once, and each option of signin is in one group")
  func names() {
    let grouped = SignInCommand.optionGroups.flatMap(\.options).map(\.name)
    expectEqual(grouped, SignInCommand.allOptions.map(\.name))
    expect(SignInCommand.optionGroups.allSatisfy { (1...14).contains($0.options.count) })
    let names = IDXFlowCommand.commands.all.flatMap { $0.names }
    expectEqual(Set(names).count, names.count)
    for command in IDXFlowCommand.commands.all {
      let options = command.allOptions.map(\.name)
      expectEqual(Set(options).count, options.count)
    }
  }

  @Test(
    "The version is a command and an option, and login and logout are other names of signin and signout"
  )
  func otherNames() throws {
    for word in ["version", "--version"] {
      let end = try Program.run([word])
      expectEqual(end.output, "idx-flow \(Product.version)\n")
      end.expect(status: 0, end.errors.isEmpty)
    }
    for (name, command) in [("login", "signin"), ("logout", "signout")] {
      let end = try Program.run([name, "--help"])
      expectContains(end.output, "\nUsage: idx-flow \(command) ")
      expectContains(end.output, "\nAlso: idx-flow \(name)\n")
      try expectEqual(Program.run(["help", name]).output, end.output)
    }
  }

  @Test("The exit statuses have a page of their own, with each status once")
  func exitStatus() throws {
    let end = try Program.run(["help", "exit-status"])
    end.expect(status: 0, end.output == PageText.fitted(HelpText.exitStatus, to: 80) + "\n")
    let words = end.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    for code in ExitCode.allCases { expectContains(words, code.meaning) }
    let lines = ExitCode.table.split(separator: "\n")
    expectEqual(lines.count, ExitCode.allCases.count)
    for (line, code) in zip(lines, ExitCode.allCases) {
      expectContains(line, " \(code.rawValue)  \(code.meaning)")
    }
  }

  @Test(
    "A wrong command or option is explained, with status 2",
    arguments: [
      (["sigin"], "There is no command sigin. Did you mean signin? See: idx-flow --help"),
      (["--verison"], "There is no option --verison. Did you mean --version? See: idx-flow --help"),
      (["frobnicate"], "There is no command frobnicate. See: idx-flow --help"),
      (
        ["--profile", "work", "status"],
        "Options come after the command, such as: idx-flow signin --profile. See: idx-flow --help"
      ),
      (["signin", "now", "then"], "signin takes only one operand, not “then”."),
      (
        ["signin", "--isuer=x"],
        "signin has no option --isuer. Did you mean --issuer? See: idx-flow signin --help"
      ),
      (["inspect"], "inspect needs a FILE, or - for standard input."),
    ])
  func usage(words: [String], message: String) throws {
    let end = try Program.run(words)
    expectEqual(end.errors, "idx-flow: \(message)\n")
    end.expect(status: 2, end.output.isEmpty)
  }

  @Test("With --json, a wrong command or option is an object too", arguments: ["nope", "status"])
  func usageAsJSON(command: String) throws {
    let end = try Program.run([command, "--frobnicate", "--json"])
    end.expect(status: 2)
    try expectEqual(end.json["exit_status"], 2)
  }

  @Test("A closed output ends the program with SIGPIPE")
  func closedOutput() throws {
    let end = try Program.run(["--help"], outputIsClosed: true)
    expect(end.signal == SIGPIPE && end.errors.isEmpty)
  }
}
