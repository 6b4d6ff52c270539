import Expectations
import Testing

@testable import IDXFlow

/// CBOR.
struct CBORTests {
  // The examples are from RFC 8949, appendix A.
  @Test(
    "Values are encoded and decoded like in the standard",
    arguments: [
      (CBOR.integer(0), "00"), (.integer(23), "17"), (.integer(24), "1818"),
      (.integer(100), "1864"), (.integer(1000), "1903e8"), (.integer(1_000_000), "1a000f4240"),
      (.integer(1_000_000_000_000), "1b000000e8d4a51000"), (.integer(-1), "20"),
      (.integer(-100), "3863"), (.integer(-1000), "3903e7"), (.bool(false), "f4"),
      (.bool(true), "f5"), (.bytes([]), "40"), (.bytes([1, 2, 3, 4]), "4401020304"),
      (.text("IETF"), "6449455446"), (.text("\u{fc}"), "62c3bc"), (.array([]), "80"),
      (.array([1, .array([2, 3])]), "8201820203"), (.map([:]), "a0"),
      (.map([1: 2, 3: 4]), "a201020304"),
      (.map(["a": 1, "b": .array([2, 3])]), "a26161016162820203"),
    ])
  func standard(value: CBOR, text: String) {
    expectEqual(value.encoded, bytes(text))
    expectEqual(CBOR(bytes(text)), value)
  }

  @Test("The keys of a map are in the order of CTAP2: by type, length and bytes")
  func order() {
    let key: CBOR = .map([-3: .bytes([3]), -2: .bytes([2]), -1: 1, 3: -7, 1: 2])
    expectEqual(key.encoded, bytes("a5010203262001214102224103"))
    let object = CBOR.attestation(format: "none", statement: [:], authenticatorData: [9])
    expectEqual(
      object.encoded, bytes("a363666d74646e6f6e656761747453746d74a068617574684461746141") + [9])
  }

  @Test(
    "Truncated, too deep, duplicate, indefinite and unknown values are refused",
    arguments: [
      "", "18", "4401", "6449", "8201", "a101", "a201020102", "5f4101ff", "f6",
      "fb3ff199999999999a",
      "c001", "62c328", "0000", "1bffffffffffffffff", "9a7fffffff", "81818181818181818180",
    ])
  func refused(text: String) {
    expectEqual(CBOR(bytes(text)), nil)
  }

  @Test("The first value is read with its length")
  func prefix() {
    let found = CBOR.prefix(of: (bytes("820102") + [7, 7])[...])
    expectEqual(found?.value, .array([1, 2]))
    expectEqual(found?.length, 3)
  }

  private func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue).map(UInt8.init)
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
}
