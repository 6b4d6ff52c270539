import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

// The vectors are not part of this package. Set IDX_WYCHEPROOF to their folder to run these tests.
private let folder = ProcessInfo.processInfo.environment["IDX_WYCHEPROOF"]

@Suite("Wycheproof", .enabled(if: folder != nil, "IDX_WYCHEPROOF is not set"))
struct WycheproofTests {
  @Test(
    "HMAC accepts only valid tags",
    arguments: [
      ("hmac_sha1_test.json", HashFunction.sha1), ("hmac_sha256_test.json", .sha256),
    ])
  func hmac(_ name: String, _ function: HashFunction) throws {
    try check(name) { group, test in
      let size = try require(group["tagSize"]?.integer)
      expectEqual(size % 8, 0)
      let code = try function.hmac(key: bytes(test["key"]), bytes(test["msg"]))
      return try equalInConstantTime(Array(code.prefix(size / 8)), bytes(test["tag"]))
    }
  }

  @Test("RSASSA-PKCS1-v1_5 accepts only valid signatures", arguments: [2048, 3072, 4096])
  func rsa(_ size: Int) throws {
    // A signer does not build signatures that are only “acceptable”, so they are refused too.
    try check("rsa_signature_\(size)_sha256_test.json") { group, test in
      let numbers = group["publicKey"]
      let key = try require(
        RSAPublicKey(
          modulus: bytes(numbers?["modulus"]), exponent: bytes(numbers?["publicExponent"])))
      expectEqual(hex(key.encoded), group["publicKeyAsn"]?.string)
      let (signature, message) = (try bytes(test["sig"]), try bytes(test["msg"]))
      let isAccepted = key.verify(signature, of: message)
      expectEqual(key.verifyInSwift(signature, of: message), isAccepted)
      return isAccepted
    }
  }

  @Test("A JSON Web Signature is accepted if it is valid and uses RS256 or ES256")
  func jws() throws {
    func key(of group: JSONValue) throws -> JSONValue {
      try require(group["public"] ?? group["private"])
    }
    try check(
      "json_web_signature_test.json",
      accepts: { group, test in
        let keys = try TestIssuer.keys(key(of: group).text)
        let token = Secret(try require(test["jws"]?.string))
        return (try? JWT(parsing: token).verify(with: keys)) != nil
      },
      isSupported: { try ["RS256", "ES256"].contains(key(of: $0)["alg"]?.string) })
  }

  /// Expects that the valid tests of the supported groups are accepted, and that all others are refused.
  private func check(
    _ name: String, accepts: (_ group: JSONValue, _ test: JSONValue) throws -> Bool,
    isSupported: (_ group: JSONValue) throws -> Bool = { _ in true }
  ) throws {
    let file = URL(fileURLWithPath: try require(folder)).appendingPathComponent(name)
    let vectors = try JSONValue(parsing: Array(Data(contentsOf: file)))
    var counts = [true: 0, false: 0]
    for group in vectors["testGroups"]?.array ?? [] {
      for test in group["tests"]?.array ?? [] {
        let isAccepted = try accepts(group, test)
        let isValid = try test["result"]?.string == "valid" && isSupported(group)
        expectEqual(isAccepted, isValid, "test \(test["tcId"]?.integer ?? 0)")
        counts[isAccepted, default: 0] += 1
      }
    }
    expect(counts.values.allSatisfy { $0 > 0 })
    expectEqual(counts.values.reduce(0, +), vectors["numberOfTests"]?.integer)
  }

  private func bytes(_ value: JSONValue?) throws -> [UInt8] { hex(try require(value?.string)) }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}
