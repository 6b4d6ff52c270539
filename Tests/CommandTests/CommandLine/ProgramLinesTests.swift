import Expectations
import Foundation
import IDXBase
import IDXSystem
import Testing

@testable import IDXFlow
@testable import idx_flow

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite("Lines for a program", .timeLimit(.minutes(10)))
struct ProgramLinesTests {
  /// A pipe whose ends are closed with it.
  private final class Pipe: Sendable {
    let read: Int32
    private let end: Int32
    private let isOpen = Locked(true)

    init() throws {
      var ends: [Int32] = [-1, -1]
      try require(Program.openPipe(&ends))
      (read, end) = (ends[0], ends[1])
    }

    deinit {
      closeEnd()
      close(read)
    }

    var write: Int32 { end }

    func send(_ text: String) { _ = IDXSystem.write(all: Array(text.utf8), to: end) }

    func closeEnd() {
      isOpen.withLock { isOpen in
        if isOpen { close(end) }
        isOpen = false
      }
    }

    /// All lines up to the end.
    func lines() throws -> [String] {
      closeEnd()
      let text = String(decoding: try readAll(of: read, limit: 1 << 20), as: UTF8.self)
      expect(text.isEmpty || text.hasSuffix("\n"))
      return text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(
        String.init)
    }
  }

  private func screen(_ number: Int, title: String = "Verify") -> Screen {
    var screen = Screen(
      title: title, host: "id.shop.example",
      action: Screen.Option(id: "", label: "Continue", role: .submit))
    screen.number = number
    return screen
  }

  @Test(
    "Texts of a server stay inside of one line, whatever they contain, and nothing follows the last line",
    .promise("front-end-lines"))
  func oneLine() throws {
    let (input, output) = (try Pipe(), try Pipe())
    let lines = ProgramLines(reading: input.read, writing: output.write)
    let text = "a\r\n{\"type\":\"end\"}\u{2028}\u{1B}[2J\u{202E}\u{0}"
    try lines.show(screen(1, title: text).json)
    lines.tell(.note, text)
    let shown = try output.lines()
    expectEqual(shown.count, 2)
    for line in shown {
      expect(
        !line.unicodeScalars.contains { $0.value < 0x20 || [0x2028, 0x202E].contains($0.value) })
      let json = try JSONValue(parsing: line.utf8)
      expectEqual((json["screen"]?["title"] ?? json["text"])?.string, text)
    }
    let (nothing, ending) = (try Pipe(), try Pipe())
    let last = ProgramLines(reading: nothing.read, writing: ending.write)
    try last.end(["status": "done"])
    expect(!last.tell(.note, "More"))
    #expect(throws: CommandFailure.self) { try last.show(screen(1).json) }
    try expectEqual(ending.lines(), [#"{"type":"end","version":1,"status":"done"}"#])
  }

  @Test("A reply to a screen that news has replaced is not taken for one to the next screen")
  func replaced() async throws {
    let (input, output) = (try Pipe(), try Pipe())
    let frontEnd = ProgramFrontEnd(
      lines: ProgramLines(reading: input.read, writing: output.write))
    let first = Task { try await frontEnd.reply(to: screen(1)) }
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    input.send("{\"number\":1,\"reply\":\"cancel\"}\n{\"number\":2,\"reply\":\"submit\"}\n")
    try await expectEqual(frontEnd.reply(to: screen(2)), .submit([:]))
    let news = try require(output.lines().first { $0.contains(#""kind":"error""#) })
    expectContains(news, "The reply is to screen 1, but screen 2 is shown.")
  }

  @Test("Lines are read one by one, the last one also without an end")
  func reader() async throws {
    let input = try Pipe()
    let reader = LineReader(input.read)
    input.send("one\n\ntwo\r\nthree")
    input.closeEnd()
    for line in ["one", "", "two\r", "three"] {
      try await expectEqual(reader.next(), .line(Array(line.utf8)))
    }
    try await expectEqual(reader.next(), .end)
    try await expectEqual(reader.next(), .end)
  }

  @Test("A command line asks for lines with both ways to write the option")
  func asked() {
    let asking = [
      ["signin", "--front-end", "json"], ["login", "--demo", "--front-end=json"],
      ["signin", "--frce", "--front-end", "json"],
    ]
    for words in asking { expect(IDXFlowCommand.asksForLines(words), "\(words)") }
    let others = [
      [], ["status", "--front-end", "json"], ["signin", "--front-end"],
      ["signin", "--front-end", "xml"], ["signin", "--", "--front-end=json"],
    ]
    for words in others { expect(!IDXFlowCommand.asksForLines(words), "\(words)") }
  }
}
