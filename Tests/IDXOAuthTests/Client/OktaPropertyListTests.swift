import Expectations
import Foundation
import IDXOAuth
import Testing

/// Configurations in property lists.
struct OktaPropertyListTests {
  private func list(_ values: [String: Any]) throws -> Data {
    try PropertyListSerialization.data(fromPropertyList: values, format: .xml, options: 0)
  }

  private let complete: [String: Any] = [
    "issuer": "https://id.shop.example/oauth2/default", "clientId": "0oaShop",
    "redirectUri": "com.example.shop:/callback", "logoutRedirectUri": "com.example.shop:/bye",
    "scopes": "openid profile offline_access",
  ]

  private func configuration(
    redirectURI: String? = "com.example.shop:/callback",
    logoutRedirectURI: String? = "com.example.shop:/bye",
    scopes: [String] = ["openid", "profile", "offline_access"]
  ) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: "https://id.shop.example/oauth2/default", clientID: "0oaShop",
      redirectURI: redirectURI, logoutRedirectURI: logoutRedirectURI, scopes: scopes)
  }

  /// The error with which a property list with these values is refused.
  private func refusal(of values: [String: Any]) throws -> FlowError {
    try #require(throws: FlowError.self) { try FlowConfiguration(plist: list(values)) }
  }

  @Test("A property list, also in a file, has the keys of Okta's SDKs, in any spelling")
  func keys() throws {
    for format in [PropertyListSerialization.PropertyListFormat.xml, .binary] {
      let data = try PropertyListSerialization.data(
        fromPropertyList: complete, format: format, options: 0)
      try expectEqual(FlowConfiguration(plist: data), configuration(), "\(format)")
    }
    let other: [String: Any] = [
      "issuer_url": "https://id.shop.example/oauth2/default", "ClientId": "0oaShop",
      "redirect_uri": "com.example.shop:/callback", "logout_redirect_uri": "com.example.shop:/bye",
      "scope": ["openid", "profile", "offline_access"], "theme": ["color": 7], "clientSecret": "",
    ]
    try expectEqual(FlowConfiguration(plist: list(other)), configuration())
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).plist")
    defer { try? FileManager.default.removeItem(at: file) }
    let error = try #require(throws: FlowError.self) { try FlowConfiguration(plist: file) }
    expectContains(error.message, file.lastPathComponent)
    try list(complete).write(to: file)
    try expectEqual(FlowConfiguration(plist: file), configuration())
  }

  @Test("Only the issuer and the client ID are required, and invalid values are refused")
  func required() throws {
    var values = complete
    for key in ["redirectUri", "logoutRedirectUri", "scopes"] { values[key] = nil }
    try expectEqual(
      FlowConfiguration(plist: list(values)),
      configuration(
        redirectURI: nil, logoutRedirectURI: nil, scopes: FlowConfiguration.defaultScopes))
    for key in ["issuer", "clientId"] {
      for missing in ["", 7] as [Any] {
        values = complete
        values[key] = missing
        let error = try refusal(of: values)
        expectEqual(error.code, .invalidConfiguration)
        expectContains(error.message, "no value for \(key)")
        expectContains(error.message, "logoutRedirectUri, redirectUri, scopes")
      }
    }
    for (key, value) in [("issuer", "http://id.shop.example"), ("redirectUri", "callback")] {
      var changed = complete
      changed[key] = value
      try expectEqual(refusal(of: changed).code, .invalidConfiguration)
    }
    for data in [Data(), Data("no list".utf8), Data([0xFF, 0, 1]), try list(["a": 1])] {
      let error = try #require(throws: FlowError.self) { try FlowConfiguration(plist: data) }
      expectEqual(error.code, .invalidConfiguration)
    }
  }

  @Test("A client secret is refused, and the error does not show it", .promise("client-secret"))
  func clientSecret() throws {
    for key in ["clientSecret", "client_secret"] {
      var values = complete
      values[key] = "s3cr3t-value"
      let error = try refusal(of: values)
      expectContains(error.message, "contains a client secret")
      expect(!"\(error)".contains("s3cr3t"))
    }
  }
}
