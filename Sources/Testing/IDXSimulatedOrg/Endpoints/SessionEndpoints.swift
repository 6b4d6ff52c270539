import Foundation
import IDXBase

// The session of a browser: how it begins with a session token of the classic API, what it is, and its end.
extension OrgEndpoint {
  static let sessions = [
    OrgEndpoint("GET", "DELETE", at: .origin, "/api/v1/sessions/me", respond: session),
    OrgEndpoint(
      "POST", at: .origin, "/api/v1/sessions", .json(else: .noSessionToken), as: json,
      respond: newSession),
    OrgEndpoint(
      "GET", at: .origin, "/login/sessionCookieRedirect",
      .query(["token", "redirectUrl", "checkAccountSetupComplete"]), respond: openSession),
    OrgEndpoint("GET", at: .origin, "/api/v1/users/me/appLinks", as: json, respond: appLinks),
    // What the dashboard asks for; its query does not matter, and repeats a parameter.
    OrgEndpoint("GET", at: .origin, "/api/v1/users/me/home/tabs", as: json, respond: tabs),
    OrgEndpoint("GET", at: .origin, "/enduser/callback") { _, _ in
      .page(PageDocument.notice("This is the dashboard."))
    },
    OrgEndpoint("GET", at: .origin, "/login/signout", .query(["fromURI"])) { request, org in
      var response = OrgResponse.redirect(to: org.settings.origin + "/", with: [])
      response.cookies = org.endSession(of: request.http)
      return response
    },
  ]

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
      address.hasPrefix(org.settings.origin + "/")
        && address.isVisibleASCII,
      else: .oauth("invalid_request", "The redirectUrl is not an address of this org."))
    let kept = org.session(of: request.http)
    guard let session = org.startSession(for: request.parameters["token"]) ?? kept else {
      throw Refusal(response: .page(PageDocument.notice("The session has expired."), status: 400))
    }
    var response = OrgResponse.redirect(to: address, with: [])
    response.cookies = org.cookies(of: session)
    return response
  }

  /// The apps of the person whose session it is.
  private static let appLinks: Responder = { (request, org) throws(Refusal) in
    .json(.array(try org.appLinks(for: request)))
  }

  private static let tabs: Responder = { (request, org) throws(Refusal) in
    let items = try org.appLinks(for: request).map { link -> JSONValue in
      ["_embedded": ["resource": link]]
    }
    return .json([["label": "My Apps", "_embedded": ["items": .array(items)]]])
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

extension OrgState {
  fileprivate func appLinks(for request: OrgRequest) throws(Refusal) -> [JSONValue] {
    try require(
      session(of: request.http) != nil,
      else: .api("E0000005", "There is no session.", status: 403))
    return requestRules.samlApps.enumerated().map { position, app in
      [
        "id": .string(app.id), "label": .string(app.label), "appName": .string(app.name),
        "appInstanceId": .string(app.id), "appAssignmentId": .string(app.id), "hidden": false,
        "credentialsSetup": false, "sortOrder": JSONValue(position),
        "linkUrl": .string("\(settings.origin)/home/\(app.name)/\(app.id)/272"),
        "logoUrl": .string("\(settings.origin)/logo.png"),
      ]
    }
  }

  fileprivate func json(of session: BrowserSession) -> JSONValue {
    let account = self[session.account]
    return [
      "id": .string(session.id), "login": .string(account.user.login),
      "userId": .string(account.id), "expiresAt": .string(session.expiresAt.timestamp),
      "status": "ACTIVE",
    ]
  }
}
