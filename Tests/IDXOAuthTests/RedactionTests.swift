import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

@Suite("Secrets do not show")
struct RedactionTests {
  private static let word = "MZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBR"

  /// Everything that holds a secret, the secret being the word above in each.
  private static let holders: [any Sendable] = {
    let secret = Secret(word)
    var expectation = IDTokenExpectation(issuer: URL(fileURLWithPath: "/"), clientID: "c")
    expectation.nonce = secret
    expectation.accessToken = secret
    expectation.deviceSecret = secret
    let uri = OTPAuthURI(issuer: "Shop", account: "amal", secret: secret)
    return [
      secret, uri, uri.text, [secret], ["key": secret], (1, secret), Secret?.some(secret),
      TokenRequest(interactionCode: secret, clientID: "c", codeVerifier: secret),
      TokenRequest(refreshToken: secret, clientID: "c"),
      TokenRequest(revoking: secret, kind: .refresh, clientID: "c"),
      Tokens(accessToken: secret, refreshToken: secret, idToken: secret, deviceSecret: secret),
      Credential(
        id: Credential.ID(issuer: URL(fileURLWithPath: "/"), clientID: "c", subject: "s"),
        tokens: Tokens(accessToken: secret), receivedAt: .distantPast, nonce: secret),
      expectation, IDTokenExpectation?.some(expectation),
      PKCE(verifier: secret) as any Sendable, TOTPGenerator(base32: secret) as any Sendable,
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

  @Test("A token that is refused is not quoted, nor are its claims or what was expected")
  func refusedTokens() throws {
    let good = SampleToken()
    let hidden = ["n-0S6-invented", "at-invented", "ds-invented", good.text]
    let parts = good.text.split(separator: ".").map(String.init)
    var expectation = SampleToken.expectation
    var errors = [
      good.text + "A", parts[0] + "." + parts[1], "\(parts[1]).\(parts[1]).", parts[2],
    ].map { text in
      #expect(throws: IDTokenError.self) {
        try IDToken(
          validating: Secret(text), by: expectation, keys: InventedIssuer.keys(),
          at: SampleToken.now)
      }
    }
    for change in [
      \IDTokenExpectation.nonce, \.accessToken, \.deviceSecret,
    ] as [WritableKeyPath<IDTokenExpectation, Secret?>] {
      expectation = SampleToken.expectation
      expectation[keyPath: change] = Secret(Self.word)
      errors.append(#expect(throws: IDTokenError.self) { try good.validated(by: expectation) })
    }
    for error in errors {
      let error = try #require(error)
      let bridged = error as NSError
      let shown =
        "\(error) \(String(reflecting: error)) \(error.localizedDescription) \(bridged) "
        + "\(bridged.userInfo)"
      for secret in hidden + parts + [Self.word] { #expect(!shown.contains(secret)) }
    }
  }

  @Test("What is read of a token shows neither its text nor its nonce")
  func readTokens() throws {
    let token = SampleToken()
    let parsed = try JWT(parsing: Secret(token.text))
    let validated = try token.validated()
    for holder in [parsed, validated] as [any Sendable] {
      var dumped = ""
      dump(holder, to: &dumped)
      let shown = "\(holder) \(String(reflecting: holder)) \(dumped)"
      for secret in token.text.split(separator: ".").map(String.init) + ["n-0S6-invented"] {
        #expect(!shown.contains(secret))
      }
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
