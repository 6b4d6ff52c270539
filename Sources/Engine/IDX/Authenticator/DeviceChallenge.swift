public import IDXBase

/// A challenge that Okta Verify on the person's own device has to sign (Okta FastPass).
///
/// The server sends it for the whole response (`$.authenticatorChallenge.value`) or for the authenticator that is
/// challenged (`contextualData.challenge.value`). Everything in it is the server's choice: see `LoopbackChallenge` of
/// IDXFlow for what may be sent to this device.
public struct DeviceChallenge: Sendable, Hashable {
  /// The way in which the challenge reaches Okta Verify.
  public struct Method: OpenSet {
    /// The name in the response (`challengeMethod`).
    public let rawValue: String
    /// Creates a method with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Requests to a server of Okta Verify on this device.
    public static let loopback: Method = "LOOPBACK"
    /// A link with a scheme of Okta Verify.
    public static let customURI: Method = "CUSTOM_URI"
    /// An https link that Apple's systems open in Okta Verify.
    public static let universalLink: Method = "UNIVERSAL_LINK"
    /// An https link that Android opens in Okta Verify.
    public static let appLink: Method = "APP_LINK"
  }

  /// Why a challenge is given up (`reason` of the form that ends it).
  public struct Reason: OpenSet {
    /// The name in the request.
    public let rawValue: String
    /// Creates a reason with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Nothing answered on this device.
    public static let unreachable: Reason = "OV_UNREACHABLE_BY_LOOPBACK"
    /// Okta Verify responded with an error.
    public static let returnedError: Reason = "OV_RETURNED_ERROR"
    /// The person does not want it.
    public static let userCanceled: Reason = "USER_CANCELED"
  }

  /// The challenge as sent.
  public let raw: RawJSON
  /// The form that gives it up, without a reason; nil if the server offers none.
  private let end: Remediation?

  /// The way in which it reaches Okta Verify; empty if the server names none.
  public var method: Method { Method(rawValue: raw.string("challengeMethod") ?? "") }
  /// What Okta Verify signs, a JWT (`challengeRequest`); nil if the server sends none.
  public var request: Secret? { raw.string("challengeRequest").map { Secret($0) } }
  /// The scheme and host of Okta Verify's server (`domain`), such as `http://localhost`; nil if there is none.
  public var domain: String? { raw.string("domain") }
  /// The same with a name that has a certificate (`httpsDomain`), which is tried first; nil if there is none.
  public var httpsDomain: String? { raw.string("httpsDomain") }
  /// The ports of Okta Verify's server, in the order in which they are tried; others than numbers are left out.
  public var ports: [Int] {
    (raw["ports"]?.array ?? []).compactMap { $0.integer ?? $0.string.flatMap { Int($0) } }
  }
  /// How long to wait for each port (`probeTimeoutMillis`); 100 milliseconds if the server does not say.
  public var probeTimeout: Duration { .milliseconds(raw.integer("probeTimeoutMillis") ?? 100) }
  /// The link that opens Okta Verify (`href`); nil if there is none.
  public var link: String? { raw.string("href") }

  init?(_ raw: RawJSON, endedBy other: Remediation? = nil) {
    guard raw.string("challengeMethod") != nil else { return nil }
    self.raw = raw
    let own = raw.actions(except: []).map(Remediation.init)
    end = own.first { Remediation.Name.pollEnds.contains($0.name) } ?? other
  }

  /// The form that gives the challenge up for a reason (`cancel-polling`); nil if the server offers none.
  ///
  /// The server expects the reason and the HTTP status of Okta Verify, although its form does not name them. A
  /// `status` of nil is sent as `null`.
  public func ended(because reason: Reason, status: Int? = nil) -> Remediation? {
    guard let end, let members = end.raw.json.object?.members else { return nil }
    let added: [Remediation.Field.Draft] = [
      .init(fixed: "reason", .string(reason.rawValue)),
      .init(fixed: "statusCode", status.map { .number(.init($0)) } ?? .null),
    ]
    let fields = (end.raw["value"]?.array ?? []).filter { field in
      !["reason", "statusCode"].contains(field["name"]?.string)
    }
    var form = JSONValue.Object(members)
    form["value"] = .array(fields + added.map(\.json))
    guard let json = try? JSONDocument(parsing: JSONValue.object(form).bytes) else { return nil }
    return Remediation(raw: RawJSON(ResponseDocument(json)))
  }
}

extension IDXResponse {
  /// The challenge that Okta Verify on this device has to sign; nil if there is none.
  public var deviceChallenge: DeviceChallenge? {
    if let raw = raw.firstOfCollection("authenticatorChallenge"),
      let challenge = DeviceChallenge(raw)
    {
      return challenge
    }
    return currentAuthenticator?.deviceChallenge
  }
}

extension IDXAuthenticator {
  /// The challenge that the app on this device has to sign (`contextualData.challenge`); nil if there is none.
  var deviceChallenge: DeviceChallenge? {
    raw.member("contextualData")?.firstOfCollection("challenge").flatMap { challenge in
      let ends = Remediation.Name.pollEnds.compactMap { self[$0] }
      return DeviceChallenge(challenge, endedBy: ends.first)
    }
  }
}

extension DeviceChallenge: Redacted {
  /// The method.
  public var description: String { "device challenge by \(method.rawValue.shortened(to: 40))" }
}
