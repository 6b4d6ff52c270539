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
    struct Group: Decodable {
      let tagSize: Int
      let tests: [Vector]
    }

    let file = try read(VectorFile<Group>.self, name)
    var counts = Counts()
    for group in file.testGroups {
      expectEqual(group.tagSize % 8, 0)
      for test in group.tests {
        let key = try require(test.key.flatMap(bytes(hex:)))
        let message = try require(test.msg.flatMap(bytes(hex:)))
        let tag = try require(test.tag.flatMap(bytes(hex:)))
        let code = Array(function.hmac(key: key, message).prefix(group.tagSize / 8))
        let isEqual = equalInConstantTime(code, tag)
        expectEqual(isEqual, test.isValid, "\(test)")
        counts.add(isEqual)
      }
    }
    counts.check(file.numberOfTests)
  }

  @Test("RSASSA-PKCS1-v1_5 accepts only valid signatures", arguments: [2048, 3072, 4096])
  func rsa(_ size: Int) throws {
    struct Group: Decodable {
      let publicKey: Key
      let publicKeyAsn: String
      let tests: [Vector]

      struct Key: Decodable {
        let modulus: String
        let publicExponent: String
      }
    }

    let file = try read(VectorFile<Group>.self, "rsa_signature_\(size)_sha256_test.json")
    var counts = Counts()
    for group in file.testGroups {
      let modulus = try require(bytes(hex: group.publicKey.modulus))
      let exponent = try require(bytes(hex: group.publicKey.publicExponent))
      let key = try require(RSAPublicKey(modulus: modulus, exponent: exponent))
      expectEqual(hex(key.encoded), group.publicKeyAsn)
      for test in group.tests {
        let signature = try require(test.sig.flatMap(bytes(hex:)))
        let message = try require(test.msg.flatMap(bytes(hex:)))
        let isAccepted = key.verify(signature, of: message)
        // A signer does not build signatures that are only “acceptable”, so they are refused too.
        expectEqual(isAccepted, test.isValid, "\(test)")
        expectEqual(key.verifyInSwift(signature, of: message), isAccepted, "\(test)")
        counts.add(isAccepted)
      }
    }
    counts.check(file.numberOfTests)
  }

  @Test("A JSON Web Signature is accepted if it is valid and uses RS256 or ES256")
  func jws() throws {
    struct Group: Decodable {
      let `public`: Key?
      let `private`: Key
      let tests: [Vector]

      struct Key: Decodable {
        let alg: String?
      }
    }

    let name = "json_web_signature_test.json"
    let file = try read(VectorFile<Group>.self, name)
    let object = try JSONSerialization.jsonObject(with: try contents(name))
    let raw = try require(object as? [String: Any])
    let rawGroups = try require(raw["testGroups"] as? [[String: Any]])
    var counts = Counts()
    for (group, rawGroup) in zip(file.testGroups, rawGroups) {
      let key = try require(rawGroup["public"] ?? rawGroup["private"])
      let keys = try JSONWebKeySet(
        parsing: Array(try JSONSerialization.data(withJSONObject: ["keys": [key]])))
      let isSupported = ["RS256", "ES256"].contains((group.public ?? group.private).alg)
      for test in group.tests {
        let text = try require(test.jws)
        let isAccepted = (try? JWT(parsing: Secret(text)).verify(with: keys)) != nil
        expectEqual(isAccepted, (isSupported && test.isValid), "\(test)")
        counts.add(isAccepted)
      }
    }
    counts.check(file.numberOfTests)
  }

  @Test("ES256 accepts only valid signatures")
  func es256() throws {
    struct Group: Decodable {
      let `public`: Key?
      let tests: [Vector]

      struct Key: Decodable {
        let alg: String?
        let x: String?
        let y: String?
      }
    }

    let file = try read(VectorFile<Group>.self, "json_web_signature_test.json")
    var counts = Counts()
    for group in file.testGroups where group.public?.alg == "ES256" {
      let key = P256.PublicKey(
        x: try require(group.public?.x.flatMap { Base64URL.decode($0) }),
        y: try require(group.public?.y.flatMap { Base64URL.decode($0) }))
      for test in group.tests {
        let parts = try require(test.jws).split(separator: ".", omittingEmptySubsequences: false)
        let signature = Base64URL.decode(String(parts.last ?? "")) ?? []
        // A JWS has three parts, and the signature two numbers of the same length (RFC 7518, section 3.4).
        let isAccepted =
          parts.count == 3 && signature.count == 64
          && P256.verify(
            P256.Signature(r: Array(signature.prefix(32)), s: Array(signature.suffix(32))),
            of: Array(parts.dropLast().joined(separator: ".").utf8), by: key)
        expectEqual(isAccepted, test.isValid, "\(test)")
        counts.add(isAccepted)
      }
    }
    counts.check(39)
  }

  private func contents(_ name: String) throws -> Data {
    let folder = URL(fileURLWithPath: try require(folder))
    return try Data(contentsOf: folder.appendingPathComponent(name))
  }

  private func read<File: Decodable>(_ type: File.Type, _ name: String) throws -> File {
    try JSONDecoder().decode(type, from: contents(name))
  }
}

private struct VectorFile<Group: Decodable>: Decodable {
  let numberOfTests: Int
  let testGroups: [Group]
}

/// One test; it has only the inputs of its file.
private struct Vector: Decodable, CustomStringConvertible {
  let tcId: Int
  let comment: String
  let result: String
  let key: String?
  let msg: String?
  let tag: String?
  let sig: String?
  let jws: String?

  var isValid: Bool { result == "valid" }
  var description: String { "test \(tcId): \(comment)" }
}

/// How many tests of a file were accepted and refused.
private struct Counts {
  var accepted = 0
  var refused = 0

  mutating func add(_ isAccepted: Bool) {
    if isAccepted { accepted += 1 } else { refused += 1 }
  }

  func check(_ total: Int) {
    expect(accepted > 0)
    expect(refused > 0)
    expectEqual(accepted + refused, total)
  }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: [UInt8]) -> String {
  let digits = Array("0123456789abcdef")
  return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
}

/// Bytes from hexadecimal digits; nil for any other text.
private func bytes(hex text: String) -> [UInt8]? {
  guard text.utf8.count % 2 == 0 else { return nil }
  var rest = text[...]
  var bytes: [UInt8] = []
  while !rest.isEmpty {
    guard let byte = UInt8(rest.prefix(2), radix: 16) else { return nil }
    bytes.append(byte)
    rest = rest.dropFirst(2)
  }
  return bytes
}
