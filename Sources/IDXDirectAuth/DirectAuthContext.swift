import IDXBase
import IDX

/// What a sign-in has come to, which every form carries so that a client keeps nothing.
struct DirectAuthContext: Sendable, Hashable {
  /// The factors that may be chosen now.
  var offered: [DirectAuthFactor]
  /// Who is likely to sign in, for the form that asks for it and no further; nil for nobody.
  var loginHint: String?
  /// Who signs in.
  var username: String?
  /// The factor that is being proved.
  var factor: DirectAuthFactor?
  /// What stands for the first factor, once that was proved (`mfa_token`).
  var mfaToken: Secret?
  /// What stands for what was sent out of band (`oob_code`).
  var outOfBandCode: Secret?
  /// What the person is to pick on the device (`binding_code`); nil where nothing is to be picked.
  var number: String?
  /// What a passkey is to sign (`publicKey`); nil where none is asked for.
  var challenge: JSONValue?
  /// Whether what was sent is to be typed.
  var isTyped = true
  /// How many seconds to wait between two polls.
  var interval = DirectAuthContext.interval(of: nil)

  /// The pace that a server asks for, within reason; a usual one where it says none.
  static func interval(of json: JSONValue?) -> Int { min(max(json?.integer ?? 5, 1), 60) }

  init(offered: [DirectAuthFactor]) { self.offered = offered }

  /// Reads what ``json`` writes; nil for anything else.
  init?(_ json: JSONValue?) {
    guard let json, let words = json["offered"]?.array else { return nil }
    offered = words.compactMap { $0.string.flatMap(DirectAuthFactor.init) }
    username = json["username"]?.string
    factor = json["factor"]?.string.flatMap(DirectAuthFactor.init)
    mfaToken = json["mfa_token"]?.string.map { Secret($0) }
    outOfBandCode = json["oob_code"]?.string.map { Secret($0) }
    number = json["number"]?.string
    challenge = json["challenge"]
    isTyped = json["is_typed"]?.bool ?? true
    interval = Self.interval(of: json["interval"])
  }

  var json: JSONValue {
    let texts: [(String, String?)] = [
      ("username", username), ("factor", factor?.rawValue), ("mfa_token", mfaToken?.revealed),
      ("oob_code", outOfBandCode?.revealed), ("number", number),
    ]
    let base: JSONValue = [
      "offered": .array(offered.map { .string($0.rawValue) }), "is_typed": .bool(isTyped),
      "interval": .number(JSONValue.Number(interval)),
    ]
    let all = texts.reduce(base) { json, text in
      text.1.map { json.adding(text.0, .string($0)) } ?? json
    }
    return challenge.map { all.adding("challenge", $0) } ?? all
  }

  /// Whether another factor was proved before.
  var isSecond: Bool { mfaToken != nil }

  /// The form by which the factor is proved.
  var proofName: Remediation.Name { isTyped ? .challengeAuthenticator : .challengePoll }

  /// The same before a factor is chosen.
  var beforeChoice: DirectAuthContext {
    var context = self
    context.factor = nil
    context.outOfBandCode = nil
    context.number = nil
    context.challenge = nil
    context.isTyped = true
    context.interval = Self.interval(of: nil)
    return context
  }
}
