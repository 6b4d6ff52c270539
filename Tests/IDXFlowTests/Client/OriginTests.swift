import Expectations
import Foundation
import IDX
import IDXOAuth
import SignInSupport
import Testing

@testable import IDXFlow

/// Origins of requests.
struct OriginTests {
  @Test(
    "An address is shown as it is reached, in ASCII", .promise("ascii-host"),
    arguments: [
      ("https://d\u{435}v-1.okta.com", "https://xn--dv-1-v4d.okta.com"),
      ("https://dev-1.okta.com/oauth2/default", "https://dev-1.okta.com/oauth2/default"),
      ("https://a.example/d\u{435}fault", "https://a.example/d%D0%B5fault"),
      ("no address", "no%20address"),
      ("https://a.example\u{2044}.evil.example", "https://a.xn--example-7d7c.evil.example"),
    ])
  func asciiAddress(text: String, shown: String) {
    expectEqual(text.asciiAddress, shown)
  }

  private func send(to href: String, method: String = "POST") async throws -> (FlowError, Int) {
    let form = Wire.form("identify", href: href, method: method)
    let transport = RequestLog(StubServer(document: Wire.document([form])))
    let state = try await transport.start()
    let error = try await requireError(FlowError.self) {
      try await transport.client.proceed(.identify, from: state)
    }
    return (error, await transport.requests.count - 2)
  }

  @Test(
    "Another origin is refused with an error that names both origins, and nothing is sent",
    .promise("origin-only"),
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
    expectEqual(error.code, .hrefRefused)
    expectEqual(error.remediation, .identify)
    expectContains(error.message, named)
    expectContains(error.message, "https://id.shop.example")
    expectEqual(sent, 0)
  }

  @Test(
    "The same origin can be written in different ways",
    arguments: [
      "https://id.shop.example:443/idp/idx/identify", "https://ID.Shop.Example/idp/idx/identify",
      "HTTPS://id.shop.example/idp/idx/identify",
    ])
  func sameOrigin(href: String) async throws {
    let form = Wire.form("identify", href: href)
    let transport = RequestLog(StubServer(document: Wire.document([form])))
    _ = try await transport.client.proceed(.identify, from: transport.start())
    await expectEqual(transport.requests.count, 3)
  }

  @Test(
    "A token endpoint at another origin is refused before the code is sent", .promise("origin-only")
  )
  func tokenEndpoint() async throws {
    let issue = Wire.form(
      "issue", href: "https://evil.example/v1/token",
      [["name": "interaction_code", "value": "ic_secret"]])
    let document = Wire.document([], [("successWithInteractionCode", issue)])
    let transport = RequestLog(StubServer(document: document))
    let state = try await transport.start()
    let error = try await requireError(FlowError.self) { try await transport.client.redeem(state) }
    expectEqual(error.code, .hrefRefused)
    await expectEqual(transport.requests.count, 2)
  }

  @Test(
    "A form for a browser, or without a valid address, cannot be sent",
    arguments: [
      ("https://id.shop.example/sso/idps/1", "GET"), ("", "POST"), ("/idp/idx/identify", "POST"),
    ])
  func notSendable(href: String, method: String) async throws {
    let (error, sent) = try await send(to: href, method: method)
    expectEqual(error.code, .notSendable)
    expectContains(error.message, "identify")
    expectEqual(sent, 0)
  }

  @Test(
    "A page is opened with https or on this computer, and without a username",
    arguments: [
      ("https://idp.example/in", true), ("HTTPS://idp.example/in", true),
      ("http://127.0.0.1:8080/in", true), ("http://idp.example/in", false),
      ("https://known.example@idp.example/in", false), ("file:///etc/passwd", false),
    ])
  func page(href: String, opens: Bool) throws {
    let form = Wire.form("redirect-idp", href: href, method: "GET")
    let state = try Wire.state(Wire.document([form]))
    expectEqual((state.response.remediations[0].page != nil), opens)
  }

  @Test(
    "The description of an origin has no default port",
    arguments: [
      ("https://id.shop.example/a/b?c", "https://id.shop.example"),
      ("https://id.shop.example:443/", "https://id.shop.example"),
      ("https://id.shop.example:8443/", "https://id.shop.example:8443"),
      ("http://127.0.0.1:80/", "http://127.0.0.1"),
      ("http://[::1]:8080/", "http://[::1]:8080"),
    ])
  func description(url: String, origin: String) throws {
    expectEqual(Origin(try require(URL(string: url))).description, origin)
  }

  @Test(
    "Only localhost, ::1 and 127.x.x.x are loopback addresses",
    arguments: [
      ("localhost", true), ("LOCALHOST", true), ("127.0.0.1", true), ("127.255.255.255", true),
      ("::1", true), ("[::1]", true), ("127.0.0.1.evil.example", false),
      ("127.evil.example", false),
      ("127.0.0.256", false), ("127.0.0", false), ("127.0.0.", false), ("128.0.0.1", false),
      ("localhost.evil.example", false), ("", false), ("::2", false), ("10.0.0.1", false),
      // Some resolvers read these numbers as octal.
      ("127.0.0.010", false), ("127.0.00.1", false),
    ])
  func loopback(host: String, expected: Bool) {
    expectEqual(Origin.isLoopback(host), expected)
  }
}
