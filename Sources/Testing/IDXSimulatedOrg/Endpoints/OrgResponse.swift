import Foundation
import IDX
import IDXBase
import IDXOAuth

/// A response of the org, before it is written as HTTP.
struct OrgResponse {
  let status: Int
  var body: JSONValue = .null
  /// The type of the body; nil if there is no body.
  var mediaType: String?
  var headers: [String: String] = [:]
  /// The values of `Set-Cookie`.
  var cookies: [String] = []
  /// The body, if it is not JSON.
  var bytes: [UInt8]?

  static let ionMediaType = "application/ion+json; okta-version=1.0.0"

  static func idx(_ body: JSONValue, status: Int = 200) -> OrgResponse {
    OrgResponse(status: status, body: body, mediaType: ionMediaType)
  }

  /// A JSON response of the OAuth endpoints, DirectAuth or the classic API.
  static func json(
    _ body: JSONValue, status: Int = 200, headers: [String: String] = [:]
  ) -> OrgResponse {
    OrgResponse(status: status, body: body, mediaType: "application/json", headers: headers)
  }

  static func image(_ bytes: [UInt8]) -> OrgResponse {
    OrgResponse(status: 200, mediaType: "image/png", bytes: bytes)
  }

  /// A page; it loads nothing, runs only its own script, and can send forms anywhere.
  static func page(_ html: String, status: Int = 200) -> OrgResponse {
    OrgResponse(
      status: status, mediaType: "text/html; charset=utf-8",
      headers: [
        "Content-Security-Policy": "default-src 'none'; script-src 'unsafe-inline'; "
          + "style-src 'unsafe-inline'; img-src data:; connect-src 'self'; frame-ancestors 'none'"
      ], bytes: Array(html.utf8))
  }

  static func empty(status: Int = 200, headers: [String: String] = [:]) -> OrgResponse {
    OrgResponse(status: status, headers: headers)
  }

  static func redirect(to address: String, with parameters: [(String, String)]) -> OrgResponse {
    let mark = address.contains("?") ? "&" : "?"
    let query = parameters.isEmpty ? "" : mark + FormURLEncoding.encode(parameters)
    return .empty(status: 302, headers: ["Location": address + query])
  }

  func http(requestID: String) -> TransportResponse {
    var headers = headers
    headers["Content-Type"] = mediaType
    headers["X-Okta-Request-Id"] = requestID
    headers["Cache-Control"] = "no-cache, no-store"
    if !cookies.isEmpty { headers["Set-Cookie"] = cookies.joined(separator: ", ") }
    return TransportResponse(
      status: status, headers: headers, body: bytes ?? (mediaType == nil ? [] : body.bytes))
  }
}

/// The response to a refused request.
struct Refusal: Error {
  var response: OrgResponse

  /// An OAuth error (RFC 6749, section 5.2).
  static func oauth(_ code: String, _ description: String, status: Int = 400) -> Refusal {
    let body: JSONValue = ["error": .string(code), "error_description": .string(description)]
    return Refusal(response: .json(body, status: status))
  }

  /// An OAuth error of a resource (RFC 6750, section 3; RFC 9449, section 7.1).
  static func challenge(_ challenge: String, status: Int = 401) -> Refusal {
    Refusal(response: .empty(status: status, headers: ["WWW-Authenticate": challenge]))
  }

  /// An error of the classic API; other endpoints use it too for errors without an IDX response.
  static func api(
    _ code: String, _ summary: String, status: Int, causes: [String] = [],
    headers: [String: String] = [:]
  ) -> Refusal {
    let causes = causes.map { ["errorSummary": .string($0)] as JSONValue }
    let body: JSONValue = [
      "errorCode": .string(code), "errorSummary": .string(summary), "errorLink": .string(code),
      "errorId": .string(OrgSettings.id("oae", summary)), "errorCauses": .array(causes),
    ]
    return Refusal(response: .json(body, status: status, headers: headers))
  }

  /// An IDX response with messages only: the problem is not about a step.
  static func idx(_ messages: [Message], status: Int) -> Refusal {
    var draft = IDXResponse.Draft()
    draft.messages = messages
    return Refusal(response: .idx(draft.json, status: status))
  }

  /// The response for a person, who sees no JSON.
  var page: OrgResponse {
    let text = response.body["error_description"] ?? response.body["errorSummary"]
    guard response.bytes == nil, let text = text?.string else { return response }
    return .page(PageDocument.notice(text), status: response.status)
  }

  static let notJSON = idx([.bodyNotJSON], status: 400)
  static let expired = idx([.sessionExpired], status: 401)

  /// The refusal of a client whose authentication failed, by `Authorization` or in the body (RFC 6749,
  /// section 5.2).
  static func failedAuthentication(_ field: String?) -> Refusal {
    let body: JSONValue = [
      "error": "invalid_client", "error_description": "Client authentication failed.",
    ]
    let headers = field == nil ? [:] : ["WWW-Authenticate": "Basic realm=\"The simulated org\""]
    return Refusal(response: .json(body, status: 401, headers: headers))
  }

  static let unknownScope = oauth("invalid_scope", "A scope is missing or unknown.")
  static let notFound = api("E0000007", "There is nothing at this address.", status: 404)
}

/// Throws unless a condition is met.
func require(_ condition: Bool, else refusal: @autoclosure () -> Refusal) throws(Refusal) {
  if !condition { throw refusal() }
}

func require<Failure: Error>(
  _ condition: Bool, else failure: @autoclosure () -> Failure
) throws(Failure) {
  if !condition { throw failure() }
}
