import IDX
import IDXBase
import IDXOAuth

/// A signature of a passkey or a security key, which the org verifies.
struct PasskeyProof: Proof {
  let isBegun = true
  let classicAnswer = ["clientData", "signatureData", "authenticatorData"]

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    let account = org[signIn.accountKey]
    let user = account.user
    let value = JSONValue.string(Base64URL.encode(org.random.bytes(24)))
    let site = JSONValue.string(org.settings.site)
    let origin: JSONValue = ["appid": .string(org.settings.origin)]
    guard challenge.purpose == .enroll else {
      challenge.passkeyRequest = [
        "challenge": value, "userVerification": "preferred", "rpId": site, "extensions": origin,
      ]
      return
    }
    // Only a key that stores the passkey can name the user.
    let isStored = JSONValue.bool(org.settings.policy.acceptsPasskeyFirst)
    challenge.passkeyRequest = [
      "rp": ["id": site, "name": "Demo app"],
      "user": [
        "id": .string(account.id), "name": .string(user.login),
        "displayName": .string("\(user.firstName) \(user.lastName)"),
      ],
      "pubKeyCredParams": [
        ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257],
      ],
      "challenge": value, "attestation": "direct",
      "authenticatorSelection": ["userVerification": "preferred", "requireResidentKey": isStored],
      "u2fParams": origin, "excludeCredentials": user.passkeyDescriptors,
    ]
  }

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let extra =
      document.settings.policy.factors.asksPasskeyTransports
      ? ["transports", "clientExtensions"] : []
    let names =
      challenge.purpose == .enroll
      ? ["clientData", "attestation"] + extra
      : ["authenticatorData", "clientData", "signatureData", "userHandle"]
    let hint: JSONValue? = challenge.purpose == .enroll ? "webauthn" : nil
    return Field(
      "credentials",
      form: names.map { name in
        Field(name, label: Self.labels[name], isRequired: name != "userHandle", isVisible: false)
          .adding("hint", hint)
      })
  }

  private static let labels = [
    "clientData": "Client Data", "attestation": "Attestation", "transports": "Transports",
    "clientExtensions": "clientExtensions", "authenticatorData": "Authenticator Data",
    "signatureData": "Signature Data", "userHandle": "User Handle",
  ]

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    guard let request = challenge.passkeyRequest else { return [:] }
    let isSetUp = challenge.purpose == .enroll
    return ["contextualData": isSetUp ? ["activationData": request] : ["challengeData": request]]
  }

  func verify(_ answer: inout ProofAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let check = PasskeyCheck(
      request: answer.challenge.passkeyRequest ?? .null, credentials: answer.values ?? .null)
    var passkeys = answer.account.user.passkeys
    if answer.challenge.purpose == .enroll {
      return .passkey(try check.registration(named: "Key \(passkeys.count + 1)"))
    }
    if answer.challenge.isForOneEnrollment, case .passkey(let passkey)? = answer.enrolled {
      passkeys = [passkey]
    }
    let (passkey, counter) = try check.assertion(by: passkeys, of: answer.account)
    answer.account.passkeyCounters[passkey.id] = counter
    return nil
  }
}

/// Checks the answer of a passkey (WebAuthn Level 2, sections 7.1 and 7.2).
private struct PasskeyCheck {
  /// `activationData` or `challengeData`.
  let request: JSONValue
  let credentials: JSONValue

  func registration(named name: String) throws(Rejection) -> OrgPasskey {
    let hash = try clientDataHash(type: "webauthn.create")
    let object = AttestationObject(try bytes("attestation"))
    guard let object else { throw refusal("its attestation cannot be read") }
    let attested = try authenticatorData(object.authenticatorData).attested
    guard let attested else { throw refusal("it has no key") }
    let id = JSONValue.string(Base64URL.encode(attested.credentialID))
    let excluded = request["excludeCredentials"]?.array ?? []
    try require(
      !excluded.contains { $0["id"] == id }, else: refusal("this passkey is set up already"))
    do throws(AttestationFlaw) {
      try object.verify(attested, clientDataHash: hash)
    } catch {
      throw refusal("its attestation is wrong: \(error.words)")
    }
    return OrgPasskey(id: attested.credentialID, publicKey: attested.publicKey, name: name)
  }

  /// The passkey that has signed, and its signature counter.
  func assertion(
    by passkeys: [OrgPasskey], of account: OrgAccount
  ) throws(Rejection) -> (passkey: OrgPasskey, counter: UInt32) {
    let hash = try clientDataHash(type: "webauthn.get")
    let data = try bytes("authenticatorData")
    let counter = try authenticatorData(data).counter
    let signature = P256.Signature(der: try bytes("signatureData"))
    guard let signature else { throw refusal("its signature cannot be read") }
    try require(
      credentials["userHandle"]?.string ?? account.id == account.id,
      else: refusal("it belongs to another user"))
    let signer = passkeys.first { P256.verify(signature, of: data + hash, by: $0.publicKey) }
    guard let signer else { throw refusal("none of the user's passkeys has signed it") }
    let last = account.passkeyCounters[signer.id] ?? 0
    // The counter of a key without a counter is always 0.
    try require(
      counter > last || (counter == 0 && last == 0), else: refusal("its counter did not increase"))
    return (signer, counter)
  }

  private func clientDataHash(type: String) throws(Rejection) -> [UInt8] {
    let bytes = try bytes("clientData")
    let json = try? JSONValue(parsing: bytes)
    guard let data = json else { throw refusal("its client data cannot be read") }
    let origin = request["u2fParams"]?["appid"] ?? request["extensions"]?["appid"]
    let hasChallenge = request["challenge"] != nil && data["challenge"] == request["challenge"]
    try require(data["type"]?.string == type, else: refusal("it is for another purpose"))
    try require(hasChallenge, else: refusal("it is for another challenge"))
    try require(data["origin"] == origin, else: refusal("it is from another origin"))
    try require(data["crossOrigin"] != true, else: refusal("it is from a page inside another page"))
    return HashFunction.sha256.hash(bytes)
  }

  private func authenticatorData(_ bytes: [UInt8]) throws(Rejection) -> AuthenticatorData {
    let data = AuthenticatorData(bytes)
    guard let data else { throw refusal("its authenticator data cannot be read") }
    let site = request["rp"]?["id"]?.string ?? request["rpId"]?.string ?? ""
    let wanted =
      request["authenticatorSelection"]?["userVerification"] ?? request["userVerification"]
    try require(
      data.siteHash == HashFunction.sha256.hash(Array(site.utf8)),
      else: refusal("it is for another site"))
    try require(data.flags.contains(.userPresent), else: refusal("the user was not present"))
    try require(
      wanted != "required" || data.flags.contains(.userVerified),
      else: refusal("the user was not verified"))
    return data
  }

  private func bytes(_ name: String) throws(Rejection) -> [UInt8] {
    let bytes = credentials[name]?.string.flatMap(Self.decode)
    guard let bytes else { throw refusal("its \(name) cannot be read") }
    return bytes
  }

  /// The bytes of a text in Base64url or Base64, padded or not; nil if it is neither.
  ///
  /// Okta's widget and SDKs send Base64 with padding.
  private static func decode(_ text: String) -> [UInt8]? {
    let padding = text.hasSuffix("==") ? 2 : text.hasSuffix("=") ? 1 : 0
    let characters = text.dropLast(padding).map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }
    return Base64URL.decode(String(characters))
  }

  private func refusal(_ words: String) -> Rejection {
    Rejection(.refusedPasskey(words), status: 400)
  }
}

extension SimulatedUser {
  var passkeys: [OrgPasskey] {
    enrollments.compactMap { if case .passkey(let passkey) = $0.detail { passkey } else { nil } }
  }

  var passkeyDescriptors: JSONValue {
    .array(passkeys.map { ["type": "public-key", "id": .string(Base64URL.encode($0.id))] })
  }
}
