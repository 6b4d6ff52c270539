import Foundation
import Testing

@testable import OAuth

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
    let url = URL(fileURLWithPath: try #require(folder)).appendingPathComponent(name)
    let file = try JSONDecoder().decode(VectorFile.self, from: try Data(contentsOf: url))

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
}

private struct VectorFile: Decodable {
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
