import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// Changed ID tokens.
struct IDTokenMutationTests {
  @Test("A token with one changed character is refused", .promise("id-token"), arguments: 0..<4)
  func everyCharacter(_ share: Int) throws {
    let text = Array(SampleToken().text.utf8)
    let keys = try TestIssuer.keys()
    let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.".utf8)
    for position in stride(from: share, to: text.count, by: 4) {
      var changed = text
      let place = try require(alphabet.firstIndex(of: text[position]))
      changed[position] = alphabet[(place + 1 + position % 63) % alphabet.count]
      let isAccepted = accepts(changed, keys)
      expect(!isAccepted, "character \(position)")
    }
  }

  @Test("A token that is cut short or extended is refused")
  func lengths() throws {
    let text = Array(SampleToken().text.utf8)
    let keys = try TestIssuer.keys()
    expect(accepts(text, keys))
    for count in stride(from: 0, to: text.count, by: 7) {
      expect(!accepts(Array(text.prefix(count)), keys))
      expect(!accepts(Array(text.suffix(count)), keys))
    }
    for end in ["A", "AA", "AAAA", ".", "=", "\n"] { expect(!accepts(text + end.utf8, keys)) }
  }

  // `Tests/Fuzzing` has random headers, key sets and tokens. No key has signed those tokens, so
  // their claims are not checked.
  @Test("Checks of randomly changed claims do not crash", arguments: 1...4 as ClosedRange<UInt64>)
  func noise(_ seed: UInt64) {
    var random = Xorshift(state: seed &* 0x9e37_79b9_7f4a_7c15)
    let members = SampleToken().claims.map { "\"\($0.key)\":\($0.value)" }
    let text = Array("{\(members.joined(separator: ","))}".utf8)
    var checkedCount = 0
    for _ in 0..<150 {
      guard let claims = try? IDTokenClaims(parsing: changed(text, &random)) else { continue }
      checkedCount += 1
      let check = IDTokenCheck(
        claims: claims, expectation: SampleToken.expectation, now: SampleToken.now)
      _ = try? check.issuer()
      _ = try? check.audience()
      _ = try? check.authorizedParty(among: [])
      _ = try? check.subject()
      _ = try? check.expiresAt()
      _ = try? check.notBefore()
      _ = try? check.issuedAt()
      _ = try? check.nonce()
      _ = try? check.authenticatedAt()
      _ = try? check.accessTokenHash()
    }
    expect(checkedCount > 0)
  }

  private func accepts(_ text: [UInt8], _ keys: JSONWebKeySet) -> Bool {
    let token = Secret(String(decoding: text, as: UTF8.self))
    return
      (try? IDToken(
        validating: token, by: SampleToken.expectation, keys: keys, at: SampleToken.now)) != nil
  }

  /// A copy with some bytes replaced, removed or inserted, or cut short.
  private func changed(_ bytes: [UInt8], _ random: inout Xorshift) -> [UInt8] {
    var bytes = bytes
    let marks = Array("{}[]\",:\\u09-.e \0".utf8)
    for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
      let position = Int.random(in: 0..<bytes.count, using: &random)
      let mark = marks[Int.random(in: 0..<marks.count, using: &random)]
      switch Int.random(in: 0...4, using: &random) {
      case 0: bytes[position] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes[position] = mark
      case 2: bytes.insert(mark, at: position)
      case 3: bytes.remove(at: position)
      default: bytes.removeLast(Int.random(in: 0...3, using: &random) == 0 ? position : 0)
      }
    }
    return bytes
  }
}

/// A generator that returns the same numbers for the same seed on every machine.
private struct Xorshift: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
