import IDXBase

// Requests of scripts from other origins (CORS; Fetch Standard, section 3.2).
extension OrgRequestRules {
  /// The response to a browser that asks whether a script may send a request; nil for all other requests.
  func preflight(_ request: TransportRequest) -> TransportResponse? {
    let fields = crossOriginFields(for: request)
    guard request.method == "OPTIONS", !fields.isEmpty,
      request.field("Access-Control-Request-Method") != nil
    else { return nil }
    var draft = OrgResponse.empty(status: 204, headers: fields)
    draft.headers["Access-Control-Allow-Methods"] = "GET, POST, DELETE"
    draft.headers["Access-Control-Allow-Headers"] = Self.allowedFields
    return draft.http(requestID: "preflight")
  }

  /// The header fields with which a browser shows a response to a script; none if its origin is not trusted.
  func crossOriginFields(for request: TransportRequest) -> [String: String] {
    guard let origin = request.field("Origin"), trustedOrigins.contains(origin) else {
      return [:]
    }
    return [
      "Access-Control-Allow-Origin": origin, "Access-Control-Allow-Credentials": "true",
      "Access-Control-Expose-Headers": Self.exposedFields, "Vary": "Origin",
    ]
  }

  private static let allowedFields =
    "Accept, Authorization, Content-Type, DPoP, X-Device-Fingerprint, X-Okta-User-Agent-Extended"
  private static let exposedFields =
    "Date, DPoP-Nonce, WWW-Authenticate, X-Okta-Request-Id, X-Rate-Limit-Limit, X-Rate-Limit-Remaining, "
    + "X-Rate-Limit-Reset"
}
