/// Base32, in which the keys of authenticator apps are written.
///
/// Source: RFC 4648, section 6.
public enum Base32 {
  /// The text of these bytes, in capitals, without padding.
  public static func encode(_ bytes: [UInt8]) -> String { coding.encode(bytes) }

  /// The bytes of a text as people copy it; nil where it is not Base32.
  ///
  /// Lower case, white space, hyphens and padding at the end are allowed for, and what the last
  /// character holds beyond whole bytes is passed over.
  public static func decode(_ text: String) -> [UInt8]? {
    var characters = text.utf8.filter { !separators.contains($0) }
    while characters.last == UInt8(ascii: "=") { characters.removeLast() }
    return coding.decode(characters.map(inCapitals), ignoringLeftover: true)
  }

  private static let coding = TextCoding(alphabet: "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

  private static func inCapitals(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
  }

  private static let separators = Array(" \t\r\n-".utf8)
}
