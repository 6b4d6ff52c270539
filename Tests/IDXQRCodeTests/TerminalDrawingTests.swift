import Expectations
import IDXQRCode
import Testing

/// Drawing a code in a terminal.
struct TerminalDrawingTests {
  @Test("Colors change with the lower module, and are reset at the end of the line")
  func color() throws {
    let (black, white) = ("\u{1B}[38;5;231;48;5;16m", "\u{1B}[38;5;16;48;5;231m")
    let finder = "\(black) \(white)▀▀▀▀▀\(black) "
    let between = "\(white)  \(black)▀\(white)  \(black)▀\(white) "
    let lines = try QRCode("idx").lines(quietZone: 0)
    expectEqual(lines.first, finder + between + finder + "\u{1B}[0m")
  }

  @Test("The terminal shows the code with its quiet zone", arguments: [0, 1, 2, 4])
  func shown(quietZone: Int) throws {
    let code = try QRCode("otpauth://totp/Org:jane?secret=JBSWY3DPEHPK3PXP&issuer=Org")
    let lines = code.lines(quietZone: quietZone)
    let columns = code.columns(quietZone: quietZone)
    expectEqual(columns, code.size + 2 * quietZone)
    expectEqual(lines.count, (columns + 1) / 2)

    for (index, line) in lines.enumerated() {
      let screen = try Screen(line)
      expectEqual(screen.upper.count, columns)
      for x in 0..<columns {
        let y = 2 * index - quietZone
        expectEqual(screen.upper[x], code[x: x - quietZone, y: y])
        expectEqual(screen.lower[x], code[x: x - quietZone, y: y + 1])
      }
    }
  }

  @Test("Version 6 fits 24 rows with a quiet zone of two")
  func rows() throws {
    let code = try QRCode(String(repeating: "x", count: 100))
    expectEqual(code.version, 6)
    expectEqual(code.lines(quietZone: 2).count, 23)
    expectEqual(code.lines().count, 25)
    expectEqual(code.columns(), 49)
  }
}

/// The modules that one line shows; true means dark.
private struct Screen {
  struct Unknown: Error {
    let text: String
  }

  private(set) var upper: [Bool] = []
  private(set) var lower: [Bool] = []

  init(_ line: String) throws {
    let (blackOnWhite, whiteOnBlack) = ("\u{1B}[38;5;16;48;5;231m", "\u{1B}[38;5;231;48;5;16m")
    var rest = line[...]
    var isBackgroundDark = true
    while let character = rest.first {
      if rest.hasPrefix(blackOnWhite) {
        isBackgroundDark = false
        rest = rest.dropFirst(blackOnWhite.count)
        continue
      }
      if rest.hasPrefix(whiteOnBlack) {
        isBackgroundDark = true
        rest = rest.dropFirst(whiteOnBlack.count)
        continue
      }
      if rest == "\u{1B}[0m" { return }
      guard character == " " || character == "▀" else { throw Unknown(text: String(rest)) }
      upper.append(isBackgroundDark != (character == "▀"))
      lower.append(isBackgroundDark)
      rest.removeFirst()
    }
    if line.contains("\u{1B}") { throw Unknown(text: "no reset") }
  }
}
