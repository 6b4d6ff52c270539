import Expectations
import Foundation
import IDX
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import IDXFlow

/// Addresses that a browser returns to.
struct RedirectReturnTests {
  private static func read(_ query: String) throws -> RedirectReturn {
    let url = try require(URL(string: "com.example.shop:/callback?" + query))
    return try RedirectReturn(url, of: Wire.state(Wire.document([])))
  }

  @Test("A code is read beside other parameters, but not if one is duplicate or damaged")
  func codes() throws {
    for query in [
      "interaction_code=ic&state=a+state", "interaction_code=ic&state=a%20state#_=_",
      "state=a+state&&interaction%5Fcode=i%63&session=x&session=y",
    ] { try expectEqual(Self.read(query), .interactionCode("ic"), "\(query)") }
    for query in [
      "interaction_code=ic&interaction_code=ic&state=a+state",
      "interaction_code=ic&state=a+state&state=a+state",
      "interaction_code=ic&state=a+state&error=x&error=y",
      "error=interaction_required&state=x&state=a+state",
      "error=interaction_required&error=interaction_required",
      "interaction_code=ic&state=a+state&error=%FF",
      "interaction_code=ic&otp=1&otp=2&state=a+state",
    ] {
      let error = try #require(throws: FlowError.self) { try Self.read(query) }
      expectEqual(error.code, .redirectMismatch, "\(query)")
    }
  }

  @Test(
    "A return with the issuer of another server is refused, and is not one of this sign-in",
    .promise("stolen-code"))
  func otherIssuer() throws {
    let state = try Wire.state(Wire.document([]))
    let issuer = FormURLEncoding.percentEncode(state.configuration.issuer.absoluteString)
    try expectEqual(
      Self.read("interaction_code=ic&state=a+state&iss=\(issuer)"), .interactionCode("ic"))
    let others = [
      issuer + "%2F",
      "https%3A%2F%2Fattacker.example", issuer + "%2Fother", issuer + ".example", "x",
      "\(issuer)&iss=\(issuer)",
    ]
    for other in others {
      for content in ["interaction_code=ic", "error=interaction_required", "error=access_denied"] {
        let query = "\(content)&state=a+state&iss=\(other)"
        let error = try #require(throws: FlowError.self) { try Self.read(query) }
        expectEqual(error.code, .redirectMismatch, "\(query)")
        let url = try require(URL(string: "com.example.shop:/callback?" + query))
        expect(!state.isReturn(url))
      }
    }
  }

  @Test("A plus sign in an error description is kept")
  func plusSigns() throws {
    let error = try #require(throws: FlowError.self) {
      try Self.read("error=access_denied&error_description=No+C%2B%2B&state=a+state")
    }
    expectEqual((error.underlying as? OAuthError)?.explanation, "No C++")
  }

  @Test("Without a state, only interaction_required is accepted")
  func missingState() throws {
    try expectEqual(Self.read("error=interaction_required"), .interactionRequired)
    for query in [
      "interaction_code=ic", "otp=1", "error=access_denied", "",
      "error=interaction_required&state=other",
    ] {
      #expect(throws: FlowError.self) { try Self.read(query) }
    }
  }

  @Test(
    "Only the redirect URI with the right state belongs to a sign-in", .promise("listener-return"))
  func isReturn() throws {
    let step = try Wire.step(Wire.document([Wire.form("redirect-idp", method: "GET")]))
    let address = try require(step.state.configuration.redirectURI)
    for (text, expected) in [
      ("\(address)?code=c&state=a+state", true), ("\(address)?state=a+state", true),
      ("\(address)?code=c", false), ("\(address)?error=interaction_required", false),
      ("\(address)?code=c&state=other", false), ("\(address)?state=a+state&state=x", false),
      ("https://a.example/?state=a+state", false), ("a:/callback?state=a+state", false),
      ("\(address)/more?state=a+state", false),
    ] {
      expectEqual(step.state.isReturn(try require(URL(string: text))), expected, "\(text)")
    }
  }

  @Test("If the browser always returns to the wrong address, the step ends at a limit")
  func endlessReturns() async throws {
    struct WrongBrowser: FrontEnd {
      func reply(to screen: Screen) -> Reply {
        .returned(URL(fileURLWithPath: "/elsewhere"))
      }
    }
    for form in [
      Wire.form("redirect-idp", href: "https://idp.example/in", method: "GET"),
      Wire.form("challenge-authenticator", [["name": "code", "required": true]]),
    ] {
      let server = StubServer(document: Wire.document([form]))
      let error = try await requireError(FlowError.self) {
        try await server.run(.showing(on: WrongBrowser()))
      }
      expectEqual(error.code, .limitReached)
    }
  }

  @Test(
    "A code in a link is ignored if the step asks for none", arguments: ["otp", "code"])
  func unexpectedCode(name: String) async throws {
    let document = Wire.document([Wire.form("identify", [["name": "identifier"]])])
    let (decision, _) = try await Wire.decide(
      Wire.step(document),
      [
        .returned("identifier") {
          URL(string: "com.example.shop:/callback?\(name)=1&state=a%20state")
        },
        .cancel("identifier"),
      ])
    let isCancel = if case .cancel = decision { true } else { false }
    expect(isCancel)
  }
}
