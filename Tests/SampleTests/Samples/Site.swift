import IDXFlow

struct Request {
  var line: String  // Such as “POST /poll”.
  var headers: [String: String]
  var cookies: [String: String]
  var form: [String: String]

  /// Whether a page of this site sent it, as far as the browser says.
  func isFrom(_ site: String) -> Bool {
    (headers["sec-fetch-site"] ?? "same-origin") == "same-origin"
      && (headers["origin"] ?? site) == site
  }
}

struct Response {
  var status = 200
  var headers = [("Cache-Control", "no-store")]
  var body = ""

  static func redirect(to path: String) -> Response {
    Response(status: 303, headers: [("Location", path), ("Cache-Control", "no-store")])
  }

  /// An empty value deletes the cookie. On http://localhost, leave out the prefix and `Secure`.
  func setting(_ name: String, _ value: String) -> Response {
    let rest = "; Path=/; HttpOnly; SameSite=Lax; Secure" + (value.isEmpty ? "; Max-Age=0" : "")
    var response = self
    response.headers.append(("Set-Cookie", "__Host-\(name)=\(value)\(rest)"))
    return response
  }
}

struct Site {
  let origin = "https://shop.example"
  /// Its `keep` returns a random ID for the person's cookie.
  let signIns: OpenSignIns

  func respond(to request: Request) async throws -> Response {
    let id = request.cookies["__Host-sign-in"] ?? ""
    if request.line == "GET /sign-in" {
      return id.isEmpty ? .redirect(to: "/") : try await show(signIns.page(of: id))
    }
    guard request.isFrom(origin) else { return Response(status: 403, body: "Not from this site.") }
    if request.line == "POST /start" {
      guard case .page(let page) = try await signIns.start() else { return .redirect(to: "/") }
      return .redirect(to: "/sign-in").setting("sign-in", page.id)
    }
    guard request.form["token"] == OpenSignInPage.formToken(of: id),
      let revision = request.form["revision"].flatMap({ Int($0) })
    else { return Response(status: 403, body: "Load the page again.") }
    switch request.line {
    case "POST /sign-in":
      return try await follow(signIns.reply(reply(in: request.form), to: id, revision: revision))
    // A button “Check now”, for browsers without JavaScript.
    case "POST /check": return try await follow(signIns.poll(id, revision: revision))
    case "POST /poll":
      let result = try await signIns.poll(id, revision: revision)
      if case .page(let page) = result, page.revision == revision { return Response(status: 204) }
      return try await follow(result)
    default: return Response(status: 404, body: "There is no such page.")
    }
  }

  /// Redirects, so that the Back button posts nothing, and loading a page again shows the same.
  private func follow(_ result: OpenSignInResult) async throws -> Response {
    if case .signedIn = result { return try await show(result) }
    if case .cancelled = result { return try await show(result) }
    return .redirect(to: "/sign-in")
  }

  private func show(_ result: OpenSignInResult) async throws -> Response {
    switch result {
    case .page(let page): return Response(body: html(page))
    case .signedIn(let signIn):
      // A new ID, because the person may do more with it than before.
      let account = signIn.keptAs ?? ""
      return .redirect(to: "/").setting("sign-in", "").setting("account", account)
    case .ended(let screen):
      let texts = [screen.title] + screen.messages.map(\.text)
      return Response(body: texts.map { "<p>\(escaped($0))</p>" }.joined())
    default: return .redirect(to: "/").setting("sign-in", "")
    }
  }
}
