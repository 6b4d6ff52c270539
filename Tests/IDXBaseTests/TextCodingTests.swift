import Expectations
import IDXBase
import Testing

/// Base32 and Base64url.
struct TextCodingTests {
  @Test(
    "Base32 and Base64url write and read the examples of RFC 4648, without padding",
    arguments: [
      ("", "", ""), ("f", "MY", "Zg"), ("fo", "MZXQ", "Zm8"), ("foo", "MZXW6", "Zm9v"),
      ("foob", "MZXW6YQ", "Zm9vYg"), ("fooba", "MZXW6YTB", "Zm9vYmE"),
      ("foobar", "MZXW6YTBOI", "Zm9vYmFy"),
    ])
  func examples(_ plain: String, _ base32: String, _ base64: String) {
    let bytes = Array(plain.utf8)
    expect(Base32.encode(bytes) == base32 && Base32.decode(base32) == bytes)
    expect(Base64URL.encode(bytes) == base64 && Base64URL.decode(base64) == bytes)
  }

  @Test("Base32 is read as people copy it, and other texts are refused")
  func lenientBase32() {
    for text in [
      "mzxw6ytboi", "MZXW6YTBOI======", "mzxw 6ytb oi", "MZXW-6YTB-OI", " MZXW6YTBOI\n",
      "MzXw6yTbOi=",
      // The last character may have extra bits.
      "MZXW6YTBOJ",
    ] {
      expectEqual(Base32.decode(text), Array("foobar".utf8), "\(text)")
    }
    for text in [
      "MZXW6YT0", "MZXW6YT1", "MZXW6YT8", "M", "MZX", "MZXW6Y", "MZ=XW6", "MZXW6YTB.", "ſZXW6YTB",
      "МZXW6YTB", "MZXW6YTB\u{0}",
    ] {
      expectEqual(Base32.decode(text), nil, "\(text)")
    }
  }

  @Test("Base64url uses a hyphen and an underscore, and has only one text for each value")
  func base64() {
    expectEqual(Base64URL.encode([0xfb, 0xff, 0xbf]), "-_-_")
    expectEqual(Base64URL.decode("-_-_"), [0xfb, 0xff, 0xbf])
    for text in ["Zg==", "Zm8=", "+/+/", "Zh", "Zm9", "Zm9vY", "Zm 9v", "Zm9v\n", "Zm9v."] {
      expectEqual(Base64URL.decode(text), nil, "\(text)")
    }
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
