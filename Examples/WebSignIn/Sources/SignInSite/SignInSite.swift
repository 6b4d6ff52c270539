public import Foundation
public import IDXFlow
import IDXOAuth
public import IDXPages
public import WebServer

/// The web site: each request shows a page or takes a reply, for any number of people at once.
///
/// It keeps nothing between requests: a sign-in is in the store, and the browser has its ID in a cookie.
public struct SignInSite: Sendable {
  private let signIns: [(words: Words, signIns: OpenSignIns)]
  private let accounts: SignedInAccounts
  private let configuration: FlowConfiguration
  private let cookies: SiteCookies
  private let origin: RequestOrigin
  private let style: PageStyle
  private let log: @Sendable (String) -> Void

  /// Creates the site of an app.
  ///
  /// - Parameters:
  ///   - configuration: The org and the app; the browser returns to its redirect URI, which is on this site.
  ///   - store: Where sign-ins and signed-in people are kept.
  ///   - proxyField: The field into which your own proxy writes the address of the person; nil, the default, if
  ///     there is no such proxy. No other field is believed, and a request without an address in it is refused (400).
  ///   - style: The name, the logo and the colour of the site.
  ///   - log: Writes a line for those who run the site: the details of a failure, and the reference that the page shows.
  ///   - now: The current time.
  ///   - sleep: Waits for another request of the same sign-in, or for a store that is away.
  ///   - client: Makes a client that asks the server for a language.
  public init(
    _ configuration: FlowConfiguration, store: any OpenSignInStore, proxyField: ProxyField? = nil,
    style: PageStyle = PageStyle(), log: @escaping @Sendable (String) -> Void = { _ in },
    now: @escaping @Sendable () -> Date = { Date() },
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    client: (_ language: String) -> any FlowClient
  ) {
    let accounts = SignedInAccounts(store: store, now: now, sleep: sleep)
    self.accounts = accounts
    signIns = Words.pages.map { words in
      let screens = Screens(
        words: words, canUsePasskeys: true, fastPass: .asks, rememberDevice: .asks)
      let client = client(words.language)
      let handlers = Handlers.showing(screens) { log("\($0.reference): \($1)") }
      return (
        words,
        OpenSignIns(
          client: client, configuration: configuration, handlers: handlers, store: store,
          keep: { signIn in
            // A new ID, because the person may do more with it than before.
            try await accounts.add(signIn.credential.username ?? signIn.credential.id.subject ?? "")
          }, now: now, sleep: sleep)
      )
    }
    self.configuration = configuration
    self.style = style
    self.log = log
    origin = RequestOrigin(proxyField: proxyField)
    cookies = SiteCookies(isSecure: configuration.redirectURI?.hasPrefix("https:") == true)
  }

  /// Answers a request.
  public func respond(to request: HTTPRequest) async -> HTTPResponse {
    if request.method == "GET", let file = StaticFile(at: request.path, style: style) {
      return HTTPResponse(status: 200, headers: file.headers, body: file.bytes)
    }
    let visit = visit(request)
    do {
      switch (request.method, request.path) {
      case ("GET", "/"): return try await home(visit)
      case ("POST", "/start"): return try await start(visit)
      case ("GET", "/sign-in"): return try await show(visit)
      case ("GET", "/check"): return try await reload(visit)
      case ("POST", "/check"): return try await check(visit)
      case ("POST", "/sign-in"): return try await reply(visit)
      case ("POST", "/poll"): return try await poll(visit)
      case ("POST", "/sign-out"): return try await signOut(visit)
      case ("GET", redirectPath): return try await returned(visit)
      case (_, "/back"): return .seeOther("/")
      case ("GET", "/signed-out"):
        return visit.notice(
          200, .signedOut, text: visit.words.page(.signedOutText), button: .start, to: "/start")
      default:
        return visit.notice(404, .unknownPage, button: .back, to: "/back")
      }
    } catch let error as FlowError where request.path == "/poll" {
      // The script then loads the page, which says why the sign-in cannot continue.
      return HTTPResponse(status: error.code == .notKept ? 503 : 409)
    } catch let error as FlowError {
      // The sign-in is over, and the page must not lead back to it.
      return visit.problem(Self.reported(error, log), to: "/start").setting(
        cookies.deleting(.signIn))
    } catch is RequestOrigin.Unknown {
      return visit.notice(400, .unknownAddress, button: .back, to: "/back")
    } catch {
      // The store is away, for example. The sign-in is kept.
      return visit.problem(Self.reported(error, log), to: "/back")
    }
  }

  /// What a visitor is told about an error; the log has the details.
  private static func reported(
    _ error: any Error, _ log: (String) -> Void
  ) -> SignInProblem {
    let problem = SignInProblem(error)
    log("\(problem.reference): \(error)")
    return problem
  }

  private var redirectPath: String {
    configuration.redirectURI.flatMap(URL.init(string:))?.path ?? ""
  }

  /// The name of the site; nil without a redirect URI.
  private var host: String? { configuration.redirectURI.flatMap(URL.init(string:))?.host }

  /// Whether a path belongs to this site; another program may serve the others.
  public func has(_ path: String) -> Bool {
    Self.paths.contains(path) || path == redirectPath || StaticFile(at: path, style: style) != nil
  }

  private static let paths: Set = [
    "/", "/start", "/sign-in", "/check", "/poll", "/sign-out", "/signed-out", "/back",
  ]

  // MARK: Pages

  private func home(_ visit: Visit) async throws -> HTTPResponse {
    if let name = try await accounts.name(for: visit.accountID) {
      return visit.account(name)
    }
    if visit.sessionID != nil { return .seeOther("/sign-in") }
    return visit.notice(200, .welcome, button: .start, to: "/start")
  }

  private func show(_ visit: Visit) async throws -> HTTPResponse {
    guard let id = visit.sessionID else { return .seeOther("/") }
    return try await answer(visit, visit.signIns.page(of: id))
  }

  // MARK: Replies

  private func start(_ visit: Visit) async throws -> HTTPResponse {
    guard visit.isFromThisSite else { return visit.forged }
    var options = StartOptions()
    options.cookies = cookies.device(of: visit.request)
    let turn = try await visit.signIns.start(options, for: origin.context(of: visit.request))
    guard case .page(let page) = turn else { return try await answer(visit, turn) }
    // Loading the page again must not start another sign-in.
    return .seeOther("/sign-in").setting(cookies.setting(.signIn, to: page.id))
  }

  private func reply(_ visit: Visit) async throws -> HTTPResponse {
    guard let id = visit.sessionID else { return .seeOther("/") }
    guard visit.isOurForm(of: id) else { return visit.forged }
    let reply = FormFields.reply(in: visit.form, words: visit.words)
    return try await follow(
      visit,
      visit.signIns.reply(
        reply, to: id, revision: visit.revision, for: origin.context(of: visit.request)))
  }

  /// Asks for news because the person pressed a button.
  private func check(_ visit: Visit) async throws -> HTTPResponse {
    guard let id = visit.sessionID else { return .seeOther("/") }
    guard visit.isOurForm(of: id) else { return visit.forged }
    return try await follow(
      visit,
      visit.signIns.poll(
        id, revision: visit.revision, for: origin.context(of: visit.request)))
  }

  /// Asks for news because a browser without JavaScript loads the page again.
  private func reload(_ visit: Visit) async throws -> HTTPResponse {
    guard let id = visit.sessionID else { return .seeOther("/") }
    guard case .page(let page) = try await visit.signIns.page(of: id) else {
      return .seeOther("/sign-in")
    }
    // Any web page can cause a GET, which must not sign anybody in.
    return try await answer(
      visit,
      visit.signIns.poll(
        id, revision: page.revision, fetchesTokens: false,
        for: origin.context(of: visit.request)))
  }

  /// Tells the script of a page the news; without any, the status is 204.
  ///
  /// The script loads a page that can be loaded, so that it has its own policy and not that of the page before.
  private func poll(_ visit: Visit) async throws -> HTTPResponse {
    guard let id = visit.sessionID, visit.isOurForm(of: id) else { return visit.forged }
    let turn = try await visit.signIns.poll(
      id, revision: visit.revision, for: origin.context(of: visit.request))
    if case .page(let page) = turn, page.revision == visit.revision {
      return HTTPResponse(status: 204)
    }
    return try await follow(visit, turn)
  }

  /// The browser returned from another page, such as that of an identity provider.
  private func returned(_ visit: Visit) async throws -> HTTPResponse {
    guard let id = visit.sessionID else { return .seeOther("/") }
    let query = visit.request.target.drop { $0 != "?" }
    guard let url = URL(string: (configuration.redirectURI ?? "") + query) else {
      return .seeOther("/sign-in")
    }
    return try await follow(
      visit,
      visit.signIns.reply(
        .returned(url), to: id, revision: nil, for: origin.context(of: visit.request)))
  }

  private func signOut(_ visit: Visit) async throws -> HTTPResponse {
    guard let id = visit.accountID, visit.isOurForm(of: id) else { return visit.forged }
    try await accounts.forget(id)
    return .seeOther("/signed-out").setting(cookies.deleting(.account))
  }

  /// Redirects to the page, so that the browser's Back button posts nothing and loading it again shows the same.
  private func follow(_ visit: Visit, _ turn: OpenSignInResult) async throws -> HTTPResponse {
    switch turn {
    case .page, .ended: .seeOther("/sign-in")
    case .signedIn, .cancelled: try await answer(visit, turn)
    }
  }

  private func answer(_ visit: Visit, _ turn: OpenSignInResult) async throws -> HTTPResponse {
    switch turn {
    case .page(let page): return visit.page(page)
    case .ended(let screen): return visit.end(screen)
    case .cancelled:
      return .seeOther("/").setting(cookies.deleting(.signIn))
    case .signedIn(let signIn):
      var response = HTTPResponse.seeOther("/").setting(cookies.deleting(.signIn))
      if let id = signIn.keptAs { response = response.setting(cookies.setting(.account, to: id)) }
      // The org knows the browser by it the next time.
      return cookies.setting(device: signIn.state.cookies.device).map(response.setting) ?? response
    }
  }

  private func visit(_ request: HTTPRequest) -> Visit {
    let languages = (request.headers["accept-language"] ?? "").split(separator: ",")
      .map { String($0.prefix { $0 != ";" }).trimmingCharacters(in: .whitespaces) }
    let words = Words.preferred(languages, among: Words.pages)
    let found = signIns.first { $0.words.language == words.language } ?? signIns[0]
    return Visit(
      request: request, form: request.form, host: host, words: found.words, style: style,
      signIns: found.signIns,
      sessionID: request.cookie(cookies.name(of: .signIn)),
      accountID: request.cookie(cookies.name(of: .account)))
  }
}
