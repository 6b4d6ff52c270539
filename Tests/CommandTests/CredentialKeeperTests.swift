import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXStorage
import IDXOAuth
import Testing

@testable import idx_flow

@Suite struct CredentialKeeperTests {
  /// Takes any token back.
  private actor Line: Transport {
    private(set) var sent: [String] = []

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      sent.append(request.url.lastPathComponent)
      return TransportResponse(status: 200)
    }
  }

  private func credential(of username: String) throws -> Credential {
    let issuer = try #require(URL(string: "https://id.shop.example"))
    return Credential(
      id: Credential.ID(issuer: issuer, clientID: "0oaShop", subject: nil), username: username,
      tokens: Tokens(accessToken: Secret("of \(username)"), refreshToken: "another"),
      receivedAt: Date())
  }

  @Test("Without an ID token nobody takes the place of another, and the tokens are revoked")
  func collision() async throws {
    let line = Line()
    let store = MemoryCredentialStore()
    let keeper = CredentialKeeper(store: store, client: TokenClient(transport: line))
    let ada = try credential(of: "ada")
    try await keeper.keep(ada)
    await #expect(throws: CredentialStoreError.self) {
      try await keeper.keep(credential(of: "bob"))
    }
    #expect(await line.sent == ["revoke", "revoke"])
    #expect(await store.credential(ada.id) == ada)
    try await keeper.keep(credential(of: "Ada"))
    #expect(await store.credential(ada.id)?.username == "Ada")
  }

  @Test("Claims stand below one another, and a long name pads nobody else's line")
  func claims() {
    #expect(ClaimLines(claims: ["sub": "a", "longer": "b"]).text == "sub     a\nlonger  b")
    let names = [String(repeating: "n", count: 100_000)] + (0..<500).map { "c\($0)" }
    let claims = JSONValue.object(JSONValue.Object(names.map { JSONValue.Object.Member($0, "x") }))
    #expect(ClaimLines(claims: claims).text.utf8.count < 200_000)
  }
}
