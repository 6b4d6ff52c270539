import Foundation
import Testing

@testable import OAuth

@Suite("Secrets do not show")
struct RedactionTests {
  private static let word = "MZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBR"

  /// Everything that holds a secret, the secret being the word above in each.
  private static let holders: [any Sendable] = {
    let secret = Secret(word)
    let uri = OTPAuthURI(issuer: "Shop", account: "amal", secret: secret)
    return [
      secret, uri, uri.text, [secret], ["key": secret], (1, secret), Secret?.some(secret),
      TokenRequest(interactionCode: secret, clientID: "c", codeVerifier: secret),
      TokenRequest(refreshToken: secret, clientID: "c"),
      TokenRequest(revoking: secret, kind: .refresh, clientID: "c"),
      Tokens(accessToken: secret, refreshToken: secret, idToken: secret, deviceSecret: secret),
      PKCE(verifier: secret) as any Sendable, TOTP(base32: secret) as any Sendable,
    ]
  }()

  @Test("No way of printing shows a secret", arguments: holders.indices)
  func printing(_ index: Int) {
    let holder = Self.holders[index]
    var dumped = ""
    dump(holder, to: &dumped)
    let texts = [String(describing: holder), String(reflecting: holder), "\(holder)", dumped]
    for text in texts {
      #expect(!text.contains(Self.word))
      #expect(!text.contains("77, 90, 88, 87"), "The word's bytes show.")
      #expect(!text.contains("102, 111, 111, 98"), "The key's bytes show.")
    }
  }

  @Test("A secret shows that it is one")
  func shown() {
    #expect("\(Secret(Self.word))" == "‹secret›")
    #expect(String(reflecting: Secret("")) == "‹secret›")
    #expect(Mirror(reflecting: Secret(Self.word)).children.isEmpty)
  }

  @Test("Errors of encoders and decoders do not show it")
  func coders() throws {
    struct Snapshot: Codable {
      var secret: Secret
      var number: Double
    }
    let snapshot = Snapshot(secret: Secret(Self.word), number: .infinity)
    let encoding = try #require(throws: EncodingError.self) {
      _ = try JSONEncoder().encode(snapshot)
    }
    let data = Data(#"{"secret":"\#(Self.word)","number":"\#(Self.word)"}"#.utf8)
    let decoding = try #require(throws: DecodingError.self) {
      _ = try JSONDecoder().decode(Snapshot.self, from: data)
    }
    let invalid = EncodingError.invalidValue(
      snapshot.secret, EncodingError.Context(codingPath: [], debugDescription: "\(snapshot)"))
    for error in [encoding, decoding, invalid] as [any Error] {
      #expect(
        !"\(error) \(String(reflecting: error)) \(error.localizedDescription)".contains(Self.word))
    }
  }

  @Test("A secret is encoded as one string, in the clear, and read back")
  func coding() throws {
    let secret: Secret = "a\"b"
    let data = try JSONEncoder().encode([secret])
    #expect(String(decoding: data, as: UTF8.self) == #"["a\"b"]"#)
    #expect(try JSONDecoder().decode([Secret].self, from: data) == [secret])
    #expect(secret.revealed == "a\"b")
    #expect(secret != "b")
  }
}
