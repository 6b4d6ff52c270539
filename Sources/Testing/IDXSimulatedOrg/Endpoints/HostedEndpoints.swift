import Foundation
import IDXBase

// The page of the org: where a sign-in on it ends, and the session of the browser.
extension OrgEndpoint {
  static let hosted = [
    OrgEndpoint(
      "GET", at: .origin, "/login/token/redirect", .query(["stateToken"]), respond: finish),
    OrgEndpoint("GET", at: .origin, "/login/signout", .query(["fromURI"])) { request, org in
      var response = OrgResponse.redirect(to: org.settings.origin + "/", with: [])
      response.cookies = org.endSession(of: request.http)
      return response
    },
    OrgEndpoint("GET", "DELETE", at: .origin, "/api/v1/sessions/me", respond: session),
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

  /// Redirects to the app after the last step of a sign-in; the browser then has a session.
  private static let finish: Responder = { (request, org) throws(Refusal) in
    let token = try request.required("stateToken")
    let found = org.unfinishedSignIns().first {
      $0.hosted != nil && HostedSignIn.stateToken(of: $0.handle) == token
    }
    guard let signIn = found, let hosted = signIn.hosted, case .succeeded = signIn.step,
      let key = signIn.accountKey
    else {
      throw Refusal(response: .page(PageDocument.notice("The session has expired."), status: 400))
    }
    try signIn.checkCookies(of: request.http)
    org.remove(signIn)
    let session = org.startSession(of: key, signIn.verified.completed(at: org.now))
    var response = try org.redirect(
      to: hosted.destination, of: org[key], session.signIn, without: signIn.refusedScopes)
    response.cookies += session.cookies.sorted { $0.key > $1.key }.map {
      org.settings.cookie($0.key, $0.value)
    }
    return response
  }

  /// The session of the browser, or its end.
  private static let session: Responder = { (request, org) throws(Refusal) in
    guard let session = org.session(of: request.http) else { throw .notFound }
    if request.http.method == "DELETE" {
      return OrgResponse(status: 204, cookies: org.endSession(of: request.http))
    }
    let account = org[session.account]
    return .json([
      "id": .string(session.id), "login": .string(account.user.login),
      "userId": .string(account.id), "expiresAt": .string(session.expiresAt.timestamp),
      "status": "ACTIVE",
    ])
  }
}

extension OrgState {
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

  /// Leads a user who is signed in to the app.
  mutating func redirect(
    to destination: HostedSignIn.Destination, of account: OrgAccount, _ signIn: CompletedSignIn,
    without refusedScopes: Set<String> = []
  ) throws(Refusal) -> OrgResponse {
    switch destination {
    case .app(let first):
      let code = issueCode(for: first, to: account.subject, signIn, without: refusedScopes)
      return redirect(to: first.redirectURI, with: [("code", code)], state: first.state)
    case .saml: throw .notFound
    }
  }
}
