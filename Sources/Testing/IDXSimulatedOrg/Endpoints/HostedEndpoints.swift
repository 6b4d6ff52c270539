import Foundation
import IDXBase

// The page of the org: where a sign-in on it ends, and the session of the browser.
extension OrgEndpoint {
  static let hosted =
    samlApps + [
      OrgEndpoint(
        "GET", at: .origin, "/login/token/redirect", .query(["stateToken"]), respond: finish),
      OrgEndpoint("GET", at: .origin, "/login/signout", .query(["fromURI"])) { request, org in
        var response = OrgResponse.redirect(to: org.settings.origin + "/", with: [])
        response.cookies = org.endSession(of: request.http)
        return response
      },
      OrgEndpoint("GET", "DELETE", at: .origin, "/api/v1/sessions/me", respond: session),
      OrgEndpoint(
        "POST", at: .origin, "/api/v1/sessions", .json(else: .noSessionToken), as: json,
        respond: newSession),
      OrgEndpoint(
        "GET", at: .origin, "/login/sessionCookieRedirect",
        .query(["token", "redirectUrl", "checkAccountSetupComplete"]), respond: openSession),
      OrgEndpoint("GET", at: .origin, "/api/v1/users/me/appLinks", as: json, respond: appLinks),
      OrgEndpoint("GET", at: .origin, "/.well-known/okta-organization") { _, org in
        .json([
          "id": .string(OrgSettings.id("00o", org.settings.host)),
          "pipeline": .string(org.requestRules.pipeline.rawValue),
          "settings": [
            "analyticsCollectionEnabled": false, "bugReportingEnabled": false,
            "omEnabled": false,
          ],
          "_links": ["organization": ["href": .string(org.settings.origin)]],
        ])
      },
    ]

  private static let samlApps = [
    OrgEndpoint(
      "GET", at: .origin, "/app/*/*/sso/saml",
      .query(["RelayState", "SAMLRequest", "fromHome", oneTimeToken, "sessionToken"])
    ) { (request, org) throws(Refusal) in
      let app = try org.samlApp(at: request)
      let state = request.parameters["RelayState"] ?? ""
      let new = org.startSession(
        for: request.parameters[oneTimeToken] ?? request.parameters["sessionToken"])
      guard let session = new ?? org.session(of: request.http) else {
        return org.page(for: .saml(app, relayState: state), by: request)
      }
      let account = try org.allowedAccount(session.account)
      var response = org.redirect(
        to: .saml(app, relayState: state), of: account, session.signIn)
      response.cookies += new.map(org.cookies) ?? []
      return response
    },
    // The link of an app on the dashboard.
    OrgEndpoint("GET", at: .origin, "/home/*/*/*", .query(["fromHome", oneTimeToken])) {
      (request, org) throws(Refusal) in
      let app = try org.samlApp(at: request)
      let token = request.parameters[oneTimeToken]
      return .redirect(
        to: org.settings.address(of: app), with: token.map { [(oneTimeToken, $0)] } ?? [])
    },
  ]

  /// A session token of the classic API, which opens an app directly.
  private static let oneTimeToken = "onetimetoken"

  /// A session for a session token, which needs no cookie.
  private static let newSession: Responder = { (request, org) throws(Refusal) in
    guard let session = org.startSession(for: request.body["sessionToken"]?.string) else {
      throw .noSessionToken
    }
    var response = OrgResponse.json(org.json(of: session))
    response.cookies = org.cookies(of: session)
    return response
  }

  /// Gives the browser a session for a session token, and goes on to an address of the org.
  private static let openSession: Responder = { (request, org) throws(Refusal) in
    let address = try request.required("redirectUrl")
    try require(
      address.hasPrefix(org.settings.origin + "/"),
      else: .oauth("invalid_request", "The redirectUrl is not an address of this org."))
    guard let session = org.startSession(for: request.parameters["token"]) else {
      throw Refusal(response: .page(PageDocument.notice("The session has expired."), status: 400))
    }
    var response = OrgResponse.redirect(to: address, with: [])
    response.cookies = org.cookies(of: session)
    return response
  }

  /// The apps of the person whose session it is.
  private static let appLinks: Responder = { (request, org) throws(Refusal) in
    try require(
      org.session(of: request.http) != nil,
      else: .api("E0000005", "There is no session.", status: 403))
    let links = org.requestRules.samlApps.map { app -> JSONValue in
      [
        "id": .string(app.id), "label": .string(app.label), "appName": .string(app.name),
        "appInstanceId": .string(app.id), "hidden": false,
        "linkUrl": .string("\(org.settings.origin)/home/\(app.name)/\(app.id)/272"),
      ]
    }
    return .json(.array(links))
  }

  /// Redirects to the app after the last step of a sign-in; the browser then has a session.
  private static let finish: Responder = { (request, org) throws(Refusal) in
    let token = try request.required("stateToken")
    let found = org.unfinishedSignIns().first {
      $0.hosted != nil && HostedSignIn.stateToken(of: $0.handle) == token
    }
    try found?.checkCookies(of: request.http)
    guard let signIn = found, let response = org.finish(signIn) else {
      throw Refusal(response: .page(PageDocument.notice("The session has expired."), status: 400))
    }
    return response
  }

  /// The session of the browser, or its end.
  private static let session: Responder = { (request, org) throws(Refusal) in
    guard let session = org.session(of: request.http) else { throw .notFound }
    if request.http.method == "DELETE" {
      return OrgResponse(status: 204, cookies: org.endSession(of: request.http))
    }
    return .json(org.json(of: session))
  }
}

extension Refusal {
  fileprivate static let noSessionToken = api(
    "E0000004", "The session token is unknown or expired.", status: 401)
}

extension OrgSettings {
  /// Where an app with SAML begins.
  fileprivate func address(of app: SAMLApp) -> String {
    "\(origin)/app/\(app.name)/\(app.id)/sso/saml"
  }
}

extension OrgState {
  fileprivate func json(of session: BrowserSession) -> JSONValue {
    let account = self[session.account]
    return [
      "id": .string(session.id), "login": .string(account.user.login),
      "userId": .string(account.id), "expiresAt": .string(session.expiresAt.timestamp),
      "status": "ACTIVE",
    ]
  }

  /// The app that an address names after its first part.
  fileprivate func samlApp(at request: OrgRequest) throws(Refusal) -> SAMLApp {
    let parts = request.address.dropFirst(settings.origin.count).split(separator: "/")
    let app = requestRules.samlApps.first {
      parts.count > 2 && $0.name == parts[1] && $0.id == parts[2]
    }
    guard let app, requestRules.signInPage != nil else { throw .notFound }
    return app
  }

  /// The page of a new sign-in, with its cookies.
  mutating func page(
    for destination: HostedSignIn.Destination, by request: OrgRequest
  ) -> OrgResponse {
    let layout = requestRules.signInPage?.layout ?? .standard
    guard requestRules.pipeline == .idx else {
      return .page(PageDocument(origin: settings.origin, layout: layout, stateToken: "").html)
    }
    var signIn = startSignIn(to: destination, by: request)
    // Some clients send the token of the page in place of a state handle, without introspection.
    _ = signIn.record(.unchanged, in: &self)
    guard let hosted = signIn.hosted else { return .empty(status: 500) }
    let page = PageDocument(
      origin: settings.origin, layout: layout, stateToken: hosted.pageToken)
    var response = OrgResponse.page(page.html)
    response.cookies = [
      settings.cookie("JSESSIONID", hosted.sessionID), settings.deviceCookie(hosted.deviceToken),
    ]
    return response
  }

  /// Leads a user to the app after the last step, with a new session; nil if it was not the last step.
  mutating func finish(_ signIn: SignIn) -> OrgResponse? {
    guard let hosted = signIn.hosted, case .succeeded = signIn.step, let key = signIn.accountKey
    else { return nil }
    remove(signIn)
    let session = startSession(of: key, signIn.verified.completed(at: now))
    var response = redirect(
      to: hosted.destination, of: self[key], session.signIn, without: signIn.refusedScopes)
    response.cookies += cookies(of: session)
    return response
  }

  /// Leads a user who is signed in to the app.
  mutating func redirect(
    to destination: HostedSignIn.Destination, of account: OrgAccount, _ signIn: CompletedSignIn,
    without refusedScopes: Set<String> = []
  ) -> OrgResponse {
    switch destination {
    case .app(let first):
      let code = issueCode(for: first, to: account.subject, signIn, without: refusedScopes)
      return redirect(to: first.redirectURI, with: [("code", code)], state: first.state)
    case .saml(let app, let relayState):
      let response = SAMLResponse(
        app: app, subject: account.subject, session: signIn, now: now, id: random.handle("id"),
        key: tokens.keys.current)
      return .page(
        PageDocument.form(
          to: app.consumerURL,
          [
            ("SAMLResponse", Data(response.xml.utf8).base64EncodedString()),
            ("RelayState", relayState),
          ]))
    }
  }
}
