import IDXBase

extension Screen.PasskeyRequest {
  /// The reply of a passkey, or why it could not answer.
  ///
  /// Call it at once if ``Screen/startsByItself``, otherwise when the person chooses the main action.
  public func reply(from provider: any PasskeyProvider) async throws -> Reply {
    do {
      switch self {
      case .create(let options): return .created(try await provider.register(options))
      case .sign(let options): return .signed(try await provider.sign(options))
      }
    } catch let error as PasskeyError {
      return .failed(error.message)
    }
  }

  /// The options as JSON, for the script of a web page: a new passkey is made by `credentials.create()`,
  /// and a signature by `credentials.get()`.
  public var json: String { options.text }

  /// The options in ``json``.
  var options: JSONValue {
    switch self {
    case .create(let options): options.json
    case .sign(let options): options.json
    }
  }
}

extension Reply {
  /// The reply that a web page sends: the `toJSON()` of what `credentials.create()` or `credentials.get()`
  /// returned; nil if it is damaged.
  public init?(passkeyJSON text: String) {
    guard let json = try? JSONValue(parsing: text.utf8) else { return nil }
    self.init(passkey: json)
  }

  /// Reads ``init(passkeyJSON:)``.
  init?(passkey json: JSONValue) {
    if let attestation = PasskeyAttestation(json: json) {
      self = .created(attestation)
    } else if let assertion = PasskeyAssertion(json: json) {
      self = .signed(assertion)
    } else {
      return nil
    }
  }
}
