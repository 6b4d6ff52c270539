import Expectations
import Testing

@testable import IDXQRCode

/// Choosing the mask.
struct PenaltyTests {
  @Test(
    "The mask is the one with the lowest penalty", arguments: ["idx", "aaaa", "0000000", "~~~~~"])
  func lowest(text: String) throws {
    let penalties = try Mask.allCases.map { mask in
      let code = try QRCode(Payload(text), correction: .medium, smallest: 2, mask: mask)
      return Penalty.of(size: code.size) { code[x: $0, y: $1] }
    }
    let code = try QRCode(Payload(text), correction: .medium, smallest: 2, mask: nil)
    expectEqual(penalties[code.mask], penalties.min())
  }

  @Test(
    "The penalty of a matrix follows the standard's rules",
    arguments: [0x00, 0xFF, 0x0F, 0xA3] as [UInt8], [1, 2, 7])
  func rules(codeword: UInt8, version: Int) {
    let version = QRVersion(version)
    let codewords = Array(repeating: codeword, count: version.codewordCount)
    let matrix = QRMatrix(version: version, codewords: codewords)
    let expected = Penalty.of(size: matrix.size) { matrix.modules[$1 * matrix.size + $0] }
    expectEqual(matrix.penalty, expected)
  }
}

/// The standard's four penalties, computed from lines of text.
private enum Penalty {
  static func of(size: Int, isDark: (_ x: Int, _ y: Int) -> Bool) -> Int {
    let range = 0..<size
    let rows = range.map { y in range.map { x in isDark(x, y) ? "#" : "." }.joined() }
    let columns = range.map { x in range.map { y in isDark(x, y) ? "#" : "." }.joined() }

    var result = 0
    for line in rows + columns {
      result += runs(of: line).filter { $0 >= 5 }.map { $0 - 2 }.reduce(0, +)
      for start in 0...size - 11 {
        let part = line.dropFirst(start).prefix(11)
        if part == "#.###.#...." || part == "....#.###.#" { result += 40 }
      }
    }
    for y in 1..<size {
      for x in 1..<size {
        let square = [isDark(x, y), isDark(x - 1, y), isDark(x, y - 1), isDark(x - 1, y - 1)]
        if Set(square).count == 1 { result += 3 }
      }
    }
    let dark = rows.joined().filter { $0 == "#" }.count
    let percent = Double(dark) / Double(size * size) * 100
    return result + Int(abs(percent - 50) / 5) * 10
  }

  private static func runs(of line: String) -> [Int] {
    var lengths: [Int] = []
    var previous: Character?
    for module in line {
      if module == previous { lengths[lengths.count - 1] += 1 } else { lengths.append(1) }
      previous = module
    }
    return lengths
  }
}
