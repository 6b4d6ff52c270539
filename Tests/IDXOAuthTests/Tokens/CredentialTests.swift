import Expectations
import Foundation
import Testing

import IDXBase
@testable import IDXOAuth

/// Credentials.
struct CredentialTests {
  private static let credential = Credential(
    id: Credential.ID(
      issuer: URL(string: "https://id.shop.example/oauth2/default")!, clientID: "0oaShop",
      subject: "00uAda"),
    username: "ada@shop.example",
    tokens: Tokens(
      accessToken: "an access token", expiresIn: 3600, scopes: ["openid", "offline_access"],
      refreshToken: "a refresh token", idToken: "an.id.token"),
    receivedAt: Date(timeIntervalSince1970: 1_800_000_000),
    authenticatedAt: Date(timeIntervalSince1970: 1_799_999_000), nonce: "a nonce")

  /// A credential in the first format. Never change this text, because users have stored it.
  private static let firstFormat = """
    {"version":1,"issuer":"https://id.shop.example/oauth2/default","clientID":"0oaShop",
    "subject":"00uAda","username":"ada@shop.example","receivedAt":1800000000,
    "authenticatedAt":1799999000,"nonce":"a nonce","tokens":{"access_token":"an access token",
    "token_type":"Bearer","expires_in":3600,"scope":"openid offline_access",
    "refresh_token":"a refresh token","id_token":"an.id.token"}}
    """

  private func read(_ text: String) throws -> Credential {
    try JSONDecoder().decode(Credential.self, from: Data(text.utf8))
  }

  @Test("The first format can be read, and is still written as documented")
  func format() throws {
    try expectEqual(read(Self.firstFormat), Self.credential)
    let written = try JSONEncoder().encode(Self.credential)
    let object = try JSONSerialization.jsonObject(with: written) as? NSDictionary
    let frozen = try JSONSerialization.jsonObject(with: Data(Self.firstFormat.utf8))
    expectEqual(object, frozen as? NSDictionary)
  }

  @Test(
    "A saved credential is equal to the one before, with unknown values and at any fraction of a second"
  )
  func roundTrip() throws {
    let bare = Credential(
      id: Credential.ID(issuer: URL(string: "https://a.example")!, clientID: "c", subject: nil),
      tokens: Tokens(accessToken: "a"), receivedAt: Date(timeIntervalSince1970: 0.5))
    let others = (0..<1000).map { number in
      let date = Date(timeIntervalSinceReferenceDate: 886_000_000 + Double(number) / 999.7)
      return Credential(
        id: Self.credential.id, tokens: Self.credential.tokens, receivedAt: date,
        authenticatedAt: date, refusedAt: date)
    }
    for credential in [bare] + others {
      let saved = try JSONEncoder().encode(credential)
      try expectEqual(JSONDecoder().decode(Credential.self, from: saved), credential)
    }
  }

  @Test("The claims are those of the ID token, if there is one that can be read")
  func claims() throws {
    func credential(_ idToken: Secret?) -> Credential {
      Credential(
        id: Self.credential.id, tokens: Tokens(accessToken: "a", idToken: idToken),
        receivedAt: Self.credential.receivedAt)
    }
    let payload = Base64URL.encode(Array(#"{"sub":"00uAda","groups":["staff"]}"#.utf8))
    let header = Base64URL.encode(Array(#"{"alg":"RS256"}"#.utf8))
    expectEqual(credential(Secret("\(header).\(payload).AA")).claims?["groups"], ["staff"])
    expectEqual(credential("an.id.token").claims, nil)
    expectEqual(credential(nil).claims, nil)
  }

  @Test("A damaged credential is refused, and a newer format has its own error")
  func damaged() {
    for (part, instead) in [
      ("\"version\":1", "\"version\":0"), ("\"version\":1", "\"version\":\"one\""),
      ("\"version\":1,", ""), ("\"an access token\"", "7"), ("\"clientID\"", "\"client\""),
      ("1800000000", "\"yesterday\""), ("\"00uAda\"", "{}"),
    ] {
      #expect(throws: DecodingError.self, "\(instead)") {
        try read(Self.firstFormat.replacing(part, with: instead))
      }
    }
    let newer = Self.firstFormat.replacing("\"version\":1", with: "\"version\":4")
    let error = #expect(throws: CredentialStoreError.self) { try read(newer) }
    expectEqual(error?.code, .newer)
    expectEqual(error?.message.contains("format 4"), true)
  }

  @Test("An access token is valid from the time it came until it expires, or without end")
  func validity() {
    for (age, margin, isValid) in [
      (0, 0, true), (3599, 0, true), (3600, 0, false), (3530, 60, true), (3540, 60, false),
      (-299, 0, true), (-301, 0, false),
    ] as [(TimeInterval, TimeInterval, Bool)] {
      let date = Self.credential.receivedAt.addingTimeInterval(age)
      expectEqual(Self.credential.isValid(at: date, for: margin), isValid, "\(age), \(margin)")
    }
    let endless = Credential(
      id: Self.credential.id, tokens: Tokens(accessToken: "a"),
      receivedAt: Self.credential.receivedAt)
    expectEqual(endless.expiresAt, nil)
    expect(endless.isValid(at: .distantFuture))
  }

  @Test(
    "A refused credential is not valid at any time, and keeps its tokens and the time of the first refusal",
    .promise("refused-credential"))
  func refused() {
    let time = Self.credential.receivedAt.addingTimeInterval(1000)
    let refused = Self.credential.refused(at: time)
    expect(Self.credential.isValid(at: time))
    expect(!refused.isValid(at: time))
    expect(refused.tokens == Self.credential.tokens && refused.id == Self.credential.id)
    expectEqual(refused.refused(at: time.addingTimeInterval(1000)).refusedAt, time)
  }

  @Test("The description names the person and the org")
  func description() {
    expectEqual(
      Self.credential.description,
      "credential of ada@shop.example at https://id.shop.example/oauth2/default")
  }

  @Test("IDs that only look the same are different")
  func lookalikes() throws {
    let issuer = try require(URL(string: "https://a.example"))
    func id(_ client: String, _ subject: String?) -> Credential.ID {
      Credential.ID(issuer: issuer, clientID: client, subject: subject)
    }
    let ids: Set = [
      id("c", "ren\u{e9}"), id("c", "rene\u{301}"), id("\u{e9}", "r"), id("e\u{301}", "r"),
      id("c", ""), id("c", nil),
    ]
    expectEqual(ids.count, 6)
    expect(ids.contains(id("c", "ren\u{e9}")) && id("c", nil) == id("c", nil))
  }

  @Test("After a refresh, values that the response omits stay the same")
  func renewal() {
    let tokens = Self.credential.tokens
    let renewed = tokens.renewed(by: Tokens(accessToken: "new", expiresIn: 60))
    expect(renewed.accessToken == "new" && renewed.expiresIn == 60)
    expect(renewed.refreshToken == "a refresh token" && renewed.idToken == "an.id.token")
    expectEqual(renewed.scopes, ["openid", "offline_access"])
    let rotated = tokens.renewed(
      by: Tokens(
        accessToken: "new", scopes: ["openid"], refreshToken: "next", idToken: "a.new.one"))
    expect(rotated.refreshToken == "next" && rotated.idToken == "a.new.one")
    expect(rotated.scopes == ["openid"] && rotated.expiresIn == nil)
  }

  @Test("Attachments are saved, are in no description, and end with a refusal")
  func attachments() throws {
    var credential = Credential(
      id: Credential.ID(issuer: URL(filePath: "/"), clientID: "app", subject: "ada"),
      tokens: Tokens(accessToken: "a"), receivedAt: Date(timeIntervalSince1970: 1000))
    let plain = try JSONEncoder().encode(credential)
    expect(!String(decoding: plain, as: UTF8.self).contains("attachments"))
    credential.attachments = ["keys": "a secret of another service"]
    let data = try JSONEncoder().encode(credential)
    try expectEqual(JSONDecoder().decode(Credential.self, from: data), credential)
    expect(!printedTexts(of: credential).contains("a secret"))
    expectEmpty(credential.refused(at: Date(timeIntervalSince1970: 2000)).attachments)
  }
}
