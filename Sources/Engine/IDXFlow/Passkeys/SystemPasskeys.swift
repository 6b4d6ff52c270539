#if canImport(AuthenticationServices) && (os(iOS) || os(macOS) || os(visionOS))
  public import AuthenticationServices

  /// The passkeys of the system (iCloud Keychain and other password managers) and security keys, through
  /// the system's dialog.
  ///
  /// The app needs the entitlement `com.apple.developer.associated-domains` with `webcredentials:` and
  /// the site (``PasskeyCreationOptions/site``). The site must name the app in its file
  /// `/.well-known/apple-app-site-association`, which an org with a custom domain can host. Otherwise the
  /// system refuses. The system creates ES256 passkeys and replaces an existing one of the same account. A
  /// security key is not offered if it has a passkey of the account.
  ///
  ///     let passkeys = SystemPasskeys(anchor: { window })
  ///     if let request = screen.passkey { reply = try await request.reply(from: passkeys) }
  public struct SystemPasskeys: PasskeyProvider {
    private let anchor: @MainActor @Sendable () -> ASPresentationAnchor
    private let offersSaved: Bool

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - offersSaved: Whether a sign-in begins with a dialog, if this device has a passkey or a password for it.
    ///     Passwords belong to the sites in the entitlement.
    ///   - anchor: Returns the window in which dialogs are shown.
    public init(
      offersSaved: Bool = false, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
      self.offersSaved = offersSaved
      self.anchor = anchor
    }

    /// Offers the passkeys and the passwords that this device has, and shows nothing if it has none.
    @MainActor
    public func saved(_ options: PasskeyRequestOptions?) async throws -> SavedSignIn? {
      guard offersSaved else { return nil }
      let passkey = options.map { [Self.request($0)] } ?? []
      let requests = passkey + [ASAuthorizationPasswordProvider().createRequest()]
      do {
        switch try await answer(to: requests, .onThisDevice) {
        case .assertion(let assertion): return .passkey(assertion)
        case .password(let username, let password):
          return .password(username: username, password: password)
        case .attestation: throw Self.failure
        }
      } catch let error as PasskeyError where error.code == .cancelled { return nil }
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
      let key = ASAuthorizationSecurityKeyPublicKeyCredentialProvider(
        relyingPartyIdentifier: options.site
      ).createCredentialRegistrationRequest(
        challenge: Data(options.challenge), displayName: options.user.displayName,
        name: options.user.name, userID: Data(options.user.id))
      key.credentialParameters = [ASAuthorizationPublicKeyCredentialParameters(algorithm: .ES256)]
      key.excludedCredentials = options.excluded.map(Self.descriptor)
      key.userVerificationPreference = Self.preference(options.userVerification)
      key.residentKeyPreference = Self.residentKey(options.residentKey)
      guard case .attestation(let attestation) = try await answer(to: [creation, key]) else {
        throw Self.failure
      }
      return attestation
    }

    /// Lets the person sign with a passkey.
    @MainActor
    public func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
      let key = ASAuthorizationSecurityKeyPublicKeyCredentialProvider(
        relyingPartyIdentifier: options.site
      ).createCredentialAssertionRequest(challenge: Data(options.challenge))
      key.allowedCredentials = options.allowed.map(Self.descriptor)
      key.userVerificationPreference = Self.preference(options.userVerification)
      return try await assertion(by: [Self.request(options), key])
    }

    #if os(iOS)
      /// Offers the system's passkeys above the keyboard while the username is typed.
      ///
      /// The field must have the content type of a username.
      @MainActor
      public func offer(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
        try await assertion(by: [Self.request(options)], .inKeyboard)
      }
    #endif

    @MainActor
    private func assertion(
      by requests: [ASAuthorizationRequest], _ place: Place = .anywhere
    ) async throws -> PasskeyAssertion {
      guard case .assertion(let assertion) = try await answer(to: requests, place) else {
        throw Self.failure
      }
      return assertion
    }

    /// What the system offers, and where.
    private enum Place {
      /// In a dialog, also with other devices and security keys.
      case anywhere
      /// In a dialog, if this device has something.
      case onThisDevice
      /// Above the keyboard.
      case inKeyboard
    }

    private static func request(_ options: PasskeyRequestOptions) -> ASAuthorizationRequest {
      let provider = ASAuthorizationPlatformPublicKeyCredentialProvider(
        relyingPartyIdentifier: options.site)
      let challenge = provider.createCredentialAssertionRequest(challenge: Data(options.challenge))
      challenge.allowedCredentials = options.allowed.map {
        ASAuthorizationPlatformPublicKeyCredentialDescriptor(credentialID: Data($0.id))
      }
      challenge.userVerificationPreference = preference(options.userVerification)
      return challenge
    }

    @MainActor
    private func answer(
      to requests: [ASAuthorizationRequest], _ place: Place = .anywhere
    ) async throws -> SystemAnswer {
      let (answers, continuation) = AsyncThrowingStream<SystemAnswer, any Error>.makeStream()
      let delegate = SystemDelegate(anchor: anchor(), answers: continuation)
      let controller = ASAuthorizationController(authorizationRequests: requests)
      controller.delegate = delegate
      controller.presentationContextProvider = delegate
      // The controller has only a weak reference to its delegate.
      defer { withExtendedLifetime((controller, delegate)) {} }
      switch place {
      case .anywhere: controller.performRequests()
      case .onThisDevice:
        controller.performRequests(options: .preferImmediatelyAvailableCredentials)
      case .inKeyboard:
        #if os(iOS)
          controller.performAutoFillAssistedRequests()
        #endif
      }
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

    private static func residentKey(
      _ requirement: PasskeyRequirement
    ) -> ASAuthorizationPublicKeyCredentialResidentKeyPreference {
      switch requirement {
      case .required: .required
      case .discouraged: .discouraged
      default: .preferred
      }
    }

    private static func descriptor(
      _ passkey: PasskeyDescriptor
    ) -> ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor {
      ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor(
        credentialID: Data(passkey.id),
        transports:
          ASAuthorizationSecurityKeyPublicKeyCredentialDescriptor.Transport.allSupported)
    }
  }

  /// The system's answer, as a value that can leave the main actor.
  private enum SystemAnswer: Sendable {
    case attestation(PasskeyAttestation)
    case assertion(PasskeyAssertion)
    case password(username: String, Secret)

    init?(_ credential: any ASAuthorizationCredential) {
      switch credential {
      case let made as any ASAuthorizationPublicKeyCredentialRegistration:
        guard let object = made.rawAttestationObject else { return nil }
        self = .attestation(
          PasskeyAttestation(
            clientData: Array(made.rawClientDataJSON), attestationObject: Array(object),
            transports: made is ASAuthorizationSecurityKeyPublicKeyCredentialRegistration
              ? ["usb", "nfc"] : ["internal", "hybrid"]))
      case let signed as any ASAuthorizationPublicKeyCredentialAssertion:
        guard let data = signed.rawAuthenticatorData, let signature = signed.signature else {
          return nil
        }
        let user: Data? = signed.userID
        self = .assertion(
          PasskeyAssertion(
            clientData: Array(signed.rawClientDataJSON), authenticatorData: Array(data),
            signature: Array(signature), userHandle: user.map(Array.init)))
      case let saved as ASPasswordCredential:
        self = .password(username: saved.user, Secret(saved.password))
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
      let failure =
        switch (error as? ASAuthorizationError)?.code {
        // The system reports the same if it has no passkey and if the person cancels.
        case .canceled: PasskeyError(.cancelled, "No passkey was chosen.")
        case .notInteractive:
          PasskeyError(.notInteractive, "The system cannot ask for a passkey now. Try again.")
        default:
          PasskeyError(.failed, "The system returned no passkey: \(error.localizedDescription)")
        }
      answers.finish(throwing: failure)
    }
  }
#endif
