import Foundation
import IDX
import IDXTesting
import IDXOAuth
import Testing

@testable import IDXFlow

@Suite("What a browser brings back")
struct RedirectReturnTests {
  private static func read(_ query: String) throws -> RedirectReturn {
    let url = try #require(URL(string: "com.example.shop:/callback?" + query))
    return try RedirectReturn(url, of: Wire.state(Wire.document([])))
  }

  @Test(
    "A code comes through whatever stands beside it",
    arguments: [
      "interaction_code=ic&state=a+state", "interaction_code=ic&state=a%20state#_=_",
      "state=a+state&&interaction%5Fcode=i%63&session=x&session=y",
    ])
  func codes(query: String) throws {
    #expect(try Self.read(query) == .interactionCode("ic"))
  }

  @Test(
    "A parameter that stands twice, or is damaged, is not believed",
    arguments: [
      "interaction_code=ic&interaction_code=ic&state=a+state",
      "interaction_code=ic&state=a+state&state=a+state",
      "interaction_code=ic&state=a+state&error=x&error=y",
      "error=interaction_required&state=x&state=a+state",
      "error=interaction_required&error=interaction_required",
      "interaction_code=ic&state=a+state&error=%FF",
      "interaction_code=ic&otp=1&otp=2&state=a+state",
    ])
  func repeated(query: String) throws {
    let error = try #require(throws: FlowError.self) { try Self.read(query) }
    #expect(error.code == .redirectMismatch)
  }

  @Test("The words of a refusal keep their plus signs")
  func words() throws {
    let error = try #require(throws: FlowError.self) {
      try Self.read("error=access_denied&error_description=No+C%2B%2B&state=a+state")
    }
    #expect((error.underlying as? OAuthError)?.explanation == "No C++")
  }

  @Test("Without a state, nothing but the way back to the sign-in is believed")
  func missingState() throws {
    #expect(try Self.read("error=interaction_required") == .interactionRequired)
    for query in ["interaction_code=ic", "otp=1", "error=access_denied", ""] {
      #expect(throws: FlowError.self) { try Self.read(query) }
    }
  }

  @Test("The page to go to does not show its query, which may hold the state token")
  func page() throws {
    let href = "https://id.shop.example/sso/idps/one?stateToken=02-secret"
    let step = try Wire.step(
      Wire.document([Wire.form("redirect-idp", href: href, method: "GET")]))
    let page = RedirectPage(try #require(step.remediation.page), of: step)
    var dumped = ""
    dump(page, to: &dumped)
    for text in ["\(page)", String(reflecting: page), dumped] {
      #expect(!text.contains("02-secret"))
    }
  }

  @Test("Who comes back to the wrong address again and again runs into a limit")
  func forEver() async throws {
    struct Lost: Prompter {
      func show(_ notice: Notice) async throws { try Task.checkCancellation() }
      func ask(_ question: Question) -> Reply { wrong }
      func choose(_ forms: [Remediation], at step: Step) -> Reply {
        .instead(step.remediation)
      }
      func open(_ page: RedirectPage) -> Reply { wrong }
      private var wrong: Reply { .returned(URL(fileURLWithPath: "/elsewhere")) }
    }
    for form in [
      Wire.form("redirect-idp", href: "https://idp.example/in", method: "GET"),
      Wire.form("challenge-authenticator", [["name": "code", "required": true]]),
    ] {
      let step = try Wire.step(Wire.document([form]))
      let error = try await flowError { try await FormHandler(prompter: Lost()).decide(step) }
      #expect(error.code == .limitReached)
    }
  }

  @Test(
    "A code that comes by a link where none is asked for ends nothing", arguments: ["otp", "code"])
  func strayCode(name: String) async throws {
    let document = Wire.document([Wire.form("identify", [["name": "identifier"]])])
    let person = ScriptedPrompter([
      .returned("identifier") {
        URL(string: "com.example.shop:/callback?\(name)=1&state=a%20state")
      },
      .cancel("identifier"),
    ])
    let decision = try await FormHandler(prompter: person).decide(Wire.step(document))
    let isCancel = if case .cancel = decision { true } else { false }
    #expect(isCancel)
  }
}
