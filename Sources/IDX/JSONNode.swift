/// Where one value of a JSON text stands, in twelve bytes.
///
/// Positions count the bytes of the text, of which there are at most ``JSONValue/maximumSize``: that leaves
/// the highest bits free for what else there is to know.
struct JSONNode: Sendable {
  /// Where the name of a member stands.
  struct Name: Sendable {
    private let bits: UInt32

    private static let escapedBit: UInt32 = 1 << 31
    private static let lengthShift: UInt32 = 22
    private static let mostLength: UInt32 = 511

    /// What an element of an array has, and the whole text: no name.
    ///
    /// No name begins at the first byte.
    static let none = Name(start: 0, length: 0, isEscaped: false)

    init(start: Int, length: Int, isEscaped: Bool) {
      let length = min(UInt32(truncatingIfNeeded: length), Self.mostLength)
      bits =
        UInt32(truncatingIfNeeded: start) | length << Self.lengthShift
        | (isEscaped ? Self.escapedBit : 0)
    }

    /// The first byte after the quote.
    var start: Int { Int(bits & (1 << Self.lengthShift - 1)) }
    /// Whether escapes stand in it.
    var isEscaped: Bool { bits & Self.escapedBit != 0 }

    /// How many bytes it has, escapes as they are written; 511 stands for more.
    var length: Int { Int(bits >> Self.lengthShift & Self.mostLength) }

    /// Whether it has so many bytes and no escapes; no longer name than 510 bytes does.
    @inline(__always)
    func isPlain(ofLength length: Int) -> Bool { Int(bits >> Self.lengthShift) == length }
  }

  let name: Name
  private let first: UInt32
  private var bits: UInt32

  private static let containerBit: UInt32 = 1 << 31
  private static let escapedBit: UInt32 = 1 << 30

  /// A string, number, boolean or null.
  init(name: Name, start: Int, end: Int, isEscaped: Bool) {
    self.name = name
    first = UInt32(truncatingIfNeeded: start)
    bits = UInt32(truncatingIfNeeded: end) | (isEscaped ? Self.escapedBit : 0)
  }

  /// An array or object, to be closed once all that is inside it is known.
  init(name: Name, start: Int) {
    self.name = name
    first = UInt32(truncatingIfNeeded: start)
    bits = Self.containerBit
  }

  /// Says which value is the first that is not inside any more.
  mutating func close(before node: Int) {
    bits = Self.containerBit | UInt32(truncatingIfNeeded: node)
  }

  /// The first byte, which tells the kind of value.
  var start: Int { Int(first) }
  /// Whether it is an array or an object.
  var isContainer: Bool { bits & Self.containerBit != 0 }
  /// Whether it is a string in which escapes stand.
  var isEscaped: Bool { bits & Self.escapedBit != 0 }
  /// For an array or object the number of the first value after all that is inside; else the byte
  /// after its last.
  var extent: Int { Int(bits & ~(Self.containerBit | Self.escapedBit)) }
}
