import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

@Suite("ID tokens")
struct IDTokenTests {
  @Test("A token of which everything holds is accepted, and read")
  func whole() throws {
    let token = try SampleToken().validated()
    #expect(token.subject == "00uAmal")
    #expect(token.issuer == "https://ocarina.example/oauth2/default")
    #expect(token.audience == ["0oaInvented"])
    #expect(token.issuedAt == SampleToken.now)
    #expect(token.expiresAt == SampleToken.now.addingTimeInterval(3600))
    #expect(token.authenticatedAt == SampleToken.now.addingTimeInterval(-100))
    #expect(token.nonce == "n-0S6-invented")
    #expect(token.preferredUsername == "amal@ocarina.example")
    #expect(token.name == "Amal Øst")
    #expect(token.email == "amal@ocarina.example")
    #expect(String(decoding: token.payload, as: UTF8.self).contains(#""sub":"00uAmal""#))
  }

  @Test(
    "Tokens that another implementation signed are accepted",
    arguments: ForeignTokens.tokens.map { Secret($0) })
  func foreign(_ text: Secret) throws {
    let keys = try JSONWebKeySet(parsing: Array(ForeignTokens.keys.utf8))
    let token = try IDToken(
      validating: text, by: SampleToken.expectation, keys: keys, at: SampleToken.now)
    #expect(token.subject == "00uAmal")
    #expect(token.name == "Amal Øst")
    let error = try #require(throws: IDTokenError.self) {
      _ = try IDToken(
        validating: text, by: SampleToken.expectation, keys: InventedIssuer.keys(),
        at: SampleToken.now)
    }
    #expect(error.code == .unknownKey)
  }

  @Test("A token of nothing but what is required is accepted where nothing else is expected")
  func least() throws {
    var sample = SampleToken()
    sample.claims = sample.claims.filter { ["iss", "aud", "sub", "iat", "exp"].contains($0.key) }
    let token = try sample.validated(
      by: IDTokenExpectation(issuer: SampleToken.expectation.issuer, clientID: "0oaInvented"))
    #expect(token.authenticatedAt == nil)
    #expect(token.nonce == nil)
    #expect(token.preferredUsername == nil)
  }

  @Test("A claim that does not hold is named", arguments: Change.refused)
  func refused(_ change: Change) throws {
    var sample = SampleToken()
    sample.claims[change.claim] = change.value
    let error = try #require(throws: IDTokenError.self) { _ = try sample.validated() }
    #expect(error.code == change.code, "\(error)")
    #expect(error.message.hasSuffix("."))
    #expect(error.localizedDescription == error.message)
    for secret in ["n-0S6-invented", "at-invented", "ds-invented", sample.text] {
      #expect(!"\(error) \(String(reflecting: error))".contains(secret))
    }
  }

  @Test("A claim that holds in another way is accepted", arguments: Change.accepted)
  func accepted(_ change: Change) throws {
    var sample = SampleToken()
    sample.claims[change.claim] = change.value
    _ = try sample.validated()
  }

  @Test("What is expected decides", arguments: Demand.refused)
  func expected(_ demand: Demand) throws {
    var expectation = SampleToken.expectation
    demand.change(&expectation)
    let error = try #require(throws: IDTokenError.self) {
      _ = try SampleToken().validated(by: expectation)
    }
    #expect(error.code == demand.code, "\(error)")
  }

  @Test("What is not expected is not checked", arguments: ["nonce", "at_hash", "ds_hash"])
  func unexpected(_ claim: String) throws {
    var expectation = SampleToken.expectation
    (expectation.nonce, expectation.accessToken, expectation.deviceSecret) = (nil, nil, nil)
    var sample = SampleToken()
    for value in [#""other""#, "7", nil] {
      sample.claims[claim] = value
      _ = try sample.validated(by: expectation)
    }
  }

  @Test("After a refresh the nonce may be left out, and not be another")
  func refreshed() throws {
    var expectation = SampleToken.expectation
    expectation.mayOmitNonce = true
    var sample = SampleToken()
    _ = try sample.validated(by: expectation)
    sample.claims["nonce"] = nil
    #expect(try sample.validated(by: expectation).nonce == nil)
    for value in [#""other""#, #""""#, "7"] {
      sample.claims["nonce"] = value
      let error = try #require(throws: IDTokenError.self) {
        _ = try sample.validated(by: expectation)
      }
      #expect(error.code == .nonce)
    }
  }

  @Test("Several clients need to say which of them the token was handed to")
  func authorizedParty() throws {
    var sample = SampleToken()
    sample.claims["aud"] = #"["0oaOther","0oaInvented"]"#
    let error = try #require(throws: IDTokenError.self) { _ = try sample.validated() }
    #expect(error.code == .authorizedParty)
    sample.claims["azp"] = #""0oaInvented""#
    #expect(try sample.validated().audience == ["0oaOther", "0oaInvented"])
  }

  @Test("Texts that look the same, but are written in other characters, are not the same")
  func lookAlike() throws {
    var expectation = SampleToken.expectation
    expectation.subject = "Ame\u{301}lie"
    var sample = SampleToken()
    sample.claims["sub"] = "\"Am\u{E9}lie\""
    let error = try #require(throws: IDTokenError.self) {
      _ = try sample.validated(by: expectation)
    }
    #expect(error.code == .subject)
    sample.claims["sub"] = "\"Ame\u{301}lie\""
    _ = try sample.validated(by: expectation)
  }

  @Test("The error shows what a server wrote without control characters, and not at length")
  func display() throws {
    var sample = SampleToken()
    sample.claims["iss"] = #""https://\u001b[2J\u202e\#(String(repeating: "x", count: 5000))""#
    let error = try #require(throws: IDTokenError.self) { _ = try sample.validated() }
    #expect(error.code == .issuer)
    #expect(error.message.contains("https://[2Jxxx"))
    #expect(error.message.utf8.count < 400)
  }

  @Test("Neither a token nor what it holds shows")
  func redaction() throws {
    let sample = SampleToken()
    let token = try sample.validated()
    let jwt = try JWT(parsing: Secret(sample.text))
    for value in [token, jwt, SampleToken.expectation] as [any Sendable] {
      var dumped = ""
      dump(value, to: &dumped)
      for text in ["\(value)", String(reflecting: value), dumped] {
        #expect(!text.contains("invented\""))
        #expect(!text.contains("n-0S6"))
        #expect(!text.contains("123, 34"), "The bytes of an object show.")
      }
    }
    #expect("\(token)" == "ID token of amal@ocarina.example")
    #expect("\(jwt)" == "signed JWT")
  }
}
