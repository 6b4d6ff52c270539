public import IDXBase
import IDXOAuth

// Passkeys as JSON, for a browser at the other end: WebAuthn Level 3, sections 5.1.8 to 5.1.10. Bytes are
// Base64url.

extension PasskeyCreationOptions {
  /// The options for a web page, which reads them with `PublicKeyCredential.parseCreationOptionsFromJSON()`
  /// (WebAuthn Level 3).
  public var json: JSONValue {
    var members: [JSONValue.Object.Member] = [
      .init("rp", ["id": .string(site), "name": .string(siteName)]),
      .init(
        "user",
        [
          "id": .bytes(user.id), "name": .string(user.name),
          "displayName": .string(user.displayName),
        ]),
      .init("challenge", .bytes(challenge)),
      .init(
        "pubKeyCredParams",
        .array(algorithms.map { ["type": "public-key", "alg": .number(.init($0))] })),
      .init("excludeCredentials", .array(excluded.map(\.json))),
      .init(
        "authenticatorSelection",
        [
          "userVerification": .string(userVerification.rawValue),
          "residentKey": .string(residentKey.rawValue),
        ]),
      .init("attestation", .string(attestation)),
    ]
    if let timeout { members.append(.timeout(timeout)) }
    return .object(.init(members))
  }
}

extension PasskeyRequestOptions {
  /// The options for a web page, which reads them with `PublicKeyCredential.parseRequestOptionsFromJSON()`
  /// (WebAuthn Level 3).
  public var json: JSONValue {
    var members: [JSONValue.Object.Member] = [
      .init("rpId", .string(site)), .init("challenge", .bytes(challenge)),
      .init("allowCredentials", .array(allowed.map(\.json))),
      .init("userVerification", .string(userVerification.rawValue)),
    ]
    if let timeout { members.append(.timeout(timeout)) }
    return .object(.init(members))
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

extension JSONValue.Object.Member {
  fileprivate static func timeout(_ timeout: Duration) -> Self {
    Self("timeout", .milliseconds(timeout))
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
