public import IDXBase
import IDXOAuth

// Passkeys as JSON, for a browser at the other end: WebAuthn Level 3, sections 5.1.8 to 5.1.10. Bytes are
// Base64url.

extension PasskeyCreationOptions {
  /// The options for a web page, which reads them with `PublicKeyCredential.parseCreationOptionsFromJSON()`
  /// (WebAuthn Level 3).
  public var json: JSONValue {
    let user: JSONValue = [
      "id": .bytes(user.id), "name": .string(user.name), "displayName": .string(user.displayName),
    ]
    let selection: JSONValue = [
      "userVerification": .string(userVerification.rawValue),
      "residentKey": .string(residentKey.rawValue),
    ]
    let options: JSONValue = [
      "rp": ["id": .string(site), "name": .string(siteName)], "user": user,
      "challenge": .bytes(challenge),
      "pubKeyCredParams": .array(
        algorithms.map { ["type": "public-key", "alg": .number(.init($0))] }),
      "excludeCredentials": .array(excluded.map(\.json)), "authenticatorSelection": selection,
      "attestation": .string(attestation),
    ]
    return options.adding("timeout", timeout.map(JSONValue.milliseconds))
  }
}

extension PasskeyRequestOptions {
  /// The options for a web page, which reads them with `PublicKeyCredential.parseRequestOptionsFromJSON()`
  /// (WebAuthn Level 3).
  public var json: JSONValue {
    let options: JSONValue = [
      "rpId": .string(site), "challenge": .bytes(challenge),
      "allowCredentials": .array(allowed.map(\.json)),
      "userVerification": .string(userVerification.rawValue),
    ]
    return options.adding("timeout", timeout.map(JSONValue.milliseconds))
  }
}

extension PasskeyAttestation {
  /// Reads the `toJSON()` of a new passkey; nil if something is missing or damaged.
  public init?(json: JSONValue) {
    let response = json["response"]
    guard let clientData = response?["clientDataJSON"]?.decodedBytes,
      let object = response?["attestationObject"]?.decodedBytes
    else { return nil }
    self.init(
      clientData: clientData, attestationObject: object,
      transports: response?["transports"]?.array?.compactMap(\.string) ?? [])
  }
}

extension PasskeyAssertion {
  /// Reads the `toJSON()` of a signature; nil if something is missing or damaged.
  public init?(json: JSONValue) {
    let response = json["response"]
    guard let clientData = response?["clientDataJSON"]?.decodedBytes,
      let data = response?["authenticatorData"]?.decodedBytes,
      let signature = response?["signature"]?.decodedBytes
    else { return nil }
    self.init(
      clientData: clientData, authenticatorData: data, signature: signature,
      userHandle: response?["userHandle"]?.decodedBytes)
  }
}

extension PasskeyDescriptor {
  fileprivate var json: JSONValue {
    [
      "type": "public-key", "id": .bytes(id),
      "transports": .array(transports.map(JSONValue.string)),
    ]
  }
}

extension JSONValue {
  fileprivate static func bytes(_ bytes: [UInt8]) -> JSONValue {
    .string(Base64URL.encode(bytes))
  }

  /// The bytes of a text; nil if it is empty or not Base64url.
  fileprivate var decodedBytes: [UInt8]? {
    string.flatMap { $0.isEmpty ? nil : Base64URL.decode($0) }
  }
}
