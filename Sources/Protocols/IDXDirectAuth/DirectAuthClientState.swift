import IDX
import IDXBase
import IDXOAuth

/// What the client must remember between two calls, saved in `FlowState.clientState`.
struct DirectAuthClientState: Sendable, Hashable {
  /// The factors that can be chosen.
  var offered: [DirectAuthFactor]
  /// The username that is probably used.
  ///
  /// Only the first form contains it, so it is not saved.
  var loginHint: String?
  var username: String?
  /// The chosen factor.
  var factor: DirectAuthFactor?
  /// The proof of the first factor (`mfa_token`); nil before that.
  var mfaToken: Secret?
  /// The ID of the code or push that was sent (`oob_code`).
  var outOfBandCode: Secret?
  /// The number to choose in the app (`binding_code`).
  var number: String?
  /// The WebAuthn request options (`publicKey`).
  var challenge: JSONValue?
  /// The key that the tokens will be bound to; nil if the server has not asked for one.
  var key: DPoPKey?
  /// Whether the person types the code that was sent; false if the server is polled instead.
  var isTyped = true
  /// The time between two polls, in seconds.
  var interval = DirectAuthClientState.interval(of: nil)

  /// The interval in a response, kept between 1 and 60 seconds; 5 by default.
  static func interval(of json: JSONValue?) -> Int { min(max(json?.integer ?? 5, 1), 60) }

  /// Whether the first factor was already proved.
  var isSecond: Bool { mfaToken != nil }

  /// The form that proves the factor.
  var proofName: Remediation.Name { isTyped ? .challengeAuthenticator : .challengePoll }

  /// The same state before a factor was chosen.
  var withoutFactor: DirectAuthClientState {
    DirectAuthClientState(offered: offered, username: username, mfaToken: mfaToken, key: key)
  }

  /// The same state after the chosen factor has failed: it is offered as the last one.
  var afterFailure: DirectAuthClientState {
    var state = withoutFactor
    state.offered = offered.filter { $0 != factor } + offered.filter { $0 == factor }
    return state
  }
}

// MARK: - Saving

extension DirectAuthClientState {
  /// Reads what ``json`` wrote.
  init?(_ json: JSONValue?) {
    guard let json, let names = json["offered"]?.array else { return nil }
    offered = names.compactMap { $0.string.flatMap(DirectAuthFactor.init) }
    username = json["username"]?.string
    factor = json["factor"]?.string.flatMap(DirectAuthFactor.init)
    mfaToken = json["mfa_token"]?.string.map { Secret($0) }
    outOfBandCode = json["oob_code"]?.string.map { Secret($0) }
    number = json["number"]?.string
    challenge = json["challenge"]
    key = DPoPKey(json: json["dpop_key"])
    isTyped = json["is_typed"]?.bool ?? true
    interval = Self.interval(of: json["interval"])
  }

  var json: JSONValue {
    let texts: [(String, String?)] = [
      ("username", username), ("factor", factor?.rawValue), ("mfa_token", mfaToken?.revealed),
      ("oob_code", outOfBandCode?.revealed), ("number", number),
    ]
    var json: JSONValue = [
      "offered": .array(offered.map { .string($0.rawValue) }), "is_typed": .bool(isTyped),
      "interval": .number(JSONValue.Number(interval)),
    ]
    for (name, text) in texts { json = json.adding(name, text.map(JSONValue.string)) }
    return json.adding("challenge", challenge).adding("dpop_key", key?.json)
  }
}
