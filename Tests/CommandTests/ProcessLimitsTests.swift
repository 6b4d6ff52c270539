#if os(Linux)
  import Expectations
  import Foundation
  import TerminalSupport
  import Testing

  @Suite("The limits of the process", .tags(.startsPrograms), .fewPrograms)
  struct ProcessLimitsTests {
    // Crashing here could leave a core file of the tests, so this reads the limit. Linux passes the memory
    // to a crash handler even if the limit is 0, but not if it is 1.
    @Test("A crash leaves no copy of the memory", .promise("core-file"))
    func coreFiles() async throws {
      let terminal = try PseudoTerminal()
      let program = try terminal.demo()
      try await terminal.lines(until: "Username: ")
      let limits = try String(contentsOfFile: "/proc/\(program.identifier)/limits", encoding: .utf8)
      let line = try require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file") })
      let words = line.split(separator: " ")
      let (current, largest) = (words[4], words[5])
      expectEqual(current, (largest == "0" ? "0" : "1"))
      program.send(2)
      _ = program.end()
    }

    private func run(_ command: String, descriptors: Int) throws -> Program.End {
      let program = Program.products.appending(path: "idx-flow").path
      // The shell may have inherited descriptors.
      let closing = (3...9).map { "\($0)>&-" }.joined(separator: " ")
      return try Program.run(
        ["-c", "exec \(closing); ulimit -n \(descriptors); exec '\(program)' \(command)"],
        of: "/bin/sh")
    }

    // With three, the system cannot load the libraries of the program.
    @Test(
      "With too few file descriptors, a command says so and how to raise the limit; texts about the program need none",
      .promise("file-descriptors"))
    func descriptors() throws {
      for count in [4, 5, 6, 9, 20, 30] {
        for command in ["status", "signin --demo --no-input", "list --json", "profile"] {
          let end = try run(command, descriptors: count)
          end.expect(status: 1, comment: "\(count)")
          expectEqual(
            end.errors,
            """
            idx-flow: This process cannot open enough files: it needs 32 more than are open now.
            What to do: Raise the limit, such as with: ulimit -n 256

            """)
          expectEqual(end.output.contains(#""code":"no_descriptors""#), command.hasSuffix("--json"))
        }
      }
      for command in ["version", "help", "help exit-status", "man", "status --help", "--version"] {
        let end = try run(command, descriptors: 4)
        end.expect(status: 0, end.errors.isEmpty && !end.output.isEmpty, comment: "\(command)")
      }
    }
  }
#endif
