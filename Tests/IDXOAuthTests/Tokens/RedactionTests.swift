import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// Redaction.
struct RedactionTests {
  private static let word = "MZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBRMZXW6YTBOI4TQNBR"

  /// A value of each type that has secrets, with the word above as each secret.
  private static let holders: [any Sendable] = {
    let secret = Secret(word)
    var expectation = IDTokenExpectation(issuer: URL(fileURLWithPath: "/"), clientID: "c")
    expectation.nonce = secret
    expectation.accessToken = secret
    expectation.deviceSecret = secret
    let uri = OTPAuthURI(issuer: "Shop", account: "amal", secret: secret)
    let tokens = Tokens(
      accessToken: secret, refreshToken: secret, idToken: secret, deviceSecret: secret)
    return [
      secret, uri, uri.text, [secret], ["key": secret], (1, secret), Secret?.some(secret),
      TokenRequest(interactionCode: secret, clientID: "c", codeVerifier: secret),
      TokenRequest(refreshToken: secret, clientID: "c"),
      TokenRequest(about: secret, kind: .refresh, clientID: "c"),
      tokens,
      Credential(
        id: Credential.ID(issuer: URL(fileURLWithPath: "/"), clientID: "c", subject: "s"),
        tokens: tokens, receivedAt: .distantPast, nonce: secret),
      expectation, IDTokenExpectation?.some(expectation),
      (try? PersonContext(address: "203.0.113.7", deviceToken: secret)) as any Sendable,
      PKCE(verifier: secret) as any Sendable, TOTPGenerator(base32: secret) as any Sendable,
    ]
  }()

  @Test("Printing a value in any way does not show its secrets", arguments: holders.indices)
  func printing(_ index: Int) {
    let text = printedTexts(of: Self.holders[index])
    expect(!text.contains(Self.word))
    expect(!text.contains("77, 90, 88, 87"), "The bytes of the word are shown.")
    expect(!text.contains("102, 111, 111, 98"), "The bytes of the key are shown.")
  }

  @Test("The error for a refused token does not quote the token, its claims or the expectation")
  func refusedTokens() throws {
    let good = SampleToken()
    let hidden = ["n-0S6-invented", "at-invented", "ds-invented", good.text]
    let parts = good.text.split(separator: ".").map(String.init)
    var errors = try [
      good.text + "A", parts[0] + "." + parts[1], "\(parts[1]).\(parts[1]).", parts[2],
    ].map { try SampleToken.refusal(of: $0) }
    for change in [
      \IDTokenExpectation.nonce, \.accessToken, \.deviceSecret,
    ] as [WritableKeyPath<IDTokenExpectation, Secret?>] {
      var expectation = SampleToken.expectation
      expectation[keyPath: change] = Secret(Self.word)
      errors.append(try good.refusal(by: expectation))
    }
    for error in errors {
      let shown = printedTexts(of: try require(error))
      for secret in hidden + parts + [Self.word] { expect(!shown.contains(secret)) }
    }
  }

  @Test("Printing a checked token does not show its text or nonce")
  func readTokens() throws {
    let token = SampleToken()
    let parsed = try JWT(parsing: Secret(token.text))
    let validated = try token.validated()
    for holder in [parsed, validated, SampleToken.expectation] as [any Sendable] {
      let shown = printedTexts(of: holder)
      let secrets = ["n-0S6", "invented\""] + token.text.split(separator: ".").map(String.init)
      for secret in secrets { expect(!shown.contains(secret)) }
      expect(!shown.contains("123, 34"), "The bytes of an object are shown.")
    }
    expectEqual("\(validated)", "ID token of amal@ocarina.example")
    expectEqual("\(parsed)", "signed JWT")
  }
}
