import IDXOAuth
import IDXBase
import IDX
import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An answer of the org, before it is written as HTTP.
struct OrgReply {
  let status: Int
  let body: JSONValue
  /// What the body is; nil where there is none.
  let mediaType: String?
  var headers: [String: String] = [:]
  /// The body, where it is no JSON.
  var bytes: [UInt8]?

  static let ionMediaType = "application/ion+json; okta-version=1.0.0"

  /// An IDX document.
  static func document(_ body: JSONValue, status: Int = 200) -> OrgReply {
    OrgReply(status: status, body: body, mediaType: ionMediaType)
  }

  /// Messages and nothing else: what went wrong concerns no step.
  static func refusal(_ messages: [OrgMessage], status: Int) -> OrgReply {
    document(
      ["version": "1.0.0", "messages": OrgMessage.list(messages)], status: status)
  }

  static let expired = refusal([.sessionExpired], status: 401)

  /// What OAuth's endpoints answer.
  static func oauth(_ body: JSONValue, status: Int = 200) -> OrgReply {
    OrgReply(
      status: status, body: body, mediaType: "application/json",
      headers: ["Cache-Control": "no-store"])
  }

  /// OAuth's refusal (RFC 6749, section 5.2).
  static func oauthError(_ code: String, _ description: String, status: Int = 400) -> OrgReply {
    oauth(["error": .string(code), "error_description": .string(description)], status: status)
  }

  static let unknownClient = oauthError("invalid_client", "There is no such client.", status: 401)

  static let unknownScope = oauthError("invalid_scope", "A scope is missing or not known.")

  /// What no IDX document can say: the classic API's refusal.
  static func classicError(
    _ code: String, _ summary: String, status: Int, causes: [String] = [],
    headers: [String: String] = [:]
  ) -> OrgReply {
    let causes = causes.map { ["errorSummary": .string($0)] as JSONValue }
    return OrgReply(
      status: status,
      body: [
        "errorCode": .string(code), "errorSummary": .string(summary), "errorLink": .string(code),
        "errorId": .string(OrgSettings.id("oae", summary)), "errorCauses": .array(causes),
      ],
      mediaType: "application/json", headers: headers)
  }

  /// An image, which is not to be kept.
  static func image(_ bytes: [UInt8]) -> OrgReply {
    OrgReply(
      status: 200, body: .null, mediaType: "image/png", headers: ["Cache-Control": "no-store"],
      bytes: bytes)
  }

  /// A moment as the members of responses have it: `2030-03-17T17:51:40.000Z`.
  static func timestamp(_ date: Date) -> String {
    Date.ISO8601FormatStyle(includingFractionalSeconds: true).format(date)
  }

  /// A moment as HTTP's header fields have it (RFC 9110, section 5.6.7).
  static func httpDate(_ date: Date) -> String {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents(
      [.weekday, .day, .month, .year, .hour, .minute, .second], from: date)
    let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    func two(_ number: Int?) -> String {
      let digits = String(number ?? 0)
      return digits.count < 2 ? "0" + digits : digits
    }
    return "\(days[(parts.weekday ?? 1) - 1]), \(two(parts.day)) "
      + "\(months[(parts.month ?? 1) - 1]) \(parts.year ?? 1970) "
      + "\(two(parts.hour)):\(two(parts.minute)):\(two(parts.second)) GMT"
  }

  /// The answer as HTTP, with the id that every answer carries.
  func response(requestID: String) -> TransportResponse {
    var headers = headers
    headers["Content-Type"] = mediaType
    headers["X-Okta-Request-Id"] = requestID
    return TransportResponse(
      status: status, headers: headers, body: bytes ?? (mediaType == nil ? [] : body.bytes))
  }
}

/// Something the org says, with the key by which programs tell what it is.
struct OrgMessage: Sendable, Hashable {
  let key: String
  let text: String
  var parameters: [String] = []
  var kind: IDXMessage.Kind = .error
  /// Addresses where more is said.
  var links: [String] = []

  var json: JSONValue {
    let json: JSONValue = [
      "message": .string(text),
      "i18n": ["key": .string(key), "params": .array(parameters.map(JSONValue.string))],
      "class": .string(kind.rawValue),
    ]
    let links = links.map { ["url": .string($0)] as JSONValue }
    return json.adding("links", .array(links), if: !links.isEmpty)
  }

  static func list(_ messages: [OrgMessage]) -> JSONValue {
    ["type": "array", "value": .array(messages.map(\.json))]
  }
}
