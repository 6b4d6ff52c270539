/// The JSON text that a typed value was read from: what this package does not know survives here.
///
/// It keeps the whole response alive and copies nothing. Two are equal when their bytes are.
public struct RawJSON: Sendable {
  private let document: [UInt8]
  private let lower: Int32
  private let upper: Int32

  /// The text of a value that was read between two positions of a document.
  init(document: [UInt8], from lower: Int, to upper: Int) {
    self.document = document
    self.lower = Int32(truncatingIfNeeded: lower)
    self.upper = Int32(truncatingIfNeeded: upper)
  }

  private var range: Range<Int> { Int(lower)..<Int(upper) }

  /// The bytes of the text, UTF-8.
  public var bytes: ArraySlice<UInt8> { document[range] }

  /// The value, read anew on each call.
  public var json: JSON {
    (try? read { reader throws(JSONError) in try reader.value() }) ?? .null
  }

  /// A member of the object, by its name on the wire; nil where there is none.
  ///
  /// Read anew on each call.
  public subscript(name: String) -> JSON? { json[name] }

  /// Reads the text again with a decoder.
  ///
  /// The text was checked when the response was read.
  func read<T>(_ body: (inout JSONReader) throws(JSONError) -> T) throws(JSONError) -> T {
    try JSONReader.fragment(of: document, range, body)
  }
}

extension RawJSON: Hashable {
  /// Whether both texts have the same bytes.
  public static func == (left: RawJSON, right: RawJSON) -> Bool { left.bytes == right.bytes }
  /// Feeds the bytes to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

// A response holds state handles and shared secrets: its text is shown to nobody unasked.
extension RawJSON: CustomStringConvertible, CustomReflectable {
  /// How many bytes there are, and none of them.
  public var description: String { "\(range.count) bytes of JSON" }
  /// Nothing to look into.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
