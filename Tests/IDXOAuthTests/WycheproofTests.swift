import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

// The vectors are not ours to hand on: set IDX_WYCHEPROOF to a folder that holds them to run this.
private let folder = ProcessInfo.processInfo.environment["IDX_WYCHEPROOF"]

@Suite("Wycheproof", .enabled(if: folder != nil, "IDX_WYCHEPROOF names no folder of vectors"))
struct WycheproofTests {
  @Test(
    "HMAC accepts every valid tag and no other",
    arguments: [
      ("hmac_sha1_test.json", HashFunction.sha1), ("hmac_sha256_test.json", .sha256),
    ])
  func hmac(_ name: String, _ function: HashFunction) throws {
    let file = try read(HMACFile.self, name)

    var accepted = 0
    var refused = 0
    for group in file.testGroups {
      #expect(group.tagSize % 8 == 0)
      for test in group.tests {
        let key = try #require(bytes(hex: test.key))
        let message = try #require(bytes(hex: test.msg))
        let tag = try #require(bytes(hex: test.tag))
        let code = Array(function.hmac(key: key, message).prefix(group.tagSize / 8))
        let isEqual = equalInConstantTime(code, tag)
        #expect(isEqual == (test.result == "valid"), "test \(test.tcId): \(test.comment)")
        if isEqual { accepted += 1 } else { refused += 1 }
      }
    }
    #expect(accepted > 0)
    #expect(refused > 0)
    #expect(accepted + refused == file.numberOfTests)
  }

  @Test(
    "RSASSA-PKCS1-v1_5 accepts every valid signature and no other",
    arguments: [2048, 3072, 4096])
  func rsa(_ size: Int) throws {
    let file = try read(RSAFile.self, "rsa_signature_\(size)_sha256_test.json")
    var accepted = 0
    var refused = 0
    for group in file.testGroups {
      let modulus = try #require(bytes(hex: group.publicKey.modulus))
      let exponent = try #require(bytes(hex: group.publicKey.publicExponent))
      let key = try #require(RSAPublicKey(modulus: modulus, exponent: exponent))
      #expect(hex(key.encoded) == group.publicKeyAsn)
      for test in group.tests {
        let signature = try #require(bytes(hex: test.sig))
        let message = try #require(bytes(hex: test.msg))
        let isAccepted = key.verify(signature, of: message)
        // What is “acceptable” is not what a signer builds, so it is refused too.
        #expect(isAccepted == (test.result == "valid"), "test \(test.tcId): \(test.comment)")
        #expect(key.verifyByOwnMeans(signature, of: message) == isAccepted, "test \(test.tcId)")
        if isAccepted { accepted += 1 } else { refused += 1 }
      }
    }
    #expect(accepted > 0)
    #expect(refused > 0)
    #expect(accepted + refused == file.numberOfTests)
  }

  @Test("A JSON Web Signature is accepted where it is valid and by RS256")
  func jws() throws {
    let name = "json_web_signature_test.json"
    let file = try read(JWSFile.self, name)
    let object = try JSONSerialization.jsonObject(with: try contents(name))
    let raw = try #require(object as? [String: Any])
    let groups = try #require(raw["testGroups"] as? [[String: Any]])
    var accepted = 0
    var refused = 0
    for (group, rawGroup) in zip(file.testGroups, groups) {
      let key = try #require(rawGroup["public"] ?? rawGroup["private"])
      let keys = try JSONWebKeySet(
        parsing: Array(try JSONSerialization.data(withJSONObject: ["keys": [key]])))
      let isOurs = (group.public ?? group.private).alg == "RS256"
      for test in group.tests {
        let isAccepted =
          (try? JWT(parsing: Secret(test.jws)).verify(with: keys)) != nil
        #expect(
          isAccepted == (isOurs && test.result == "valid"), "test \(test.tcId): \(test.comment)")
        if isAccepted { accepted += 1 } else { refused += 1 }
      }
    }
    #expect(accepted > 0)
    #expect(refused > 0)
    #expect(accepted + refused == file.numberOfTests)
  }

  private func contents(_ name: String) throws -> Data {
    let folder = URL(fileURLWithPath: try #require(folder))
    return try Data(contentsOf: folder.appendingPathComponent(name))
  }

  private func read<File: Decodable>(_ type: File.Type, _ name: String) throws -> File {
    try JSONDecoder().decode(type, from: contents(name))
  }
}

private struct RSAFile: Decodable {
  let numberOfTests: Int
  let testGroups: [Group]

  struct Group: Decodable {
    let publicKey: Key
    let publicKeyAsn: String
    let tests: [Vector]
  }

  struct Key: Decodable {
    let modulus: String
    let publicExponent: String
  }

  struct Vector: Decodable {
    let tcId: Int
    let comment: String
    let msg: String
    let sig: String
    let result: String
  }
}

private struct JWSFile: Decodable {
  let numberOfTests: Int
  let testGroups: [Group]

  struct Group: Decodable {
    let `public`: Key?
    let `private`: Key
    let tests: [Vector]
  }

  struct Key: Decodable {
    let alg: String?
  }

  struct Vector: Decodable {
    let tcId: Int
    let comment: String
    let jws: String
    let result: String
  }
}

private struct HMACFile: Decodable {
  let numberOfTests: Int
  let testGroups: [Group]

  struct Group: Decodable {
    let tagSize: Int
    let tests: [Vector]
  }

  struct Vector: Decodable {
    let tcId: Int
    let comment: String
    let key: String
    let msg: String
    let tag: String
    let result: String
  }
}
