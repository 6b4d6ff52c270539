import IDXBase
import IDX
import IDXOAuth

/// A passkey as an org knows it: what it needs to verify a signature.
struct OrgPasskey: Sendable, Hashable {
  let id: [UInt8]
  let publicKey: P256.PublicKey
  /// What the user calls it.
  var name: String
}

/// Verifies what passkeys answer (WebAuthn Level 2, sections 7.1 and 7.2).
struct OrgPasskeyCheck {
  /// What is wrong with an answer, in words that end the sentence “The passkey's answer is refused: …”.
  struct Problem: Error, Hashable {
    let words: String
    init(_ words: String) { self.words = words }
  }

  /// What the org asked for: `activationData` or `challengeData`.
  let request: JSONValue
  let credentials: JSONValue

  /// The passkey that an answer brings.
  func registration() throws(Problem) -> OrgPasskey {
    let hash = try clientDataHash(of: "webauthn.create")
    guard let object = AttestationObject(try bytes("attestation")) else {
      throw Problem("its attestation cannot be read")
    }
    guard let attested = try authenticatorData(object.authenticatorData).attested else {
      throw Problem("it brings no key")
    }
    let excluded = request["excludeCredentials"]?.array ?? []
    let id = Base64URL.encode(attested.credentialID)
    guard !excluded.contains(where: { $0["id"]?.string == id }) else {
      throw Problem("this passkey is set up already")
    }
    guard object.isVouchedFor(by: attested.publicKey, clientDataHash: hash) else {
      throw Problem("its attestation is not right")
    }
    return OrgPasskey(id: attested.credentialID, publicKey: attested.publicKey, name: "")
  }

  /// Which of an account's passkeys has signed, and how often it had signed then.
  func assertion(
    of account: OrgAccount
  ) throws(Problem) -> (passkey: OrgPasskey, counter: UInt32) {
    let hash = try clientDataHash(of: "webauthn.get")
    let data = try bytes("authenticatorData")
    let counter = try authenticatorData(data).counter
    guard let signature = P256.Signature(der: try bytes("signatureData")) else {
      throw Problem("its signature cannot be read")
    }
    if let handle = credentials["userHandle"]?.string, handle != account.id {
      throw Problem("it is another user's")
    }
    let signer = account.user.passkeys.first {
      P256.verify(signature, of: data + hash, by: $0.publicKey)
    }
    guard let signer else { throw Problem("none of the user's passkeys has signed it") }
    let last = account.passkeyCounters[signer.id] ?? 0
    // A key that does not count says 0 for ever.
    guard counter > last || (counter == 0 && last == 0) else {
      throw Problem("its counter has not grown")
    }
    return (signer, counter)
  }

  /// The org's own, which it names as its app id.
  private var origin: JSONValue? {
    request["u2fParams"]?["appid"] ?? request["extensions"]?["appid"]
  }

  private func clientDataHash(of type: String) throws(Problem) -> [UInt8] {
    let bytes = try bytes("clientData")
    guard let data = try? JSONValue(parsing: bytes) else {
      throw Problem("its client data cannot be read")
    }
    guard data["type"]?.string == type else { throw Problem("it is for another purpose") }
    guard let challenge = request["challenge"]?.string, data["challenge"]?.string == challenge
    else { throw Problem("it is for another challenge") }
    guard data["origin"]?.string == origin?.string else {
      throw Problem("it is from another origin")
    }
    guard data["crossOrigin"]?.bool != true else { throw Problem("it is from inside another page") }
    return HashFunction.sha256.hash(bytes)
  }

  private func authenticatorData(_ bytes: [UInt8]) throws(Problem) -> AuthenticatorData {
    guard let data = AuthenticatorData(bytes) else {
      throw Problem("its authenticator data cannot be read")
    }
    let site = request["rp"]?["id"]?.string ?? request["rpId"]?.string ?? ""
    guard data.siteHash == HashFunction.sha256.hash(Array(site.utf8)) else {
      throw Problem("it is for another site")
    }
    guard data.flags.contains(.userPresent) else { throw Problem("nobody was there") }
    let demand =
      request["authenticatorSelection"]?["userVerification"] ?? request["userVerification"]
    guard demand?.string != "required" || data.flags.contains(.userVerified) else {
      throw Problem("it does not say that it was the right person")
    }
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
}

extension OrgAccount {
  /// What a passkey keeps of an account: the bytes that its id stands for.
  static func userHandle(of login: String) -> [UInt8] {
    let id = OrgSettings.id("00u", login.lowercased())
    return Base64URL.decode(id) ?? Array(id.utf8)
  }
}
