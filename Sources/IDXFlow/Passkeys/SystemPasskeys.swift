#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
  public import AuthenticationServices

  /// The passkeys of the system (iCloud Keychain and other password managers), through the system's
  /// dialog.
  ///
  /// The app needs the entitlement `com.apple.developer.associated-domains` with `webcredentials:` and
  /// the site (``PasskeyCreationOptions/site``). The site must name the app in its file
  /// `/.well-known/apple-app-site-association`, which an org with a custom domain can host. Otherwise the
  /// system refuses. The system creates ES256 passkeys and replaces an existing one of the same account.
  ///
  ///     let passkeys = SystemPasskeys(anchor: { window })
  ///     if let request = screen.passkey { reply = try await request.reply(from: passkeys) }
  public struct SystemPasskeys: PasskeyProvider {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// Creates a provider that shows the dialog in the window that `anchor` returns.
    public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
      self.anchor = anchor
    }

    /// Lets the person create a passkey.
    @MainActor
    public func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
      guard options.algorithms.isEmpty || options.algorithms.contains(-7) else {
        throw PasskeyError(.unsupported, "\(options.site) accepts no passkeys of this kind.")
      }
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: options.site)
      let creation = provider.createCredentialRegistrationRequest(
        challenge: Data(options.challenge), name: options.user.name,
        userID: Data(options.user.id))
      creation.userVerificationPreference = Self.preference(options.userVerification)
      guard case .attestation(let attestation) = try await answer(to: creation) else {
        throw Self.failure
      }
      return attestation
    }

    /// Lets the person sign with a passkey.
    @MainActor
    public func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: options.site)
      let challenge = provider.createCredentialAssertionRequest(challenge: Data(options.challenge))
      challenge.allowedCredentials = options.allowed.map {
        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0.id))
      }
      challenge.userVerificationPreference = Self.preference(options.userVerification)
      guard case .assertion(let assertion) = try await answer(to: challenge) else {
        throw Self.failure
      }
      return assertion
    }

    @MainActor
    private func answer(to request: ASAuthorizationRequest) async throws -> SystemAnswer {
      let (answers, continuation) = AsyncThrowingStream<SystemAnswer, any Error>.makeStream()
      let delegate = SystemDelegate(anchor: anchor(), answers: continuation)
      let controller = ASAuthorizationController(authorizationRequests: [request])
      controller.delegate = delegate
      controller.presentationContextProvider = delegate
      // The controller has only a weak reference to its delegate.
      defer { withExtendedLifetime((controller, delegate)) {} }
      controller.performRequests()
      for try await answer in answers { return answer }
      // The stream ends without an answer if the task was cancelled.
      controller.cancel()
      throw CancellationError()
    }

    fileprivate static var failure: PasskeyError {
      PasskeyError(.failed, "The system returned no passkey.")
    }

    private static func preference(
      _ requirement: PasskeyRequirement
    ) -> ASAuthorizationPublicKeyCredentialUserVerificationPreference {
      switch requirement {
      case .required: .required
      case .discouraged: .discouraged
      default: .preferred
      }
    }
  }

  /// The system's answer, as a value that can leave the main actor.
  private enum SystemAnswer: Sendable {
    case attestation(PasskeyAttestation)
    case assertion(PasskeyAssertion)

    init?(_ credential: any ASAuthorizationCredential) {
      switch credential {
      case let made as ASAuthorizationPlatformPublicKeyCredentialRegistration:
        guard let object = made.rawAttestationObject else { return nil }
        self = .attestation(
          PasskeyAttestation(
            clientData: Array(made.rawClientDataJSON), attestationObject: Array(object),
            transports: ["internal", "hybrid"]))
      case let signed as ASAuthorizationPlatformPublicKeyCredentialAssertion:
        guard let data = signed.rawAuthenticatorData, let signature = signed.signature else {
          return nil
        }
        let user: Data? = signed.userID
        self = .assertion(
          PasskeyAssertion(
            clientData: Array(signed.rawClientDataJSON), authenticatorData: Array(data),
            signature: Array(signature), userHandle: user.map(Array.init)))
      default: return nil
      }
    }
  }

  /// Receives the result of the system's dialog.
  private final class SystemDelegate: NSObject, ASAuthorizationControllerDelegate,
    ASAuthorizationControllerPresentationContextProviding, Sendable
  {
    private let anchor: ASPresentationAnchor
    private let answers: AsyncThrowingStream<SystemAnswer, any Error>.Continuation

    init(
      anchor: ASPresentationAnchor,
      answers: AsyncThrowingStream<SystemAnswer, any Error>.Continuation
    ) {
      self.anchor = anchor
      self.answers = answers
    }

    nonisolated func presentationAnchor(
      for controller: ASAuthorizationController
    ) -> ASPresentationAnchor { anchor }

    nonisolated func authorizationController(
      controller: ASAuthorizationController,
      didCompleteWithAuthorization authorization: ASAuthorization
    ) {
      if let answer = SystemAnswer(authorization.credential) {
        answers.yield(answer)
      } else {
        answers.finish(throwing: SystemPasskeys.failure)
      }
    }

    nonisolated func authorizationController(
      controller: ASAuthorizationController, didCompleteWithError error: any Error
    ) {
      let isCancelled = (error as? ASAuthorizationError)?.code == .canceled
      // The system reports the same if it has no passkey and if the person cancels.
      answers.finish(
        throwing: isCancelled
          ? PasskeyError(.cancelled, "No passkey was chosen.")
          : PasskeyError(.failed, "The system returned no passkey: \(error.localizedDescription)"))
    }
  }
#endif
