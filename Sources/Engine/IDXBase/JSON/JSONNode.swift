/// The positions of one value in a JSON text and of its name, in eight bytes.
///
/// Positions count bytes; ``JSONValue/maximumSize`` limits them.
///
/// | bits | contents |
/// | --- | --- |
/// | 0–21 | the position of the value |
/// | 22–27 | how many bytes before the value its name begins, or 0 |
/// | 28–50 | the position after the value, or the number of the first value after a container |
/// | 51, 52 | whether it is a string with escapes; whether it is a container |
/// | 57–62 | the number of bytes of the name |
/// | 63 | whether the name is irregular; then its other bits are 0, and a ``JSONName`` describes it |
///
/// A name is irregular if it contains escapes, or begins 64 or more bytes before its value.
@usableFromInline
struct JSONNode: Sendable {
  @usableFromInline var bits: UInt64

  @usableFromInline static let distanceShift: UInt64 = 22
  @usableFromInline static let extentShift: UInt64 = 28
  @usableFromInline static let escapedBit: UInt64 = 1 << 51
  @usableFromInline static let containerBit: UInt64 = 1 << 52
  @usableFromInline static let lengthShift: UInt64 = 57
  @usableFromInline static let irregularBit: UInt64 = 1 << 63

  /// A value without a name: an array element or the whole text.
  @inline(__always)
  init(start: Int) { bits = UInt64(truncatingIfNeeded: start) }

  /// A value with an irregular name.
  init(startWithIrregularName start: Int) {
    bits = Self.irregularBit | UInt64(truncatingIfNeeded: start)
  }

  /// A value with a name without escapes, of which the position and the number of bytes are given, without
  /// its quotes.
  ///
  /// Nil if the name begins too far from its value.
  @inline(__always)
  init?(start: Int, nameStart: Int, nameLength: Int) {
    let distance = start &- nameStart
    guard distance < 64 else { return nil }
    bits =
      UInt64(truncatingIfNeeded: nameLength) << Self.lengthShift
      | UInt64(truncatingIfNeeded: distance) << Self.distanceShift
      | UInt64(truncatingIfNeeded: start)
  }

  /// Sets the position after the last byte of a string, number, boolean or null.
  @inline(__always)
  mutating func end(at position: Int, isEscaped: Bool) {
    bits |=
      UInt64(truncatingIfNeeded: position) << Self.extentShift | (isEscaped ? Self.escapedBit : 0)
  }

  /// Sets the number of the first value after the contents of an array or object.
  @inline(__always)
  mutating func close(before node: Int) {
    bits |= UInt64(truncatingIfNeeded: node) << Self.extentShift | Self.containerBit
  }

  // MARK: The value

  /// The position of the first byte, which determines the kind of value.
  @inlinable
  @inline(__always)
  var start: Int { Int(truncatingIfNeeded: bits & (1 << Self.distanceShift - 1)) }

  /// For an array or object, the number of the first value after its contents; otherwise the position
  /// after its last byte.
  @inlinable
  @inline(__always)
  var extent: Int { Int(truncatingIfNeeded: bits >> Self.extentShift & (1 << 23 - 1)) }

  /// Whether it is an array or an object.
  @inlinable
  @inline(__always)
  var isContainer: Bool { bits & Self.containerBit != 0 }

  /// Whether it is a string that contains escapes.
  @inlinable
  @inline(__always)
  var isEscaped: Bool { bits & Self.escapedBit != 0 }

  /// The number of the first value after this one, whose number is given, and its contents.
  @inlinable
  @inline(__always)
  func following(_ node: Int) -> Int { isContainer ? extent : node &+ 1 }

  // MARK: The name

  /// Whether a ``JSONName`` describes the name.
  @inlinable
  @inline(__always)
  var hasIrregularName: Bool { bits & Self.irregularBit != 0 }

  /// Whether the name is regular and has exactly this many bytes, at most 61.
  @inlinable
  @inline(__always)
  func hasName(ofLength length: Int) -> Bool {
    // The bits of an irregular name could be taken for a greater length.
    assert(length < 62)
    return bits >> Self.lengthShift == UInt64(truncatingIfNeeded: length)
  }

  /// The position of the first byte of a regular name; that of the value if it has no name.
  @inlinable
  @inline(__always)
  var nameStart: Int {
    start &- Int(truncatingIfNeeded: bits >> Self.distanceShift & 63)
  }

  /// The number of bytes of a regular name.
  @inlinable
  @inline(__always)
  var nameLength: Int { Int(truncatingIfNeeded: bits >> Self.lengthShift & 63) }
}

/// An irregular name of a value.
@usableFromInline
struct JSONName: Sendable {
  /// The number of the value.
  let node: Int32
  /// The position of its first byte.
  let start: Int32
  /// Its number of bytes, escapes as they are written.
  let length: Int32
  let isEscaped: Bool

  init(node: Int, start: Int, length: Int, isEscaped: Bool) {
    self.node = Int32(truncatingIfNeeded: node)
    self.start = Int32(truncatingIfNeeded: start)
    self.length = Int32(truncatingIfNeeded: length)
    self.isEscaped = isEscaped
  }
}
