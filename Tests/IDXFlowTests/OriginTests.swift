import IDXOAuth
import Foundation
import IDX
import Testing

@testable import IDXFlow

@Suite("Where requests may go")
struct OriginTests {
  private func send(to href: String, method: String = "POST") async throws -> (FlowError, Int) {
    let form = Wire.form("identify", href: href, method: method)
    let line = RecordingTransport(StubServer(document: Wire.document([form])))
    let client = IDXClient(transport: line)
    let state = try await client.start(Wire.configuration())
    let error = try await flowError { try await client.proceed(.identify, from: state) }
    return (error, await line.requests.count - 2)
  }

  @Test(
    "Another origin is refused, both are named, and nothing is sent",
    arguments: [
      ("https://evil.example/idp/idx/identify", "https://evil.example"),
      ("https://id.shop.example.evil.example/idp", "https://id.shop.example.evil.example"),
      ("https://login.id.shop.example/idp", "https://login.id.shop.example"),
      ("https://id.shop.example:8443/idp", "https://id.shop.example:8443"),
      ("https://id.shop.example./idp", "https://id.shop.example."),
      ("http://id.shop.example/idp", "http://id.shop.example"),
      ("http://id.shop.example:443/idp", "http://id.shop.example:443"),
      ("ftp://id.shop.example/idp", "ftp://id.shop.example"),
      ("https://ada@id.shop.example/idp", "https://id.shop.example"),
      ("https://ada:pw@id.shop.example/idp", "https://id.shop.example"),
      ("https://id.shop.example@evil.example/idp", "https://evil.example"),
      ("//evil.example/idp", "evil.example"),
    ])
  func otherOrigins(href: String, named: String) async throws {
    let (error, sent) = try await send(to: href)
    #expect(error.code == .hrefRefused)
    #expect(error.remediation == .identify)
    #expect(error.message.contains(named))
    #expect(error.message.contains("https://id.shop.example"))
    #expect(sent == 0)
  }

  @Test(
    "The same origin may be written differently",
    arguments: [
      "https://id.shop.example:443/idp/idx/identify", "https://ID.Shop.Example/idp/idx/identify",
      "HTTPS://id.shop.example/idp/idx/identify",
    ])
  func sameOrigin(href: String) async throws {
    let form = Wire.form("identify", href: href)
    let line = RecordingTransport(StubServer(document: Wire.document([form])))
    let client = IDXClient(transport: line)
    _ = try await client.proceed(.identify, from: client.start(Wire.configuration()))
    #expect(await line.requests.count == 3)
  }

  @Test("A token endpoint elsewhere is refused before the code is sent there")
  func tokenEndpoint() async throws {
    let issue = Wire.form(
      "issue", href: "https://evil.example/v1/token",
      [["name": "interaction_code", "value": "ic_secret"]])
    let document = Wire.document([], [("successWithInteractionCode", issue)])
    let line = RecordingTransport(StubServer(document: document))
    let client = IDXClient(transport: line)
    let state = try await client.start(Wire.configuration())
    let error = try await flowError { try await client.redeem(state) }
    #expect(error.code == .hrefRefused)
    #expect(await line.requests.count == 2)
  }

  @Test(
    "A form that is for a browser, or has no usable address, cannot be sent",
    arguments: [
      ("https://id.shop.example/sso/idps/1", "GET"), ("", "POST"), ("/idp/idx/identify", "POST"),
    ])
  func notSendable(href: String, method: String) async throws {
    let (error, sent) = try await send(to: href, method: method)
    #expect(error.code == .notSendable)
    #expect(error.message.contains("identify"))
    #expect(sent == 0)
  }

  @Test(
    "An origin is written as a person would write it",
    arguments: [
      ("https://id.shop.example/a/b?c", "https://id.shop.example"),
      ("https://id.shop.example:443/", "https://id.shop.example"),
      ("https://id.shop.example:8443/", "https://id.shop.example:8443"),
      ("http://127.0.0.1:80/", "http://127.0.0.1"),
      ("http://[::1]:8080/", "http://[::1]:8080"),
    ])
  func description(url: String, origin: String) throws {
    #expect(Origin(try #require(URL(string: url))).description == origin)
  }

  @Test(
    "Loopback is localhost, ::1 and 127.x.x.x, and no name that looks so",
    arguments: [
      ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.255.255", true),
      ("::1", true), ("[::1]", true), ("127.0.0.1.evil.example", false),
      ("127.evil.example", false),
      ("127.0.0.256", false), ("127.0.0", false), ("127.0.0.", false), ("128.0.0.1", false),
      ("localhost.evil.example", false), ("", false), ("::2", false), ("10.0.0.1", false),
    ])
  func loopback(host: String, expected: Bool) {
    #expect(Origin.isLoopback(host) == expected)
  }
}
