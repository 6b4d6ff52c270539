import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Proofs of a key at the simulated org.
struct ProofTests {
  private static let api = "https://api.shop.example"
  private let org: SimulatedOrg
  private let key = P256.privateKey(.system)

  init() async { await self.init(OrgScenario["dpop"]) }

  private init(_ scenario: OrgScenario) async {
    org = SimulatedOrg(scenario, redirectURIs: ["https://shop.example/callback"])
    await org.changeTokens { $0.nonceLifetime = nil }
  }

  /// The public key, with the members of a thumbprint in its order.
  private func publicKey(of key: [UInt8]) -> JSONValue {
    let key = P256.publicKey(of: key)
    return [
      "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(key.x)),
      "y": .string(Base64URL.encode(key.y)),
    ]
  }

  private func thumbprint(of key: [UInt8]) -> String {
    Base64URL.encode(HashFunction.sha256.hash(publicKey(of: key).bytes))
  }

  private func proof(
    _ method: String, _ address: String, token: String? = nil, by key: [UInt8]? = nil
  ) -> String {
    let key = key ?? self.key
    let header: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": publicKey(of: key)]
    let claims: JSONValue = [
      "jti": .string(RandomBytes.system.token()), "htm": .string(method), "htu": .string(address),
      "iat": .number(JSONValue.Number(Int(org.now.timeIntervalSince1970))),
    ]
    let hash = token.map { HashFunction.sha256.hash(Array($0.utf8)) }
    let all = claims.adding("ath", hash.map { .string(Base64URL.encode($0)) })
    let input = Base64URL.encode(header.bytes) + "." + Base64URL.encode(all.bytes)
    let signature = P256.sign(Array(input.utf8), with: key)
    return input + "." + Base64URL.encode(signature.r + signature.s)
  }

  /// The response to a code whose authorization request had this thumbprint.
  private func redeem(
    boundTo thumbprint: String?, provedBy key: [UInt8]?
  ) async throws -> (status: Int, body: JSONValue) {
    let pkce = PKCE()
    var client = ClassicClient(org)
    let session = try await require(org.sessionToken(for: SimulatedUser.demo.login))
    let code = try await require(
      client.authorize([
        "sessionToken": session.revealed, "dpop_jkt": thumbprint,
        "code_challenge": pkce.challenge,
      ])["code"])
    let address = org.issuer.absoluteString + "/v1/token"
    var request = TransportRequest.form(
      try require(URL(string: address)),
      [
        ("grant_type", "authorization_code"), ("code", code), ("client_id", org.clientID),
        ("redirect_uri", org.redirectURI), ("code_verifier", pkce.verifier.revealed),
      ])
    request.headers["DPoP"] = key.map { proof("POST", address, by: $0) }
    let response = try await org.send(request)
    return (response.status, try JSONValue(parsing: response.body))
  }

  @Test("A code that is bound to a key is refused with a proof of another one, and without DPoP")
  func boundCode() async throws {
    let own = try await redeem(boundTo: thumbprint(of: key), provedBy: key)
    expectEqual(own.body["token_type"]?.string, "DPoP")
    let other = try await redeem(boundTo: thumbprint(of: key), provedBy: P256.privateKey(.system))
    expectEqual(other.status, 400)
    expectEqual(other.body["error"]?.string, "invalid_grant")
    expectEqual(other.body["error_description"]?.string?.contains("another key"), true)

    let test = await ProofTests(OrgScenario["password"])
    let response = try await test.redeem(boundTo: thumbprint(of: key), provedBy: nil)
    expectEqual(response.body["error"]?.string, "invalid_grant")
  }

  @Test("The htu of a proof is compared after both addresses are normalized")
  func addresses() async throws {
    let tokens = try await redeem(boundTo: nil, provedBy: key).body
    let token = try require(tokens["access_token"]?.string)
    let api = SimulatedAPI(org, origin: Self.api)
    let path = "/orders/%7eada%2f%C3%a9?page=2"
    let same = [
      Self.api + "/orders/%7eada%2f%C3%a9", Self.api + "/orders/~ada%2F%c3%A9",
      Self.api + "/orders/~ada%2F%C3%A9?page=3#top", Self.api + "/x/../orders/./%7Eada%2f%c3%a9",
      "HTTPS://API.Shop.Example:443/orders/~ada%2F%C3%A9",
    ]
    let others = [
      Self.api + "/orders/~ada/%C3%A9", Self.api + "/orders/~ada%252F%C3%A9",
      Self.api + "/orders/~ada%2F%C3%A9/", Self.api + "/Orders/~ada%2F%C3%A9", Self.api,
      "http://api.shop.example/orders/~ada%2F%C3%A9", "/orders", "%", "",
    ]
    for (addresses, status) in [(same, 200), (others, 401)] {
      for address in addresses {
        var request = TransportRequest(url: try require(URL(string: Self.api + path)))
        request.headers = [
          "Authorization": "DPoP \(token)", "DPoP": proof("GET", address, token: token),
        ]
        let response = try await api.send(request)
        expectEqual(response.status, status, "\(address)")
      }
    }
  }

  @Test("Userinfo accepts both methods, each with its own proof")
  func userInfo() async throws {
    let token = try await require(
      redeem(boundTo: nil, provedBy: key).body["access_token"]?.string)
    let address = org.issuer.absoluteString + "/v1/userinfo"
    for (method, proved) in [("GET", "GET"), ("GET", "POST"), ("POST", "GET"), ("POST", "POST")] {
      let request = TransportRequest(
        method: method, url: try require(URL(string: address)),
        headers: [
          "Authorization": "DPoP \(token)", "DPoP": proof(proved, address, token: token),
          "Accept": "application/json",
        ])
      try await expectEqual(org.send(request).status, proved == method ? 200 : 401)
    }
  }
}
