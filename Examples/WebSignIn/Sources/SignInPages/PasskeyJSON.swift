import Foundation
import IDXBase
import IDXFlow
import IDXScreens

// What a page and its script exchange about passkeys: JSON with bytes as Base64url, in the names of WebAuthn
// (Level 3, sections 5.1.8 to 5.1.10).

extension Screen.PasskeyRequest {
  /// The options for `navigator.credentials`, for the script of the page.
  var json: String {
    let json: JSONValue =
      switch self {
      case .create(let options): ["create": Self.json(options)]
      case .sign(let options): ["get": Self.json(options)]
      }
    return json.text
  }

  private static func json(_ options: PasskeyCreationOptions) -> JSONValue {
    var members: [JSONValue.Object.Member] = [
      .init("rp", ["id": .string(options.site), "name": .string(options.siteName)]),
      .init(
        "user",
        [
          "id": .string(base64URL(options.user.id)), "name": .string(options.user.name),
          "displayName": .string(options.user.displayName),
        ]), .init("challenge", .string(base64URL(options.challenge))),
      .init(
        "pubKeyCredParams",
        .array(
          options.algorithms.map { ["type": "public-key", "alg": .number(.init($0))] })),
      .init("excludeCredentials", descriptors(options.excluded)),
      .init(
        "authenticatorSelection",
        [
          "userVerification": .string(options.userVerification.rawValue),
          "residentKey": .string(options.residentKey.rawValue),
        ]), .init("attestation", .string(options.attestation)),
    ]
    members += timeout(options.timeout)
    return .object(.init(members))
  }

  private static func json(_ options: PasskeyRequestOptions) -> JSONValue {
    var members: [JSONValue.Object.Member] = [
      .init("rpId", .string(options.site)),
      .init("challenge", .string(base64URL(options.challenge))),
      .init("allowCredentials", descriptors(options.allowed)),
      .init("userVerification", .string(options.userVerification.rawValue)),
    ]
    members += timeout(options.timeout)
    return .object(.init(members))
  }

  private static func descriptors(_ passkeys: [PasskeyDescriptor]) -> JSONValue {
    .array(
      passkeys.map { passkey in
        [
          "type": "public-key", "id": .string(base64URL(passkey.id)),
          "transports": .array(passkey.transports.map(JSONValue.string)),
        ]
      })
  }

  private static func timeout(_ timeout: Duration?) -> [JSONValue.Object.Member] {
    timeout.map { [.init("timeout", .number(.init(Int($0 / .milliseconds(1)))))] } ?? []
  }

  private static func base64URL(_ bytes: [UInt8]) -> String {
    Data(bytes).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
      .replacing("=", with: "")
  }
}

/// The answer of a passkey, as the script of the page sends it.
struct PasskeyAnswer: Decodable {
  private let clientDataJSON: String
  private let attestationObject: String?
  private let transports: [String]?
  private let authenticatorData: String?
  private let signature: String?
  private let userHandle: String?

  /// Reads JSON; nil if it is something else, such as the name of an error.
  init?(_ text: String) {
    guard let answer = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
      return nil
    }
    self = answer
  }

  /// The reply; nil if something is missing or damaged.
  var reply: Reply? {
    guard let clientData = Self.bytes(clientDataJSON) else { return nil }
    if let attestation = Self.bytes(attestationObject) {
      return .created(
        PasskeyAttestation(
          clientData: clientData, attestationObject: attestation, transports: transports ?? []))
    }
    guard let data = Self.bytes(authenticatorData), let signature = Self.bytes(signature) else {
      return nil
    }
    return .signed(
      PasskeyAssertion(
        clientData: clientData, authenticatorData: data, signature: signature,
        userHandle: Self.bytes(userHandle)))
  }

  private static func bytes(_ text: String?) -> [UInt8]? {
    guard let text, !text.isEmpty else { return nil }
    let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
    let padding = String(repeating: "=", count: (4 - base64.count % 4) % 4)
    return Data(base64Encoded: base64 + padding).map(Array.init)
  }
}
