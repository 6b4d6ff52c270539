public import IDXFlow

/// Answers requests for a passkey in a replay, where no key knows the invented site.
///
/// The answers have the right form and no valid signature, which a ``ReplayTransport`` does not check.
public struct ReplayPasskeys: PasskeyProvider {
  /// Creates a provider.
  public init() {}

  /// Returns an attestation that is not valid.
  public func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
    PasskeyAttestation(clientData: [1], attestationObject: [1])
  }

  /// Returns a signature that is not valid.
  public func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
    PasskeyAssertion(clientData: [1], authenticatorData: [1], signature: [1], userHandle: [1])
  }
}
