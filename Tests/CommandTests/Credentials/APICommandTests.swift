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
    let api = SimulatedAPI(org.org, origin: listener.address)
    listener.start { request in (try? await api.send(request)).map(OrgServer.bytes) }
    let orders = "\(listener.address)/orders"
    let post = try home.run("api", "\(orders)?page=1", "--field", "size=10")
    post.expect(status: 0)
    let first = try post.json
    expect(first["method"] == "POST" && first["query"] == "page=1")
    expectEqual(first["body"], #"{"size":10}"#)
    expectEqual(first["type"]?.string, isBound ? "DPoP" : "Bearer")
    let get = try home.run("api", "\(orders)?page=1", "--method", "get", "--field", "a b=c=d&e")
    try expectEqual(get.json["query"], "page=1&a%20b=c%3Dd%26e")
    let typed = try home.run(
      "api", "-X", "PATCH", orders, "-F", "on=true", "-F", "n=-1.5", "-F", "list=[1]", "-F",
      "none=null", "-f", "id=10", "-HX-Kind: a")
    try expectEqual(
      typed.json["body"], #"{"on":true,"n":-1.5,"list":"[1]","none":null,"id":"10"}"#)
    let input = try home.run(
      "api", orders, "--input", "-", "--method", "put", "--header", "content-type: text/plain",
      "--include", input: home.folder.file("body", "a=1"))
    expectPrefix(input.output, "HTTP 200\n")
    expectContains(input.output, #""method":"PUT","path":"/orders","query":"","body":"a=1""#)
    let none = try home.run("api", orders, "--method", "DELETE")
    expectContains(none.output, #""method":"DELETE","path":"/orders","query":"","body":"""#)
  }

  @Test(
    "A path goes to the server of the issuer, and at a terminal, JSON has a line for each member")
  func pretty() async throws {
    try await home.signIn(at: bound)
    let terminal = try PseudoTerminal()
    let program = try home.program(["api", "/oauth2/default/v1/userinfo"], output: terminal.path)
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
    end.expect(status: 0)
    var request = TransportRequest(method: "POST", url: try require(URL(string: url)))
    request.headers = Self.fields(end.output)
    expectEqual(Set(request.headers.keys), isBound ? ["Authorization", "DPoP"] : ["Authorization"])
    try await expectEqual(api.send(request).status, 200)
    try await expectEqual(api.send(request).status, isBound ? 401 : 200)
  }

  @Test(
    "The exit status follows from the HTTP status, and the body is printed",
    arguments: [
      (200, 0), (204, 0), (302, 1), (400, 4), (401, 8), (404, 4), (429, 7), (500, 6),
    ] as [(Int, Int32)])
  func status(status: Int, exit: Int32) async throws {
    try await home.signIn(at: bearer, scopes: ["openid"])
    let server = try LoopbackServer { _ in
      TransportResponse(
        status: status, headers: ["Location": "https://evil.example/", "Retry-After": "3000"],
        body: Array("body\u{1B}[31m".utf8))
    }
    defer { server.stop() }
    let end = try home.run("api", "\(server.address)/orders")
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
    let server = try LoopbackServer { _ in
      TransportResponse(status: 302, headers: ["Location": location])
    }
    defer { server.stop() }
    let end = try home.run("api", "\(server.address)/orders")
    end.expect(status: 1, end.errors.contains(shown))
    expect(!end.errors.contains("eyJ"), "\(end.errors)")
  }

  @Test("A server that cannot be reached is explained like that of a sign-in")
  func unreachable() async throws {
    try await home.signIn(at: bearer)
    let unknown = try home.run("api", "https://api.invalid/orders")
    unknown.expect(status: 6)
    expectContains(unknown.errors, "There is no host with the name api.invalid")
    expectContains(unknown.errors, "What to do: Check the name, the network connection")
    let server = try LoopbackServer { _ in TransportResponse(status: 200) }
    server.stop()
    let none = try home.run("api", server.address + "/orders")
    none.expect(status: 6)
    expectContains(none.errors, "What to do: Check the network connection.")
  }

  @Test(
    "The next pages are read up to a limit, but not from another server, and not one twice",
    .promise("token-servers", "page-limit"))
  func pages() async throws {
    try await home.signIn(at: bearer, scopes: ["openid"])
    let server = try LoopbackServer { request in
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
    let items = "\(server.address)/items"
    let all = try home.run("api", items, "--paginate")
    all.expect(status: 0, all.output == "[\"\"]\n[\"page=2\"]\n[\"page=3\"]\n")
    try expectEqual(home.run("api", items).output, "[\"\"]\n")
    let title = try home.run("api", "\(items)?title", "--paginate")
    title.expect(status: 0, title.output == "[\"title\"]\n")
    for (query, reason) in [
      ("loop", "read before"), ("away", "another server"), ("broken", "pages are missing"),
    ] {
      let end = try home.run("api", "\(items)?\(query)", "--paginate")
      end.expect(status: 1, end.errors.contains(reason))
      expectEqual(end.output, "[\"\(query)\"]\n")
    }
    let endless = try LoopbackServer { request in
      let page = (request.url.query.flatMap { Int($0) } ?? 0) + 1
      return TransportResponse(
        status: 200, headers: ["Link": "</items?\(page)>; rel=\"next\""],
        body: Array("\(page) ".utf8))
    }
    defer { endless.stop() }
    let first = "\(endless.address)/items"
    let end = try home.run("api", first, "--paginate", "--max-pages", "3")
    end.expect(status: 1, end.output == "1 2 3 ")
    expectContains(end.errors, "The limit of pages, 3, is reached, so some are missing.")
    expectContains(end.errors, "raise --max-pages")
    let thousand = try home.run("api", first, "--paginate")
    expectEqual(thousand.output.split(separator: " ").count, 1000)
    try home.run("api", first, "--max-pages", "3").expect(status: 2)
    try home.run("api", first, "--paginate", "--max-pages", "0").expect(status: 2)
  }

  @Test(
    "What is not a request is refused before anything is sent; an address without a scheme is suggested with one, and no password is repeated",
    .promise("token-servers", "one-token"))
  func usage() async throws {
    try home.run("api", "/a").expect(status: 8)
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
      try expectEqual(home.run(["api"] + words).status, 2, "\(words)")
      expectEqual(bearer.paths.count, count)
    }
    let bare = try home.run("api", "api.shop.example/orders")
    expectContains(bare.errors, "Did you mean https://api.shop.example/orders?")
    let user = try home.run("api", "https://ada:Analytical-1843@api.shop.example/")
    user.expect(status: 2, !user.errors.contains("Analytical"))
  }

  @Test("Without its key, a token cannot be used, and the status says that a sign-in is needed")
  func lostKey() async throws {
    let saved = try await home.signIn(at: bound)
    try await home.replaceTokens(
      of: saved,
      with: Tokens(
        accessToken: saved.tokens.accessToken, tokenType: "DPoP",
        refreshToken: saved.tokens.refreshToken))
    let count = bound.paths.count
    for words in [["api", "/a"], ["whoami"], ["refresh"]] {
      let end = try home.run(words)
      end.expect(status: 8, end.errors.contains("Sign in again."))
    }
    expectEqual(bound.paths.count, count)
    // Signing out is still possible.
    try home.run("signout").expect(status: 0)
  }

  @Test(
    "With --no-store, the key is printed with the tokens, because they are useless without it",
    .promise("bound-output"))
  func printedKey() async throws {
    let printed = try home.run(home.signInArguments(at: bound, "--no-store")).json
    let key = try require(DPoPKey(json: printed["dpop_key"]))
    let tokens = Tokens(
      accessToken: Secret(printed["access_token"]?.string ?? ""), tokenType: "DPoP", key: key)
    let api = SimulatedAPI(bound.org, origin: "https://api.shop.example")
    await bound.org.changeTokens { $0.nonceLifetime = nil }
    let credential = Credential(
      id: Credential.ID(issuer: api.origin, clientID: "app", subject: nil), tokens: tokens,
      receivedAt: Date())
    var request = TransportRequest(url: api.origin)
    for (name, value) in try credential.headers(for: request) { request.headers[name] = value }
    try await expectEqual(api.send(request).status, 200)
  }
}
