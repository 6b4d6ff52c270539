import IDX
import IDXOAuth

@testable import IDXFlow

/// Steps of passkeys written by hand.
extension Wire {
  static let activation: JSON = [
    "rp": ["name": "Corner Shop"],
    "user": ["id": "AQID", "name": "ada@shop.example", "displayName": "Ada Byron"],
    "pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
    "challenge": "c2hvcC1lbnJvbGwtaW52", "attestation": "direct",
  ]
  static let challenge: JSON = ["challenge": "c2hvcC1lbnJvbGwtaW52", "rpId": "id.shop.example"]

  static func hidden(_ names: [String]) -> JSON {
    let fields = names.map { ["name": .string($0), "required": true, "visible": false] as JSON }
    return [
      "name": "credentials", "type": "object", "required": true,
      "form": ["value": .array(fields)],
    ]
  }

  /// The step that sets a passkey up.
  static func registration(
    _ activation: JSON = activation,
    fields: [String] = ["clientData", "attestation", "transports", "clientExtensions"],
    attempt: Int = 1, others: [JSON] = []
  ) throws -> Step {
    try passkey(
      "enroll-authenticator", [hidden(fields)], ["activationData": activation], attempt: attempt,
      others: others)
  }

  /// The step that wants something signed.
  static func signature(
    _ challenge: JSON = challenge,
    fields: [String] = ["authenticatorData", "clientData", "signatureData", "userHandle"],
    attempt: Int = 1, others: [JSON] = [], enrollments: [JSON] = []
  ) throws -> Step {
    try passkey(
      "challenge-authenticator", [hidden(fields)], ["challengeData": challenge], attempt: attempt,
      others: others, enrollments: enrollments)
  }

  /// The step that wants something signed before anybody has said who signs in.
  static func autofill(_ challenge: JSON = challenge) throws -> Step {
    let fields = hidden(["authenticatorData", "clientData", "signatureData", "userHandle"])
    let data: JSON = ["type": "object", "value": ["challengeData": challenge]]
    return try step(
      document(
        [form("launch-passkeys-authenticator", [fields])],
        [("webauthnAutofillUIChallenge", data)]))
  }

  static func enrollment(_ credentialID: String, key: String = "webauthn") -> JSON {
    ["key": .string(key), "type": "security_key", "credentialId": .string(credentialID)]
  }

  private static func passkey(
    _ name: String, _ fields: [JSON], _ data: JSON, attempt: Int, others: [JSON],
    enrollments: [JSON] = []
  ) throws -> Step {
    let current: JSON = [
      "type": "object",
      "value": ["key": "webauthn", "type": "security_key", "contextualData": data],
    ]
    let enrolled: JSON = ["type": "array", "value": .array(enrollments)]
    let main = form(name, fields, [("relatesTo", ["$.currentAuthenticator"])])
    return try step(
      document(
        [main] + others,
        [("currentAuthenticator", current), ("authenticatorEnrollments", enrolled)]),
      attempt: attempt)
  }
}

/// A provider that answers what a test says.
struct StubPasskeys: PasskeyProvider {
  var error: PasskeyError?
  var attestation = PasskeyAttestation(
    clientData: [1], attestationObject: [2], transports: ["usb", "nfc"])
  var assertion = PasskeyAssertion(clientData: [1], authenticatorData: [2], signature: [3])

  func register(_ request: PasskeyRegistration) async throws -> PasskeyAttestation {
    if let error { throw error }
    return attestation
  }

  func sign(_ request: PasskeyChallenge) async throws -> PasskeyAssertion {
    if let error { throw error }
    return assertion
  }
}

extension JSON {
  /// The object with one member set.
  func setting(_ name: String, _ value: JSON?) -> JSON {
    guard var object else { return self }
    object[name] = value
    return .object(object)
  }
}
