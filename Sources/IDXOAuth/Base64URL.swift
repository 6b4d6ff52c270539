/// Base64 for URLs and file names, without padding.
///
/// Source: RFC 4648, section 5; RFC 7515, section 2.
public enum Base64URL {
  /// The text of these bytes.
  public static func encode(_ bytes: [UInt8]) -> String { coding.encode(bytes) }

  /// The bytes of a text; nil where it is not exactly what ``encode(_:)`` writes.
  ///
  /// Padding, white space and left-over bits are refused, so that each value has one text only.
  public static func decode(_ text: String) -> [UInt8]? {
    coding.decode(text.utf8, ignoringLeftover: false)
  }

  private static let coding = TextCoding(
    alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}
