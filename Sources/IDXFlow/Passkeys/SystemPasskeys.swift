#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
  public import AuthenticationServices

  /// The passkeys of the system: iCloud Keychain and other password managers, through the system's own
  /// dialogue.
  ///
  /// The app needs the entitlement `com.apple.developer.associated-domains` with `webcredentials:` and
  /// the site (``PasskeyCreationOptions/site``), and the site must name the app in its file
  /// `/.well-known/apple-app-site-association`; else the system refuses at once. The org of a custom
  /// domain can host that file. The system makes ES256 passkeys, and replaces the one of the same
  /// account that it holds.
  ///
  ///     var handlers = Handlers.asking(prompter)
  ///     handlers.usePasskeys(SystemPasskeys(anchor: { window }), prompter: prompter)
  public struct SystemPasskeys: PasskeyProvider {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor

    /// A provider that shows the dialogue beside the window that `anchor` returns.
    public init(anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor) {
      self.anchor = anchor
    }

    /// Lets the person make a passkey.
    @MainActor
    public func register(_ request: PasskeyCreationOptions) async throws -> PasskeyAttestation {
      guard request.algorithms.isEmpty || request.algorithms.contains(-7) else {
        throw PasskeyError(.unsupported, "\(request.site) takes no passkeys of this kind.")
      }
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: request.site)
      let creation = provider.createCredentialRegistrationRequest(
        challenge: Data(request.challenge), name: request.user.name,
        userID: Data(request.user.id))
      creation.userVerificationPreference = Self.preference(request.userVerification)
      guard case .attestation(let attestation) = try await answer(to: creation) else {
        throw Self.failure
      }
      return attestation
    }

    /// Lets the person sign with a passkey.
    @MainActor
    public func sign(_ request: PasskeyRequestOptions) async throws -> PasskeyAssertion {
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: request.site)
      let challenge = provider.createCredentialAssertionRequest(challenge: Data(request.challenge))
      challenge.allowedCredentials = request.allowed.map {
        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0.id))
      }
      challenge.userVerificationPreference = Self.preference(request.userVerification)
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
      // The controller holds its delegate weakly.
      defer { withExtendedLifetime((controller, delegate)) {} }
      controller.performRequests()
      for try await answer in answers { return answer }
      // The stream ends without an answer where the task was cancelled.
      controller.cancel()
      throw CancellationError()
    }

    fileprivate static var failure: PasskeyError {
      PasskeyError(.failed, "The system gave no passkey.")
    }

    private static func preference(
      _ demand: PasskeyRequirement
    ) -> ASAuthorizationPublicKeyCredentialUserVerificationPreference {
      switch demand {
      case .required: .required
      case .discouraged: .discouraged
      default: .preferred
      }
    }
  }

  /// What the system answers, as a value that may leave the main actor.
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

  /// Hears from the system's dialogue.
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
      // The system says the same where it knows no passkey and where the person turns it away.
      answers.finish(
        throwing: isCancelled
          ? PasskeyError(.cancelled, "No passkey was chosen.")
          : PasskeyError(.failed, "The system gave no passkey: \(error.localizedDescription)"))
    }
  }
#endif
