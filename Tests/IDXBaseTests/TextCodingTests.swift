import Expectations
import IDXBase
import Testing

/// Base32 and Base64url.
struct TextCodingTests {
  @Test(
    "Base32 writes and reads the examples of RFC 4648, without padding",
    arguments: [
      ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"),
      ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI"),
    ])
  func base32(_ plain: String, _ text: String) {
    expectEqual(Base32.encode(Array(plain.utf8)), text)
    expectEqual(Base32.decode(text), Array(plain.utf8))
  }

  @Test(
    "Base32 is read as people copy it",
    arguments: [
      "mzxw6ytboi", "MZXW6YTBOI======", "mzxw 6ytb oi", "MZXW-6YTB-OI", " MZXW6YTBOI\n",
      "MzXw6yTbOi=",
      // The last character may have extra bits.
      "MZXW6YTBOJ",
    ])
  func lenientBase32(_ text: String) {
    expectEqual(Base32.decode(text), Array("foobar".utf8))
  }

  @Test(
    "Text that is not Base32 is refused",
    arguments: [
      "MZXW6YT0", "MZXW6YT1", "MZXW6YT8", "M", "MZX", "MZXW6Y", "MZ=XW6", "MZXW6YTB.", "ſZXW6YTB",
      "МZXW6YTB", "MZXW6YTB\u{0}",
    ])
  func noBase32(_ text: String) {
    expectEqual(Base32.decode(text), nil)
  }

  @Test(
    "Base64url writes and reads the examples of RFC 4648, without padding",
    arguments: [
      ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
      ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
    ])
  func base64(_ plain: String, _ text: String) {
    expectEqual(Base64URL.encode(Array(plain.utf8)), text)
    expectEqual(Base64URL.decode(text), Array(plain.utf8))
  }

  @Test("Base64url uses a hyphen and an underscore")
  func base64Alphabet() {
    expectEqual(Base64URL.encode([0xfb, 0xff, 0xbf]), "-_-_")
    expectEqual(Base64URL.decode("-_-_"), [0xfb, 0xff, 0xbf])
  }

  @Test(
    "Base64url has only one text for each value",
    arguments: ["Zg==", "Zm8=", "+/+/", "Zh", "Zm9", "Zm9vY", "Zm 9v", "Zm9v\n", "Zm9v."])
  func noBase64(_ text: String) {
    expectEqual(Base64URL.decode(text), nil)
  }

  @Test("Bytes of every length are the same after writing and reading", arguments: 0...70)
  func roundTrip(_ length: Int) {
    let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 151 + length * 7) }
    expectEqual(Base32.decode(Base32.encode(bytes)), bytes)
    expectEqual(Base64URL.decode(Base64URL.encode(bytes)), bytes)
  }

  @Test(
    "Bytes are a text only if they are valid UTF-8",
    arguments: [
      ([], ""), ([0x61, 0xc3, 0xa4], "aä"), ([0xef, 0xbf, 0xbd], "\u{FFFD}"), ([0x00], "\0"),
      ([0xff], nil), ([0xc3], nil), ([0xc0, 0x80], nil), ([0xed, 0xa0, 0x80], nil),
      ([0x61, 0x80], nil),
    ] as [([UInt8], String?)])
  func validUTF8(_ bytes: [UInt8], _ text: String?) {
    expectEqual(String(validUTF8: bytes), text)
  }
}
