import IDX
import IDXBase
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What the client must remember between two polls, saved in `FlowState.clientState`.
struct DeviceClientState: Sendable, Hashable {
  /// The grant type of the token request (RFC 8628, section 3.4).
  static let grant = "urn:ietf:params:oauth:grant-type:device_code"

  /// The code that only this client and the server know.
  let deviceCode: Secret
  let userCode: UserCode
  /// The time when both codes expire, in ISO 8601.
  let expiresAt: String
  /// The time between two polls, in seconds.
  private(set) var interval: Int
  /// The key that the tokens will be bound to; nil if the server has not asked for one.
  var key: DPoPKey?

  /// Why the response to the request for a code cannot be used.
  struct Flaw: Error, CustomStringConvertible {
    let description: String
  }

  /// Reads the response to the request for a code (RFC 8628, section 3.2).
  ///
  /// The page must be at one of the `origins`: another one is that of somebody else, whose code this would be.
  init(parsing body: [UInt8], from origins: [URL], at now: Date) throws {
    let json = try JSONValue(parsing: body)
    guard let code = json["device_code"]?.string, !code.isEmpty else {
      throw Flaw(description: "There is no device_code.")
    }
    // A code that has to be changed or cut before it is shown could not be entered.
    guard let text = json["user_code"]?.string, (1...64).contains(text.utf8.count),
      text == text.printable, text.contains(where: { !$0.isWhitespace })
    else { throw Flaw(description: "There is no user_code that can be shown.") }
    let address = try Self.address(json["verification_uri"], origins)
    guard let lifetime = json["expires_in"]?.integer, lifetime > 0 else {
      throw Flaw(description: "There is no expires_in.")
    }
    deviceCode = Secret(code)
    // Who scans it must not come to another site than the one that is shown.
    let complete = try? Self.address(json["verification_uri_complete"], origins)
    userCode = UserCode(
      text, at: address,
      completeAddress: complete.flatMap { Origin($0) == Origin(address) ? $0 : nil })
    let day = 24 * 60 * 60
    expiresAt = now.addingTimeInterval(TimeInterval(min(lifetime, day))).formatted(.iso8601)
    interval = Self.limited(json["interval"]?.integer)
  }

  /// Whether the codes have expired.
  func isExpired(at now: Date) -> Bool {
    (try? Date(expiresAt, strategy: .iso8601)).map { $0 <= now } ?? false
  }

  /// Waits five seconds longer from now on (RFC 8628, section 3.5).
  mutating func slowDown() { interval = Self.limited(interval + 5) }

  /// An interval between 1 and 60 seconds; 5 by default.
  private static func limited(_ seconds: Int?) -> Int { min(max(seconds ?? 5, 1), 60) }

  /// An address that a person can open; throws if it is none, or hides its host.
  private static func address(_ json: JSONValue?, _ origins: [URL]) throws(Flaw) -> URL {
    guard let text = json?.string, text.utf8.count <= 2000, let url = URL(string: text),
      let host = url.host(percentEncoded: false), !host.isEmpty
    else { throw Flaw(description: "There is no verification_uri with a host.") }
    guard url.user == nil, url.password == nil else {
      throw Flaw(description: "The verification_uri has a username in front of its host.")
    }
    guard origins.contains(where: { Origin($0) == Origin(url) }) else {
      throw Flaw(
        description: "The verification_uri is at \(Origin(url)), which is not the issuer's server. "
          + "If it is a domain of your org, use that one as the issuer.")
    }
    guard Origin(url).isSecure else {
      throw Flaw(description: "The verification_uri does not start with https.")
    }
    return url
  }

  /// The response that asks the person to enter the code, and is polled.
  func draft(of configuration: FlowConfiguration) -> IDXResponse.Draft {
    var draft = IDXResponse.Draft()
    draft.remediations = [
      Remediation.Draft(
        .userCodePoll, href: configuration.endpoints["token"].absoluteString,
        refresh: .seconds(interval))
    ]
    draft.userCode = userCode
    draft.expiresAt = expiresAt
    return draft
  }
}

// MARK: - Saving

extension DeviceClientState {
  /// Reads what ``json`` wrote.
  init?(_ json: JSONValue?) {
    guard let json, let code = json["device_code"]?.string,
      let userCode = UserCode(json["user_code"]),
      let expiresAt = json["expires_at"]?.string
    else { return nil }
    deviceCode = Secret(code)
    self.userCode = userCode
    self.expiresAt = expiresAt
    interval = Self.limited(json["interval"]?.integer)
    key = DPoPKey(json: json["dpop_key"])
  }

  var json: JSONValue {
    let json: JSONValue = [
      "device_code": .string(deviceCode.revealed), "user_code": userCode.json,
      "expires_at": .string(expiresAt), "interval": .number(JSONValue.Number(interval)),
    ]
    return json.adding("dpop_key", key?.json)
  }
}

extension DeviceClientState: Redacted {
  var description: String { "device code" }
}
