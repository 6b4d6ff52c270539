import IDX
import IDXBase
import IDXOAuth

@testable import IDXFlow
@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

/// An answer of a passkey in which a test can change each part.
struct PasskeyAnswer {
  var credential = SoftwareAuthenticator.Credential(login: "ada@shop.example", madeOf: "test")
  var type = "webauthn.get"
  var challenge: String
  var origin = "https://demo.okta.example"
  var crossOrigin = false
  var site = "demo.okta.example"
  var flags: AuthenticatorData.Flags = .userPresent
  var counter: UInt32 = 1
  var userHandle: String?
  var changesSignature = false
  var aaguid = [UInt8](repeating: 0, count: 16)
  /// The certificate that signs an attestation in place of the passkey.
  var certificate: TestCertificate?
  /// What an attestation contains in place of the certificates.
  var certificates: CBOR?
  var extensions: CBOR?

  var assertion: JSONValue {
    let data = AuthenticatorData(site: site, flags: flags, counter: counter).bytes
    var signature = P256.sign(data + HashFunction.sha256.hash(clientData), with: key).der
    if changesSignature { signature[signature.count - 1] ^= 1 }
    let members: [(String, [UInt8])] = [
      ("authenticatorData", data), ("clientData", clientData), ("signatureData", signature),
    ]
    let credentials = members.reduce([:] as JSONValue) {
      $0.adding($1.0, .string(Base64URL.encode($1.1)))
    }
    return userHandle.map { credentials.adding("userHandle", .string($0)) } ?? credentials
  }

  func attestation(format: String = "none", signed: Bool = false) -> JSONValue {
    let data = AuthenticatorData(
      site: site, flags: flags, counter: 0,
      attested: .init(
        aaguid: aaguid, credentialID: credential.id, publicKey: credential.publicKey),
      extensions: extensions
    ).bytes
    let signer = certificate?.privateKey ?? key
    var signature = P256.sign(data + HashFunction.sha256.hash(clientData), with: signer).der
    if changesSignature { signature[signature.count - 1] ^= 1 }
    var statement: [CBOR: CBOR] = signed ? ["alg": -7, "sig": .bytes(signature)] : [:]
    statement["x5c"] = certificates ?? certificate.map { .array([.bytes($0.der)]) }
    let object = CBOR.attestation(
      format: format, statement: statement, authenticatorData: data)
    return [
      "attestation": .string(Base64URL.encode(object.encoded)),
      "clientData": .string(Base64URL.encode(clientData)), "transports": "[]",
      "clientExtensions": "{}",
    ]
  }

  private var key: [UInt8] { credential.privateKey }

  private var clientData: [UInt8] {
    let data: JSONValue = [
      "type": .string(type), "challenge": .string(challenge), "origin": .string(origin),
      "crossOrigin": .bool(crossOrigin),
    ]
    return data.bytes
  }
}

extension OrgClient {
  /// The right answer to the passkey challenge of this step.
  var passkeyAnswer: PasskeyAnswer {
    let data = current?["contextualData"]
    let isNew = data?["activationData"] != nil
    let options = data?[isNew ? "activationData" : "challengeData"]
    var answer = PasskeyAnswer(challenge: options?["challenge"]?.string ?? "")
    if isNew { answer.type = "webauthn.create" }
    return answer
  }

  /// A client that is setting up a passkey.
  static func enrollingPasskey(
    _ policy: SignInPolicy = .required(.webAuthn)
  ) async throws -> OrgClient {
    var client = try await OrgClient.signedIn(makeOrg(policy))
    try await client.choose("Passkey or security key", in: "select-authenticator-enroll")
    return client
  }
}
