import SignInSupport
import IDX
import IDXBase

@testable import IDXFlow

/// Passkey steps written by hand.
extension Wire {
  static let activation: JSONValue = [
    "rp": ["name": "Corner Shop"],
    "user": ["id": "AQID", "name": "ada@shop.example", "displayName": "Ada Byron"],
    "pubKeyCredParams": [["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257]],
    "challenge": "c2hvcC1lbnJvbGwtaW52", "attestation": "direct",
  ]
  static let challenge: JSONValue = [
    "challenge": "c2hvcC1lbnJvbGwtaW52", "rpId": "id.shop.example",
  ]

  private static let signatureFields = hidden([
    "authenticatorData", "clientData", "signatureData", "userHandle",
  ])
  private static let challengeBesideUsername: (String, JSONValue) = (
    "webauthnAutofillUIChallenge", ["type": "object", "value": ["challengeData": challenge]]
  )

  private static func hidden(_ names: [String]) -> JSONValue {
    let fields = names.map {
      ["name": .string($0), "required": true, "visible": false] as JSONValue
    }
    return [
      "name": "credentials", "type": "object", "required": true,
      "form": ["value": .array(fields)],
    ]
  }

  /// A step that creates a passkey.
  static func registration(
    _ activation: JSONValue = activation,
    fields: [String] = ["clientData", "attestation", "transports", "clientExtensions"]
  ) throws -> Step {
    try passkey("enroll-authenticator", hidden(fields), ["activationData": activation])
  }

  /// A step that asks for a signature.
  static func signature(
    _ challenge: JSONValue = challenge, attempt: Int = 1, others: [JSONValue] = [],
    enrollments: [JSONValue] = []
  ) throws -> Step {
    try passkey(
      "challenge-authenticator", signatureFields, ["challengeData": challenge], attempt: attempt,
      others: others, enrollments: enrollments)
  }

  /// A step that asks for a signature before the username.
  static func autofill(enrollments: [JSONValue] = []) throws -> Step {
    try step(
      document(
        [form("launch-passkeys-authenticator", [signatureFields])],
        [
          challengeBesideUsername,
          ("authenticatorEnrollments", ["type": "array", "value": .array(enrollments)]),
        ]))
  }

  /// A document that asks for a username, or for a signature in the form with this name.
  static func usernameOrPasskey(_ name: String) -> JSONValue {
    document(
      [
        form("identify", [["name": "identifier", "required": true]]),
        form(name, [signatureFields]),
      ], [challengeBesideUsername])
  }

  static func enrollment(_ credentialID: String, key: String = "webauthn") -> JSONValue {
    ["key": .string(key), "type": "security_key", "credentialId": .string(credentialID)]
  }

  private static func passkey(
    _ name: String, _ fields: JSONValue, _ data: JSONValue, attempt: Int = 1,
    others: [JSONValue] = [], enrollments: [JSONValue] = []
  ) throws -> Step {
    let current: JSONValue = ["key": "webauthn", "type": "security_key", "contextualData": data]
    let enrolled: JSONValue = ["type": "array", "value": .array(enrollments)]
    let main = form(name, [fields], [("relatesTo", ["$.currentAuthenticator"])])
    return try step(
      document(
        [main] + others,
        [Wire.current(current), ("authenticatorEnrollments", enrolled)]),
      attempt: attempt)
  }
}

/// A provider with a fixed answer.
struct StubPasskeys: PasskeyProvider {
  /// A provider with a passkey that names its user.
  static let withUser = StubPasskeys(
    assertion: PasskeyAssertion(
      clientData: [1], authenticatorData: [2], signature: [3], userHandle: Array("00uADA".utf8)))

  var error: PasskeyError?
  var attestation = PasskeyAttestation(
    clientData: [1], attestationObject: [2], transports: ["usb", "nfc"])
  var assertion = PasskeyAssertion(clientData: [1], authenticatorData: [2], signature: [3])

  func register(_ request: PasskeyCreationOptions) async throws -> PasskeyAttestation {
    if let error { throw error }
    return attestation
  }

  func sign(_ request: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    if let error { throw error }
    return assertion
  }
}
