import Expectations
import Foundation
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
    "An issuer needs HTTPS, except for loopback addresses", .promise("https-only"),
    arguments: [
      "https://id.shop.example", "https://id.shop.example/",
      "https://id.shop.example/oauth2/default",
      "http://localhost", "http://localhost:8080/oauth2/default", "http://127.0.0.1:9000",
      "http://[::1]:9000", "https://id.shop.example:8443",
    ])
  func issuers(_ issuer: String) throws {
    let configuration = try make(issuer: issuer)
    let text = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    expectEqual(configuration.issuer.absoluteString, text)
  }

  @Test(
    "An invalid issuer is refused with a reason",
    arguments: [
      ("", "not a URL"), ("id.shop.example", "not a URL"), ("https://", "not a URL"),
      ("/oauth2", "not a URL"),
      ("http://id.shop.example", "https://"),
      ("http://10.0.0.1", "only for a server on this computer"),
      ("ftp://id.shop.example", "https://"),
      ("http://127.0.0.1.evil.example", "https://"),
      ("https://id.shop.example?x=1", "plain URL"), ("https://id.shop.example#x", "plain URL"),
      ("https://ada@id.shop.example", "plain URL"),
    ])
  func badIssuers(_ issuer: String, reason: String) async throws {
    let error = try await flowError { try make(issuer: issuer) }
    expectEqual(error.code, .invalidConfiguration)
    expectContains(error.message, reason)
  }

  @Test(
    "A configuration without a client ID or scopes, or with an invalid redirect URI, is refused")
  func otherParts() async throws {
    for body: () throws -> FlowConfiguration in [
      { try make(clientID: "") }, { try make(redirectURI: "") },
      { try make(redirectURI: "callback") }, { try make(scopes: []) },
      {
        try FlowConfiguration(
          issuer: "https://id.shop.example", clientID: "0oaShop", logoutRedirectURI: "bye")
      },
    ] {
      try await expectEqual(flowError(body).code, .invalidConfiguration)
    }
  }

  @Test("The default scopes are openid and profile")
  func defaults() throws {
    let configuration = try FlowConfiguration(
      issuer: "https://id.shop.example", clientID: "0oaShop",
      redirectURI: "com.example.shop:/callback")
    expectEqual(configuration.scopes, ["openid", "profile"])
  }

  @Test("A decoded configuration is equal to the encoded one")
  func roundTrip() throws {
    for configuration in [
      try make(scopes: ["openid", "offline_access"]),
      try FlowConfiguration(issuer: "https://id.shop.example", clientID: "0oaShop"),
      try FlowConfiguration(
        issuer: "https://id.shop.example", clientID: "0oaShop",
        logoutRedirectURI: "com.example.shop:/bye"),
    ] {
      let data = try JSONEncoder().encode(configuration)
      try expectEqual(JSONDecoder().decode(FlowConfiguration.self, from: data), configuration)
    }
  }

  @Test("A refresh token can be requested, once")
  func refreshToken() throws {
    let configuration = try make().requestingRefreshToken()
    expectEqual(configuration.scopes, ["openid", "offline_access"])
    expectEqual(configuration.requestingRefreshToken(), configuration)
  }

  @Test(
    "A decoded configuration is checked",
    arguments: [
      ("https://id.shop.example/oauth2/default", "http://evil.example"), ("0oaShop", ""),
      ("com.example.shop:/callback", "callback"),
    ])
  func decodedIsChecked(right: String, wrong: String) async throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    let text = String(decoding: try encoder.encode(make()), as: UTF8.self)
    let damaged = text.replacingOccurrences(of: "\"\(right)\"", with: "\"\(wrong)\"")
    expect(damaged != text)
    let error = try await flowError {
      try JSONDecoder().decode(FlowConfiguration.self, from: Data(damaged.utf8))
    }
    expectEqual(error.code, .invalidConfiguration)
  }
}
