import Expectations
import Foundation
import IDXOAuth
import Testing

/// A credential that the server has refused.
struct RefusedCredentialTests {
  private let credential = Credential(
    id: Credential.ID(
      issuer: URL(filePath: "/"), clientID: "app", subject: "ada"),
    tokens: Tokens(accessToken: "a", refreshToken: "r"),
    receivedAt: Date(timeIntervalSince1970: 1000))

  @Test(
    "It is not valid at any time, and keeps its tokens and the time of the first refusal",
    .promise("refused-credential"))
  func neverValid() {
    let refused = credential.refused(at: Date(timeIntervalSince1970: 2000))
    expect(credential.isValid(at: Date(timeIntervalSince1970: 2000)))
    expect(!refused.isValid(at: Date(timeIntervalSince1970: 2000)))
    expect(refused.tokens == credential.tokens && refused.id == credential.id)
    let again = refused.refused(at: Date(timeIntervalSince1970: 3000))
    expectEqual(again.refusedAt, Date(timeIntervalSince1970: 2000))
  }

  @Test("The refusal is saved, and a credential without one is written as before")
  func saved() throws {
    let refused = credential.refused(at: Date(timeIntervalSince1970: 2000))
    let data = try JSONEncoder().encode(refused)
    try expectEqual(JSONDecoder().decode(Credential.self, from: data), refused)
    let plain = try String(decoding: JSONEncoder().encode(credential), as: UTF8.self)
    expect(!plain.contains("refusedAt"))
  }
}
