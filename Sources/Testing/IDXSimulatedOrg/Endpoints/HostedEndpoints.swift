import Foundation
import IDXBase

// The page of the org: where a sign-in on it ends, and the apps with SAML.
extension OrgEndpoint {
  static let hosted =
    samlApps + [
      OrgEndpoint(
        "GET", at: .origin, "/login/token/redirect", .query(["stateToken"]), respond: finish),
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
        to: app.address(at: org.settings.origin), with: token.map { [(oneTimeToken, $0)] } ?? [])
    },
  ]

  /// A session token of the classic API, which opens an app directly.
  private static let oneTimeToken = "onetimetoken"

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
}

extension OrgState {
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
