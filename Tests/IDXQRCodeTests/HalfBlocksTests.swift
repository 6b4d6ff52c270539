import IDXQRCode
import Testing

@Suite("Half blocks")
struct HalfBlocksTests {
  @Test("A code shows its light modules as blocks where there are no colours")
  func plain() throws {
    let lines = try QRCode("idx").lines(style: .plain, quietZone: 2)
    #expect(
      lines == [
        "█████████████████████████",
        "██ ▄▄▄▄▄ ██▀██▀█ ▄▄▄▄▄ ██",
        "██ █   █ █ █▄  █ █   █ ██",
        "██ █▄▄▄█ █ ▀█▀▄█ █▄▄▄█ ██",
        "██▄▄▄▄▄▄▄█ █▄█▄█▄▄▄▄▄▄▄██",
        "██▄▀    ▄▀▀▀█ ▀▀ ▄▄  █▀██",
        "███▀ ▄▀▀▄▄▀▀█▀ ▀ ▄█▀  ███",
        "████▄█▄▄▄█ ▀██ ██ █▄██ ██",
        "██ ▄▄▄▄▄ █▀▀▄▄█▄█▀ █  ▀██",
        "██ █   █ █  ▄ ▀ ▀█▄▀▄████",
        "██ █▄▄▄█ █▄▄▀▀ ▀ ▄█▀█████",
        "██▄▄▄▄▄▄▄█▄█▄█▄██▄██▄▄███",
        "█████████████████████████",
      ])
  }

  @Test("Colours are set where the lower module changes, and reset at the line's end")
  func colour() throws {
    let (black, white) = ("\u{1B}[38;5;231;48;5;16m", "\u{1B}[38;5;16;48;5;231m")
    let finder = "\(black) \(white)▀▀▀▀▀\(black) "
    let between = "\(white)  \(black)▀\(white)  \(black)▀\(white) "
    let lines = try QRCode("idx").lines(style: .colour, quietZone: 0)
    #expect(lines.first == finder + between + finder + "\u{1B}[0m")
  }

  @Test(
    "What a terminal shows is the code, with its quiet zone",
    arguments: QRCode.Style.allCases, [0, 1, 2, 4])
  func shown(style: QRCode.Style, quietZone: Int) throws {
    let code = try QRCode("otpauth://totp/Org:jane?secret=JBSWY3DPEHPK3PXP&issuer=Org")
    let lines = code.lines(style: style, quietZone: quietZone)
    let columns = code.columns(quietZone: quietZone)
    #expect(columns == code.size + 2 * quietZone)
    #expect(lines.count == (columns + 1) / 2)

    for (index, line) in lines.enumerated() {
      let screen = try Screen(line)
      #expect(screen.upper.count == columns)
      for x in 0..<columns {
        let y = 2 * index - quietZone
        #expect(screen.upper[x] == code[x: x - quietZone, y: y])
        #expect(screen.lower[x] == code[x: x - quietZone, y: y + 1])
      }
    }
  }

  @Test("Version 6 fits 24 rows with a quiet zone of two")
  func rows() throws {
    let code = try QRCode(String(repeating: "x", count: 100))
    #expect(code.version == 6)
    #expect(code.lines(style: .colour, quietZone: 2).count == 23)
    #expect(code.lines(style: .colour).count == 25)
    #expect(code.columns() == 49)
  }
}

/// One line of a dark terminal, true where it stays dark.
private struct Screen {
  struct Unknown: Error {
    let text: String
  }

  private(set) var upper: [Bool] = []
  private(set) var lower: [Bool] = []

  init(_ line: String) throws {
    let (blackOnWhite, whiteOnBlack) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[38;5;231;48;5;16m")
    var rest = line[...]
    var isGroundDark = true
    while let character = rest.first {
      if rest.hasPrefix(blackOnWhite) {
        isGroundDark = false
        rest = rest.dropFirst(blackOnWhite.count)
        continue
      }
      if rest.hasPrefix(whiteOnBlack) {
        isGroundDark = true
        rest = rest.dropFirst(whiteOnBlack.count)
        continue
      }
      if rest == "\u{1B}[0m" { return }
      guard let block = [" ", "▀", "▄", "█"].firstIndex(of: character) else {
        throw Unknown(text: String(rest))
      }
      upper.append(isGroundDark != (block == 1 || block == 3))
      lower.append(isGroundDark != (block >= 2))
      rest.removeFirst()
    }
    if line.contains("\u{1B}") { throw Unknown(text: "no reset") }
  }
}
