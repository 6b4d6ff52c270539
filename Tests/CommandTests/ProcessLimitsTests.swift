#if os(Linux)
  import Expectations
  import Foundation
  import TerminalSupport
  import Testing

  @Suite("The limits of the process", .tags(.startsPrograms), .fewPrograms)
  struct ProcessLimitsTests {
    // Crashing here could leave a core file of the tests, so this reads the limit. Linux passes the memory
    // to a crash handler even if the limit is 0, but not if it is 1.
    @Test("A crash leaves no copy of the memory")
    func coreFiles() async throws {
      let terminal = try PseudoTerminal()
      let program = try terminal.demo()
      try await terminal.lines(until: "Username: ")
      let limits = try String(contentsOfFile: "/proc/\(program.identifier)/limits", encoding: .utf8)
      let line = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file") })
      let words = line.split(separator: " ")
      let (current, largest) = (words[4], words[5])
      expectEqual(current, (largest == "0" ? "0" : "1"))
      program.send(2)
      _ = try await program.end()
    }
  }
#endif
