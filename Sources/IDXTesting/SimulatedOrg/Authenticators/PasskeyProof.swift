import IDX
import IDXBase
import IDXOAuth

/// What an org needs to verify the signatures of a passkey.
struct OrgPasskey: Sendable, Hashable {
  let id: [UInt8]
  let publicKey: P256.PublicKey
  /// What the user calls it.
  var name = ""
}

/// A signature of a passkey or a security key, which the org verifies.
struct PasskeyProof: Proof {
  let isBegun = true
  let classicAnswer = ["clientData", "signatureData", "authenticatorData"]

  func begin(_ challenge: inout AuthenticatorChallenge, in org: inout OrgCore) throws(Rejection) {
    let user = org.account.user
    let value = JSONValue.string(Base64URL.encode(org.random.bytes(24)))
    let site = JSONValue.string(org.settings.site)
    let origin: JSONValue = ["appid": .string(org.settings.origin)]
    guard challenge.purpose == .enroll else {
      challenge.passkeyRequest = [
        "challenge": value, "userVerification": "preferred", "rpId": site, "extensions": origin,
      ]
      return
    }
    challenge.passkeyRequest = [
      "rp": ["id": site, "name": "Demo app"],
      "user": [
        "id": .string(org.account.id), "name": .string(user.login),
        "displayName": .string("\(user.firstName) \(user.lastName)"),
      ],
      "pubKeyCredParams": [
        ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257],
      ],
      "challenge": value, "attestation": "direct",
      "authenticatorSelection": ["userVerification": "preferred", "requireResidentKey": false],
      "u2fParams": origin, "excludeCredentials": user.passkeyDescriptors,
    ]
  }

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let names =
      challenge.purpose == .enroll
      ? ["clientData", "attestation", "transports", "clientExtensions"]
      : ["authenticatorData", "clientData", "signatureData", "userHandle"]
    return Field(
      "credentials",
      form: names.map { Field($0, isRequired: $0 != "userHandle", isVisible: false) })
  }

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    guard let request = challenge.passkeyRequest else { return [:] }
    let isSetUp = challenge.purpose == .enroll
    return [
      "contextualData": isSetUp ? ["activationData": request] : ["challengeData": request]
    ]
  }

  func verify(_ answer: inout ProofAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let passkeyAnswer = PasskeyAnswer(
      request: answer.challenge.passkeyRequest ?? .null, credentials: answer.values ?? .null)
    do throws(PasskeyAnswer.Problem) {
      var passkeys = answer.account.user.passkeys
      if answer.challenge.purpose == .enroll {
        var passkey = try passkeyAnswer.registration()
        passkey.name = "Key \(passkeys.count + 1)"
        return .passkey(passkey)
      }
      if answer.challenge.isForOneEnrollment, case .passkey(let passkey)? = answer.enrolled {
        passkeys = [passkey]
      }
      let (passkey, counter) = try passkeyAnswer.assertion(by: passkeys, of: answer.account)
      answer.account.passkeyCounters[passkey.id] = counter
      return nil
    } catch {
      throw Rejection(.refusedPasskey(error.words), status: 400)
    }
  }
}

/// The answer of a passkey, and what it answers (WebAuthn Level 2, sections 7.1 and 7.2).
private struct PasskeyAnswer {
  /// What is wrong, in words that end the sentence “The passkey's answer is refused: …”.
  struct Problem: Error {
    let words: String
    init(_ words: String) { self.words = words }
  }

  /// `activationData` or `challengeData`.
  let request: JSONValue
  let credentials: JSONValue

  /// The passkey that was made.
  func registration() throws(Problem) -> OrgPasskey {
    let hash = try clientDataHash(type: "webauthn.create")
    guard let object = AttestationObject(try bytes("attestation")) else {
      throw Problem("its attestation cannot be read")
    }
    guard let attested = try authenticatorData(object.authenticatorData).attested else {
      throw Problem("it has no key")
    }
    let id = Base64URL.encode(attested.credentialID)
    let excluded = request["excludeCredentials"]?.array ?? []
    try require(
      !excluded.contains(where: { $0["id"]?.string == id }),
      else: Problem("this passkey is set up already"))
    try require(
      object.isVerified(by: attested.publicKey, clientDataHash: hash),
      else: Problem("its attestation is wrong"))
    return OrgPasskey(id: attested.credentialID, publicKey: attested.publicKey)
  }

  /// Which of these passkeys has signed, and how often it has signed so far.
  func assertion(
    by passkeys: [OrgPasskey], of account: OrgAccount
  ) throws(Problem) -> (passkey: OrgPasskey, counter: UInt32) {
    let hash = try clientDataHash(type: "webauthn.get")
    let data = try bytes("authenticatorData")
    let counter = try authenticatorData(data).counter
    guard let signature = P256.Signature(der: try bytes("signatureData")) else {
      throw Problem("its signature cannot be read")
    }
    if let handle = credentials["userHandle"]?.string, handle != account.id {
      throw Problem("it belongs to another user")
    }
    let signer = passkeys.first { P256.verify(signature, of: data + hash, by: $0.publicKey) }
    guard let signer else { throw Problem("none of the user's passkeys has signed it") }
    let last = account.passkeyCounters[signer.id] ?? 0
    // The counter of a key that does not count is always 0.
    try require(
      counter > last || (counter == 0 && last == 0), else: Problem("its counter has not grown"))
    return (signer, counter)
  }

  private func clientDataHash(type: String) throws(Problem) -> [UInt8] {
    let bytes = try bytes("clientData")
    guard let data = try? JSONValue(parsing: bytes) else {
      throw Problem("its client data cannot be read")
    }
    guard data["type"]?.string == type else { throw Problem("it is for another purpose") }
    guard let challenge = request["challenge"]?.string, data["challenge"]?.string == challenge
    else { throw Problem("it is for another challenge") }
    let origin = request["u2fParams"]?["appid"] ?? request["extensions"]?["appid"]
    try require(
      data["origin"]?.string == origin?.string, else: Problem("it is from another origin"))
    guard data["crossOrigin"]?.bool != true else { throw Problem("it is from inside another page") }
    return HashFunction.sha256.hash(bytes)
  }

  private func authenticatorData(_ bytes: [UInt8]) throws(Problem) -> AuthenticatorData {
    guard let data = AuthenticatorData(bytes) else {
      throw Problem("its authenticator data cannot be read")
    }
    let site = request["rp"]?["id"]?.string ?? request["rpId"]?.string ?? ""
    try require(
      data.siteHash == HashFunction.sha256.hash(Array(site.utf8)),
      else: Problem("it is for another site"))
    guard data.flags.contains(.userPresent) else { throw Problem("nobody was present") }
    let wanted =
      request["authenticatorSelection"]?["userVerification"] ?? request["userVerification"]
    try require(
      wanted?.string != "required" || data.flags.contains(.userVerified),
      else: Problem("the user was not verified"))
    return data
  }

  private func bytes(_ name: String) throws(Problem) -> [UInt8] {
    guard let bytes = credentials[name]?.string.flatMap(Base64URL.decode) else {
      throw Problem("its \(name) cannot be read")
    }
    return bytes
  }
}

extension SimulatedUser {
  var passkeys: [OrgPasskey] {
    enrollments.compactMap { if case .passkey(let passkey) = $0.detail { passkey } else { nil } }
  }

  /// The user's passkeys, as requests list them.
  var passkeyDescriptors: JSONValue {
    .array(passkeys.map { ["type": "public-key", "id": .string(Base64URL.encode($0.id))] })
  }
}
