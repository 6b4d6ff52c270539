package import IDXBase
package import IDXOAuth

/// Checks the answer of a passkey (WebAuthn Level 2, sections 7.1 and 7.2).
package struct WebAuthnCheck {
  /// `activationData` or `challengeData`.
  let request: JSONValue
  let credentials: JSONValue

  package init(request: JSONValue, credentials: JSONValue) {
    self.request = request
    self.credentials = credentials
  }

  /// The ID and the public key of a new passkey (section 7.1).
  package func registration() throws(PasskeyFlaw) -> (id: [UInt8], publicKey: P256.PublicKey) {
    let hash = try clientDataHash(type: "webauthn.create")
    let object = AttestationObject(try bytes("attestation"))
    guard let object else { throw PasskeyFlaw("its attestation cannot be read") }
    let attested = try authenticatorData(object.authenticatorData).attested
    guard let attested else { throw PasskeyFlaw("it has no key") }
    let id = JSONValue.string(Base64URL.encode(attested.credentialID))
    let excluded = request["excludeCredentials"]?.array ?? []
    try check(!excluded.contains { $0["id"] == id }, "this passkey is set up already")
    do throws(PasskeyFlaw) {
      try object.verify(attested, clientDataHash: hash)
    } catch {
      throw PasskeyFlaw("its attestation is wrong: \(error.words)")
    }
    return (attested.credentialID, attested.publicKey)
  }

  /// The position of the key that has signed, and the signature counter (section 7.2).
  ///
  /// `last` has the counter of the last signature of each key.
  package func assertion(
    by keys: [P256.PublicKey], of userID: String, last counters: [UInt32]
  ) throws(PasskeyFlaw) -> (index: Int, counter: UInt32) {
    let hash = try clientDataHash(type: "webauthn.get")
    let data = try bytes("authenticatorData")
    let counter = try authenticatorData(data).counter
    let signature = P256.Signature(der: try bytes("signatureData"))
    guard let signature else { throw PasskeyFlaw("its signature cannot be read") }
    try check(credentials["userHandle"]?.string ?? userID == userID, "it belongs to another user")
    let signer = keys.firstIndex { P256.verify(signature, of: data + hash, by: $0) }
    guard let signer else { throw PasskeyFlaw("none of the user's passkeys has signed it") }
    // The counter of a key without a counter is always 0.
    try check(
      counter > counters[signer] || (counter == 0 && counters[signer] == 0),
      "its counter did not increase")
    return (signer, counter)
  }

  private func clientDataHash(type: String) throws(PasskeyFlaw) -> [UInt8] {
    let bytes = try bytes("clientData")
    let json = try? JSONValue(parsing: bytes)
    guard let data = json else { throw PasskeyFlaw("its client data cannot be read") }
    let origin = request["u2fParams"]?["appid"] ?? request["extensions"]?["appid"]
    let hasChallenge = request["challenge"] != nil && data["challenge"] == request["challenge"]
    try check(data["type"]?.string == type, "it is for another purpose")
    try check(hasChallenge, "it is for another challenge")
    try check(data["origin"] == origin, "it is from another origin")
    try check(data["crossOrigin"] != true, "it is from a page inside another page")
    return HashFunction.sha256.hash(bytes)
  }

  private func authenticatorData(_ bytes: [UInt8]) throws(PasskeyFlaw) -> AuthenticatorData {
    let data = AuthenticatorData(bytes)
    guard let data else { throw PasskeyFlaw("its authenticator data cannot be read") }
    let site = request["rp"]?["id"]?.string ?? request["rpId"]?.string ?? ""
    let wanted =
      request["authenticatorSelection"]?["userVerification"] ?? request["userVerification"]
    try check(data.siteHash == HashFunction.sha256.hash(Array(site.utf8)), "it is for another site")
    try check(data.flags.contains(.userPresent), "the user was not present")
    try check(
      wanted != "required" || data.flags.contains(.userVerified), "the user was not verified")
    return data
  }

  private func bytes(_ name: String) throws(PasskeyFlaw) -> [UInt8] {
    let bytes = credentials[name]?.string.flatMap(Self.decode)
    guard let bytes else { throw PasskeyFlaw("its \(name) cannot be read") }
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

  private func check(_ isRight: Bool, _ words: String) throws(PasskeyFlaw) {
    if !isRight { throw PasskeyFlaw(words) }
  }
}

/// Why the answer of a passkey, or its attestation, is refused.
package struct PasskeyFlaw: Error, Hashable {
  package let words: String

  init(_ words: String) { self.words = words }
}
