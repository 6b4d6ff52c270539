import Testing

@testable import IDXPrompt

@Suite struct BigNumberTests {
  @Test("A number is drawn in five rows, its digits two columns apart")
  func drawn() {
    #expect(
      BigNumber.rows(of: "42") == [
        "██  ██  ██████",
        "██  ██      ██",
        "██████  ██████",
        "    ██  ██",
        "    ██  ██████",
      ])
  }

  @Test("Each digit has a shape of its own, three pixels wide and five high")
  func distinct() {
    let shapes = (0...9).compactMap { BigNumber.rows(of: "\($0)") }
    #expect(Set(shapes).count == 10)
    #expect(shapes.allSatisfy { $0.count == 5 && $0.allSatisfy { $0.columns <= 6 } })
  }

  @Test("What is no number of ASCII digits is not drawn", arguments: ["", "4a", "-1", "٤٢"])
  func other(text: String) { #expect(BigNumber.rows(of: text) == nil) }

  @Test(
    "Without glyphs, or in a narrow window, the number is put between arrows",
    arguments: [(80, "C"), (18, "C.UTF-8")])
  func plain(columns: UInt16, locale: String) async throws {
    let pseudo = try PseudoTerminal()
    pseudo.resize(columns: columns, rows: 24)
    let terminal = try InteractiveTerminal(
      path: pseudo.path, environment: ["TERM": "xterm", "LANG": locale, "NO_COLOR": "1"])
    BigNumber(terminal: terminal).show("42")
    #expect(try await pseudo.shown(until: "<<<\r\n\r\n") == "\r\n    >>> 42 <<<\r\n\r\n")
  }
}
