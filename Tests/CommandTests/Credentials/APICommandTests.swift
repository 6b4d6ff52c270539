import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("idx-flow api", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct APICommandTests {
  private let home: DataHome
  private let bearer: OrgServer
  private let bound: OrgServer

  init() throws {
    home = try DataHome()
    bearer = try OrgServer()
    var policy = SignInPolicy(start: .withPassword)
    policy.requiresDPoP = true
    bound = try OrgServer(policy: policy)
  }

  /// A server that responds to each request, and its address.
  private static func server(
    _ respond: @escaping @Sendable (TransportRequest) async throws -> TransportResponse
  ) throws -> (server: LoopbackServer, address: String) {
    let server = try LoopbackServer()
    server.start { request in (try? await respond(request)).map(OrgServer.bytes) }
    return (server, "http://127.0.0.1:\(server.port)")
  }

  /// The header fields in lines `NAME: VALUE`.
  private static func fields(_ lines: String) -> [String: String] {
    let pairs = lines.split(separator: "\n").map { line in
      let parts = line.split(separator: ":", maxSplits: 1)
      return (String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  @Test("A token of each type is accepted by an API on another server", arguments: [false, true])
  func both(isBound: Bool) async throws {
    let org = isBound ? bound : bearer
    try await home.signIn(at: org)
    let listener = try LoopbackServer()
    let api = SimulatedAPI(org.org, origin: "http://127.0.0.1:\(listener.port)")
    listener.start { request in (try? await api.send(request)).map(OrgServer.bytes) }
    let address = api.origin.absoluteString
    let get = try home.run("api", "\(address)/orders?page=1", "--field", "size=10")
    expectEqual(get.status, 0, "\(get.errors)")
    let first = try JSONValue(parsing: get.output.utf8)
    expect(first["method"] == "POST" && first["query"] == "page=1")
    expectEqual(first["body"], #"{"size":10}"#)
    expectEqual(first["type"]?.string, (isBound ? "DPoP" : "Bearer"))
    let query = try home.run(
      "api", "\(address)/orders?page=1", "--method", "get", "--field", "a b=c=d&e")
    try expectEqual(
      JSONValue(parsing: query.output.utf8)["query"]?.string, "page=1&a%20b=c%3Dd%26e")
    let typed = try home.run(
      "api", "-X", "PATCH", "\(address)/orders", "-F", "on=true", "-F", "n=-1.5", "-F", "list=[1]",
      "-F", "none=null", "-f", "id=10", "-HX-Kind: a")
    try expectEqual(
      JSONValue(parsing: typed.output.utf8)["body"],
      #"{"on":true,"n":-1.5,"list":"[1]","none":null,"id":"10"}"#)
    let file = try home.folder.file("body", "a=1")
    let input = try home.run(
      "api", "\(address)/orders", "--input", "-", "--method", "put", "--header",
      "content-type: text/plain", "--include", input: file)
    expectPrefix(input.output, "HTTP 200\n")
    expectContains(input.output, #""method":"PUT","path":"/orders","query":"","body":"a=1""#)
    let none = try home.run("api", "\(address)/orders", "--method", "DELETE")
    expectContains(none.output, #""method":"DELETE","path":"/orders","query":"","body":"""#)
  }

  @Test(
    "A path goes to the server of the issuer, and at a terminal, JSON has a line for each member")
  func pretty() async throws {
    try await home.signIn(at: bound)
    let terminal = try PseudoTerminal()
    let program = try home.program(
      ["api", "/oauth2/default/v1/userinfo"], output: terminal.path)
    let shown = try await terminal.lines(until: "\r\n}\r\n")
    expectPrefix(shown, "{\n  \"")
    expectContains(shown, "ada@example.com")
    expectEqual(program.end().status, 0)
  }

  @Test(
    "The header lines for one request are accepted once, also for curl", .promise("bound-output"),
    arguments: [false, true])
  func header(isBound: Bool) async throws {
    let org = isBound ? bound : bearer
    await org.org.changeTokens { $0.nonceLifetime = nil }
    try await home.signIn(at: org)
    let api = SimulatedAPI(org.org, origin: "https://api.shop.example")
    let url = "https://api.shop.example/orders?page=2"
    let end = try home.run("token", "--for", "post", url)
    expectEqual(end.status, 0)
    var request = TransportRequest(method: "POST", url: try require(URL(string: url)))
    request.headers = Self.fields(end.output)
    expectEqual(Set(request.headers.keys), isBound ? ["Authorization", "DPoP"] : ["Authorization"])
    try await expectEqual(api.send(request).status, 200)
    try await expectEqual(api.send(request).status, isBound ? 401 : 200)
  }

  @Test("The nonce of a server goes into the proof of one request")
  func nonce() async throws {
    try await home.signIn(at: bound)
    let api = SimulatedAPI(bound.org, origin: "https://api.shop.example")
    let words = ["token", "--format", "header", "--for", "GET", "https://api.shop.example/"]
    var nonce: [String] = []
    for status in [401, 200] {
      let end = try home.program(words + nonce).end()
      var request = TransportRequest(url: api.origin.appending(path: "/"))
      request.headers = Self.fields(end.output)
      let response = try await api.send(request)
      expectEqual(response.status, status)
      nonce = ["--nonce", response.header("DPoP-Nonce") ?? ""]
    }
  }

  @Test(
    "The exit status follows from the HTTP status, and the body is printed",
    arguments: [
      (200, 0), (204, 0), (302, 1), (400, 4), (401, 8), (404, 4), (429, 7), (500, 6),
    ] as [(Int, Int32)])
  func status(status: Int, exit: Int32) async throws {
    try await home.signIn(at: bearer, scopes: ["openid"])
    let (server, address) = try Self.server { _ in
      TransportResponse(
        status: status, headers: ["Location": "https://evil.example/", "Retry-After": "3000"],
        body: Array("body\u{1B}[31m".utf8))
    }
    defer { server.stop() }
    let end = try home.run("api", "\(address)/orders")
    expectEqual(end.status, exit)
    // What goes to a file is not changed.
    if status != 204 { expectEqual(end.output, "body\u{1B}[31m") }
    expectEqual(end.errors.contains("HTTP status \(status)"), status >= 300)
  }

  @Test(
    "Of a redirect, only the server and the path are named", .promise("error-content"),
    arguments: [
      ("https://evil.example/a/b?access_token=eyJ0#id_token=eyJ1", ": https://evil.example/a/b"),
      ("/login?code=eyJ0", "/login"), ("?eyJ0", "/orders"),
      ("https://u:eyJ0@evil.example/", "evil.example/"),
      ("//evil.example/x#eyJ0", "evil.example/x"), ("mailto:eyJ0@evil.example", "not followed."),
      ("not an address eyJ0 <>", "not followed"),
    ])
  func redirect(location: String, shown: String) async throws {
    try await home.signIn(at: bearer, scopes: ["openid"])
    let (server, address) = try Self.server { _ in
      TransportResponse(status: 302, headers: ["Location": location], body: [])
    }
    defer { server.stop() }
    let end = try home.run("api", "\(address)/orders")
    expect(end.status == 1 && end.errors.contains(shown), "\(end.errors)")
    expect(!end.errors.contains("eyJ"), "\(end.errors)")
  }

  @Test("A server that cannot be reached is explained like that of a sign-in")
  func unreachable() async throws {
    try await home.signIn(at: bearer)
    let unknown = try home.run("api", "https://api.invalid/orders")
    expectEqual(unknown.status, 6)
    expectContains(unknown.errors, "There is no host with the name api.invalid")
    expectContains(unknown.errors, "What to do: Check the name, the network connection")
    let (server, address) = try Self.server { _ in TransportResponse(status: 200, body: []) }
    server.stop()
    let none = try home.run("api", address + "/orders")
    expectEqual(none.status, 6)
    expectContains(none.errors, "What to do: Check the network connection.")
  }

  @Test(
    "The next pages are read up to a limit, but not from another server, and not one twice",
    .promise("token-servers", "page-limit"))
  func pages() async throws {
    try await home.signIn(at: bearer, scopes: ["openid"])
    let (server, address) = try Self.server { request in
      let query = request.url.query ?? ""
      let next =
        switch query {
        case "": "</items?page=2>; rel=\"next\""
        case "page=2": "</items>; rel=prev, </items?page=3>; title=\"x\"; rel=\"start next\""
        case "loop": "</items?loop>; rel=\"next\""
        case "away": "<https://evil.example/items>; rel=\"next\""
        case "broken": "<\\\\host/a b>; rel=\"next\""
        case "title": "</items?page=3>; title=\"a, <b>; rel=next\"; rel=\"prev\""
        default: "</items?page=9>; rel=\"last\""
        }
      return TransportResponse(
        status: 200, headers: ["Link": next], body: Array("[\"\(query)\"]\n".utf8))
    }
    defer { server.stop() }
    let all = try home.run("api", "\(address)/items", "--paginate")
    expect(all.status == 0 && all.output == "[\"\"]\n[\"page=2\"]\n[\"page=3\"]\n")
    let one = try home.run("api", "\(address)/items")
    expectEqual(one.output, "[\"\"]\n")
    let title = try home.run("api", "\(address)/items?title", "--paginate")
    expect(title.status == 0 && title.output == "[\"title\"]\n")
    for (query, reason) in [
      ("loop", "read before"), ("away", "another server"), ("broken", "pages are missing"),
    ] {
      let end = try home.run("api", "\(address)/items?\(query)", "--paginate")
      expect(end.status == 1 && end.errors.contains(reason))
      expectEqual(end.output, "[\"\(query)\"]\n")
    }
    let (endless, first) = try Self.server { request in
      let page = (request.url.query.flatMap { Int($0) } ?? 0) + 1
      return TransportResponse(
        status: 200, headers: ["Link": "</items?\(page)>; rel=\"next\""],
        body: Array("\(page) ".utf8))
    }
    defer { endless.stop() }
    let end = try home.run("api", "\(first)/items", "--paginate", "--max-pages", "3")
    expect(end.status == 1 && end.output == "1 2 3 ", "\(end.output)")
    expectContains(end.errors, "The limit of pages, 3, is reached, so some are missing.")
    expectContains(end.errors, "raise --max-pages")
    let thousand = try home.run("api", "\(first)/items", "--paginate")
    expectEqual(thousand.output.split(separator: " ").count, 1000)
    let alone = try home.run("api", "\(first)/items", "--max-pages", "3")
    let none = try home.run("api", "\(first)/items", "--paginate", "--max-pages", "0")
    expect(alone.status == 2 && none.status == 2)
  }

  @Test(
    "What is not a request is refused before anything is sent; an address without a scheme is suggested with one, and no password is repeated",
    .promise("token-servers", "one-token"))
  func usage() async throws {
    try expectEqual(home.run("api", "/a").status, 8)
    try await home.signIn(at: bearer)
    let count = bearer.paths.count
    for words in [
      ["orders"], ["ftp://a.example/"], ["https://user@a.example/"], ["https:///"], [],
      ["/a", "/b"], ["/a", "--field", "a"], ["/a", "--field", "=b"], ["/a", "--header", "a"],
      ["/a", "--header", "Authorization: x"], ["/a", "--header", "dpop: x"],
      ["/a", "--method", "G T"], ["/a", "--method", ""], ["/a", "--input", "/nowhere"],
      ["/a", "--json"], ["/a", "--method", "DELETE", "--paginate"], ["/a%2f b"],
      ["/a", "--method", "ß"], ["/a", "--field", "a=1", "--field", "a=2"],
      ["https://a.example%2f.evil.example/"], ["http://api.shop.example/"],
    ] {
      let end = try home.program(["api"] + words).end()
      expectEqual(end.status, 2, "\(words)")
      expectEqual(bearer.paths.count, count)
    }
    let bare = try home.run("api", "api.shop.example/orders")
    expectContains(bare.errors, "Did you mean https://api.shop.example/orders?")
    let user = try home.run("api", "https://ada:Analytical-1843@api.shop.example/")
    expect(user.status == 2 && !user.errors.contains("Analytical"))
  }

  @Test("Without its key, a token cannot be used, and the status says that a sign-in is needed")
  func lostKey() async throws {
    let saved = try await home.signIn(at: bound)
    let tokens = Tokens(
      accessToken: saved.tokens.accessToken, tokenType: "DPoP",
      refreshToken: saved.tokens.refreshToken)
    try await home.store.save(
      Credential(id: saved.id, tokens: tokens, receivedAt: saved.receivedAt))
    let count = bound.paths.count
    for words in [["api", "/a"], ["whoami"], ["refresh"]] {
      let end = try home.program(words).end()
      expect(end.status == 8 && end.errors.contains("Sign in again."))
    }
    expectEqual(bound.paths.count, count)
    // Signing out is still possible.
    try expectEqual(home.run("signout").status, 0)
  }

  @Test(
    "With --no-store, the key is printed with the tokens, because they are useless without it",
    .promise("bound-output"))
  func printedKey() async throws {
    let words = try home.signInArguments(at: bound, as: .demo, "--no-store")
    let end = try home.program(words).end()
    let printed = try JSONValue(parsing: end.output.utf8)
    let key = try require(DPoPKey(json: printed["dpop_key"]))
    let tokens = Tokens(
      accessToken: Secret(printed["access_token"]?.string ?? ""), tokenType: "DPoP", key: key)
    let api = SimulatedAPI(bound.org, origin: "https://api.shop.example")
    await bound.org.changeTokens { $0.nonceLifetime = nil }
    var request = TransportRequest(url: api.origin)
    let credential = Credential(
      id: Credential.ID(issuer: api.origin, clientID: "app", subject: nil), tokens: tokens,
      receivedAt: Date())
    for (name, value) in try credential.headers(for: request) { request.headers[name] = value }
    try await expectEqual(api.send(request).status, 200)
  }
}
