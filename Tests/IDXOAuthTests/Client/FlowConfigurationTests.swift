import Expectations
import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import SignInSupport
import Testing

/// Configurations.
struct FlowConfigurationTests {
  private func make(
    issuer: String = "https://id.shop.example/oauth2/default", clientID: String = "0oaShop",
    redirectURI: String = "com.example.shop:/callback", scopes: [String] = ["openid"]
  ) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: issuer, clientID: clientID, redirectURI: redirectURI, scopes: scopes)
  }

  @Test(
    "An issuer needs HTTPS, except for loopback addresses, and is otherwise refused with a reason",
    .promise("https-only"),
    arguments: [
      ("https://id.shop.example", nil), ("https://id.shop.example/", nil),
      ("https://id.shop.example/oauth2/default", nil), ("http://localhost", nil),
      ("http://localhost:8080/oauth2/default", nil), ("http://127.0.0.1:9000", nil),
      ("http://[::1]:9000", nil), ("https://id.shop.example:8443", nil),
      ("", "not a URL"), ("id.shop.example", "not a URL"), ("https://", "not a URL"),
      ("/oauth2", "not a URL"), ("http://id.shop.example", "https://"),
      ("http://10.0.0.1", "only for a server on this computer"),
      ("ftp://id.shop.example", "https://"), ("http://127.0.0.1.evil.example", "https://"),
      ("https://id.shop.example?x=1", "plain URL"), ("https://id.shop.example#x", "plain URL"),
      ("https://ada@id.shop.example", "plain URL"),
    ] as [(String, String?)])
  func issuers(_ issuer: String, reason: String?) async throws {
    guard let reason else {
      let text = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
      try expectEqual(make(issuer: issuer).issuer.absoluteString, text)
      return
    }
    let error = try await requireError(FlowError.self) { try make(issuer: issuer) }
    expectEqual(error.code, .invalidConfiguration)
    expectContains(error.message, reason)
  }

  @Test(
    "A configuration without a client ID or scopes, or with an invalid redirect URI, is refused, also if it is decoded"
  )
  func otherParts() async throws {
    for body: () throws -> FlowConfiguration in [
      { try make(clientID: "") }, { try make(redirectURI: "") },
      { try make(redirectURI: "callback") }, { try make(scopes: []) },
      {
        try FlowConfiguration(
          issuer: "https://id.shop.example", clientID: "0oaShop", logoutRedirectURI: "bye")
      },
      { try decoded("https://id.shop.example/oauth2/default", changedTo: "http://evil.example") },
      { try decoded("0oaShop", changedTo: "") },
      { try decoded("com.example.shop:/callback", changedTo: "callback") },
    ] {
      try await expectEqual(requireError(FlowError.self, body).code, .invalidConfiguration)
    }
  }

  /// Decodes a configuration in which a text was changed after it was encoded.
  private func decoded(_ right: String, changedTo wrong: String) throws -> FlowConfiguration {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let text = String(decoding: try encoder.encode(make()), as: UTF8.self)
    let damaged = text.replacingOccurrences(of: "\"\(right)\"", with: "\"\(wrong)\"")
    expect(damaged != text)
    return try JSONDecoder().decode(FlowConfiguration.self, from: Data(damaged.utf8))
  }

  @Test(
    "A decoded configuration is equal to the encoded one, and the default policy is not written")
  func roundTrip() throws {
    let configurations = [
      try make(scopes: ["openid", "offline_access"]),
      try FlowConfiguration(
        issuer: "https://id.shop.example", clientID: "0oaShop",
        logoutRedirectURI: "com.example.shop:/bye"),
    ]
    let others = try DPoPPolicy.allCases.map {
      try FlowConfiguration(issuer: "https://id.shop.example", clientID: "0oaShop", dpop: $0)
    }
    for configuration in configurations + others {
      let data = try JSONEncoder().encode(configuration)
      try expectEqual(JSONDecoder().decode(FlowConfiguration.self, from: data), configuration)
      let policy = configuration.dpop
      try expectEqual(
        JSONValue(parsing: data)["dpop"]?.string,
        policy == .whenRequired ? nil : policy.rawValue)
    }
  }

  @Test("The default scopes are openid and profile, and a refresh token adds one scope, once")
  func scopes() throws {
    let configuration = try FlowConfiguration(
      issuer: "https://id.shop.example", clientID: "0oaShop",
      redirectURI: "com.example.shop:/callback")
    expectEqual(configuration.scopes, ["openid", "profile"])
    let refreshing = try make().requestingRefreshToken()
    expectEqual(refreshing.scopes, ["openid", "offline_access"])
    expectEqual(refreshing.requestingRefreshToken(), refreshing)
  }
}
