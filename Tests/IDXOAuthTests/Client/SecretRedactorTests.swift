import Expectations
import Foundation
import IDX
import IDXBase
import SignInSupport
import Testing

@testable import IDXFlow
@testable import IDXOAuth

/// Secrets that a server repeats in an error.
struct SecretRedactorTests {
  /// Where the server repeats the request.
  enum Place: CaseIterable {
    case explanation, code, summary, challenge, requestID
  }

  /// The request that the server refuses.
  enum Request: String, CaseIterable {
    case start = "/interact"
    case answer = "/challenge/answer"
    case redeem = "/token"
    case refresh = "/v1/token"
    case revoke = "/revoke"
    case userInfo = "/userinfo"
  }

  private func expectNone(of secrets: [String], in error: FlowError) {
    let text = printedTexts(of: error)
    for secret in secrets {
      expect(!secret.isEmpty && !text.contains(secret))
    }
  }

  @Test(
    "The secrets of a request are removed from the error",
    arguments: Request.allCases, Place.allCases)
  func requests(request: Request, place: Place) async throws {
    let test = try TestSignIn(scopes: ["openid", "offline_access"])
    let transport = RepeatingTransport(
      next: test.transport, path: request.rawValue, place: place)
    let tokens = TokenClient(transport: transport, now: { [org = test.org] in org.now })
    let random = RandomBytes { [UInt8](repeating: 7, count: $0) }
    let client = IDXClient(transport: transport, tokens: tokens, random: random)
    let error: FlowError
    let secrets: [String]
    switch request {
    case .start:
      error = try await requireError(FlowError.self) { try await client.start(test.configuration) }
      secrets = [random.token(), PKCE(random: random).challenge]
      expect(place == .requestID || "\(error)".contains("0oa"), "Other parts are kept.")
    case .answer:
      let state = try await test.afterUsername()
      error = try await requireError(FlowError.self) {
        try await client.proceed(
          .challengeAuthenticator, ["credentials.passcode": .text(TestSignIn.password)],
          from: state)
      }
      secrets = [try require(state.response.stateHandle).revealed, TestSignIn.password]
    case .redeem:
      let state = try await test.afterPassword()
      error = try await requireError(FlowError.self) { try await client.redeem(state) }
      let code = try require(state.response.interactionCode)
      secrets = [code.revealed, state.pkce.verifier.revealed]
    case .refresh, .revoke, .userInfo:
      let credential = try await test.credential()
      error = try await requireError(FlowError.self) {
        switch request {
        case .refresh: _ = try await tokens.refresh(credential)
        case .revoke: try await tokens.revoke(.access, of: credential)
        default: _ = try await tokens.userInfo(credential)
        }
      }
      let token =
        request == .refresh ? credential.tokens.refreshToken : credential.tokens.accessToken
      secrets = [try require(token).revealed]
    }
    expectContains("\(error)", "‹secret›", "The server's text is part of the error.")
    expectNone(of: secrets, in: error)
  }

  @Test("The state of a sign-in is removed from the error in a redirect")
  func redirect() throws {
    let state = try Wire.state(Wire.document([]))
    let own = state.redirectState.revealed
    var address = try require(URLComponents(string: "com.example.shop:/callback"))
    address.queryItems = [
      URLQueryItem(name: "state", value: own), URLQueryItem(name: "error", value: "access_denied"),
      URLQueryItem(name: "error_description", value: "Not for \(own)."),
    ]
    let url = try require(address.url)
    let error = try #require(throws: FlowError.self) { _ = try RedirectReturn(url, of: state) }
    expectEqual(error.code, .refused)
    expectNone(of: [own], in: error)
  }

  @Test("The secrets in header fields and in the address of a request are found, in any case")
  func headersAndAddress() throws {
    let app = Data("0oaShopApp:client%2Bsecret".utf8).base64EncodedString()
    let request = TransportRequest(
      method: "GET",
      url: try require(URL(string: "https://id.shop.example/a?client_id=0oaShop&t=Query-Secret")),
      headers: ["Authorization": "Basic \(app)", "Cookie": "a=b; sid=cookie-secret"])
    let redactor = SecretRedactor(request)
    expectEqual(
      redactor.removed(from: "0oaShop client+secret Query-Secret cookie-secret \(app)"),
      "0oaShop ‹secret› ‹secret› ‹secret› ‹secret›")
    expectEqual(redactor.cleanedID("id.query-secret"), "id.‹secret›")
  }

  @Test(
    "A secret is also found inside a longer one, encoded, broken up or with equivalent characters")
  func forms() throws {
    let body = Array("token=abcdef%2B&refresh_token=abcdef%2Bghi&client_id=abcdefgh".utf8)
    let url = try require(URL(string: "https://id.shop.example/"))
    let secrets = SecretRedactor(TransportRequest(method: "POST", url: url, body: body))
    expectEqual(secrets.removed(from: "abcdef+ghi, abcdef%2B"), "‹secret›, ‹secret›")
    expectEqual(secrets.removed(from: "abcdefgh"), "abcdefgh")
    let error = OAuthError("x", description: "No abc\u{7}def\u{200B}+.")
    expectEqual(secrets.removed(from: error).explanation, "No ‹secret›.")
    // The Kelvin sign is the letter K, and the Greek question mark is a semicolon.
    let others = SecretRedactor(["pass\u{212A}word", "se\u{37E}cret", "caf\u{E9}-1843"])
    let text = "No passKword, no se;cret, no "
    expectEqual(others.removed(from: text), "No ‹secret›, no ‹secret›, no ")
    expectEqual(others.removed(from: "passKword"), "‹secret›")
    expectEqual(others.removed(from: "No cafe\u{301}-1843."), "No ‹secret›.")
  }

  @Test(
    "A secret is also found with invisible characters, accents or escape sequences between its letters",
    .promise("repeated-secret"),
    arguments: [
      "\u{200B}", "\u{200C}", "\u{AD}", "\u{2060}", "\u{34F}", "\u{3164}", "\u{E0041}", "\u{0}",
      "\u{7F}", "\u{1B}[0m", "\u{9B}1;31m", "\u{1B}]0;x\u{7}", "\u{1B}Pq\u{1B}\\", "\u{1B}(B",
      "\u{1B}]", "[0m", "\u{FE00}", "\u{FE0F}", "\u{301}", "\u{20DD}\u{200D}", "\n", "\r\n",
    ])
  func separated(separator: String) {
    let secrets = SecretRedactor(["Analytical-1843"])
    let spread = "Analytical-1843".map(String.init).joined(separator: separator)
    expectEqual(secrets.removed(from: "No \(spread)."), "No ‹secret›.")
    expectEqual(secrets.removed(from: "No Analyt\(separator)ical-1843."), "No ‹secret›.")
    let echo = SecretRedactor([Secret(spread)])
    expectEqual(echo.removed(from: "No \(spread)."), "No ‹secret›.")
  }

  @Test(
    "Of accents and escape sequences, only those in a secret are hidden, and no invisible secret")
  func around() {
    let secrets = SecretRedactor(["Analytical-1843"])
    let accented = secrets.removed(from: "Analytical-1843\u{301}: re\u{301}essayez")
    expectEqual(accented, "‹secret›: re\u{301}essayez")
    let colored = secrets.removed(from: "\u{1B}[1mAnalytical-1843\u{1B}[0m\n")
    expectEqual(colored, "\u{1B}[1m‹secret›\u{1B}[0m\n")
    expectEqual(secrets.removed(from: "\u{1B}]0;Analytical-1843\u{7}"), "\u{1B}]0;‹secret›\u{7}")
    expectEqual(SecretRedactor(["correct horse"]).removed(from: "correct\nhorse"), "‹secret›")
    let invisible = String(repeating: "\u{200B}\u{301}", count: 9)
    expectEqual(SecretRedactor([Secret(invisible)]).removed(from: "No\u{200B}."), "No\u{200B}.")
    // Of this, too little is visible.
    expectEqual(SecretRedactor([Secret("e" + invisible)]).removed(from: "The end é."), "The end é.")
  }

  @Test(
    "A secret is also found in another case, percent-encoded or in Base64, also in a longer text",
    .promise("repeated-secret"))
  func encodings() {
    let secrets = SecretRedactor(["correct horse 1843?>"])
    for echo in [
      "correct HORSE 1843?>", "CORRECT horse 1843?>", "correct+horse+1843%3F%3E",
      "correct%20horse%201843%3f%3e", "Y29ycmVjdCBob3JzZSAxODQzPz4=", "Y29ycmVjdCBob3JzZSAxODQzPz4",
      "Y29ycmVjdCBob3JzZSAxODQzPz4,",
    ] {
      let text = secrets.removed(from: "No \(echo)")
      expect(
        text.hasPrefix("No ‹secret›") && text.utf8.count <= "No ‹secret›=".utf8.count, "\(echo)")
    }
    let secret = "Analytical-1843?>"
    for position in 0..<6 {
      let all = Array((String(repeating: "u", count: position) + secret + ":more").utf8)
      for text in [Data(all).base64EncodedString(), Base64URL.encode(all)] {
        let shown = SecretRedactor([Secret(secret)]).removed(from: text)
        expectContains(shown, "‹secret›")
        // What is left on both sides is not longer than what was added, and two characters.
        expect(shown.count <= "‹secret›".count + (position + 5) * 4 / 3 + 6)
      }
    }
  }

  @Test("A long text is shortened, without a part of a secret at its end")
  func shortened() {
    let secret = "Analytical-1843"
    let secrets = SecretRedactor([Secret(secret), "another secret of more characters"])
    for before in 1980...2001 {
      let text =
        String(repeating: ".", count: before) + secret + String(repeating: "!", count: 9000)
      let shown = secrets.removed(from: text)
      expect(shown.count < 2100 && shown.hasSuffix("…"))
      expect(!shown.contains("A"))
    }
    for before in (990...1050).sample(every: 4) {
      let text = String(repeating: "e\u{301}", count: before) + secret + "!!!!!!"
      let shown = secrets.removed(from: text)
      expect(!shown.contains("A") && shown.unicodeScalars.count < 2100)
    }
    let spread = secret.map(String.init).joined(separator: String(repeating: "\u{200B}", count: 60))
    let cut = secrets.removed(from: String(repeating: ".", count: 1990) + spread)
    expect(!cut.contains("A") && cut.hasSuffix("‹secret›…"))
    let repeated = String(repeating: secret, count: 1000)
    expectEqual(secrets.removed(from: repeated), "‹secret›…")
    expectEqual(secrets.removed(from: String(repeating: "é", count: 2000)).count, 2000)
  }

  @Test("If a request has too many secrets to search for, the whole text is hidden")
  func many() throws {
    let url = try require(URL(string: "https://id.shop.example/"))
    let fields = (0..<10_000).map { #""f\#($0)":"server value \#($0)""# }.joined(separator: ",")
    let request = TransportRequest(method: "POST", url: url, body: Array("{\(fields)}".utf8))
    expectEqual(SecretRedactor(request).removed(from: "No server value 9999."), "‹secret›")
    expectEqual(
      SecretRedactor((0...200).map { Secret("secret \($0)") }).removed(from: "No."), "‹secret›")
    expectEqual(
      SecretRedactor((0..<200).map { Secret("secret \($0)") }).removed(from: "No."), "No.")
    expectEqual(
      SecretRedactor([Secret(String(repeating: "ab", count: 50_000))])
        .removed(from: "No."), "‹secret›")
  }
}

/// Forwards requests, but refuses those to one path with a text that repeats the request.
private struct RepeatingTransport: Transport {
  let next: any Transport
  let path: String
  let place: SecretRedactorTests.Place

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.url.path.hasSuffix(path) else { return try await next.send(request) }
    let text =
      String(decoding: request.body, as: UTF8.self).replacing("\"", with: "'")
      + (request.headers["Authorization"] ?? "")
    switch place {
    case .explanation:
      return .json(["error": "x", "error_description": .string(text)], status: 400)
    case .code: return .json(["error": .string(text)], status: 400)
    case .summary: return .json(["errorSummary": .string(text)], status: 400)
    case .challenge:
      let header = "Bearer error=\"x\", error_description=\"\(text)\""
      return TransportResponse(status: 400, headers: ["WWW-Authenticate": header])
    case .requestID:
      return TransportResponse(status: 503, headers: ["X-Okta-Request-Id": text])
    }
  }
}
