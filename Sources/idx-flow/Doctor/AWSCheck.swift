import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// The check of a role in AWS: it asks for keys of the role with the saved ID token, and drops them.
struct AWSCheck: Sendable {
  let call: CommandCall
  /// Nil if the settings cannot be used.
  let setup: DoctorSetup?
  let limit: Duration

  static let name = "aws"

  func run() async -> DoctorCheck {
    do {
      if let signIn = try SAMLSignIn(call) { return try await check(signIn) }
      guard let setup else { return .skipped(Self.name, "the configuration cannot be used") }
      let role = try AWSRole(call)
      let id = setup.configuration
      let provider = "\(role.provider(for: id.issuer)), audience \(id.clientID)"
      let store = try await StoreChoice.store(call, isDemo: false)
      guard let credential = try await setup.saver(for: store).signedIn(to: id),
        let token = credential.tokens.idToken, let end = FreshToken.end(of: token), end > Date()
      else {
        return .skipped(
          Self.name, "there is no saved ID token that is valid",
          "Sign in or run idx-flow refresh. The identity provider in AWS must be \(provider).")
      }
      let request = try AWSKeyRequest(call, role: role, for: credential)
      let service = SecurityTokenService(transport: setup.transport)
      let keys = await limited(to: limit) { () async -> Result<AWSKeys, CommandFailure> in
        do { return .success(try await service.keys(for: request, with: .idToken(token))) } catch {
          guard let refusal = error as? AWSRefusal else { return .failure(CommandFailure(error)) }
          let signIn = CredentialText(credential, call.environment).signInCommand
          return .failure(refusal.failure(role, credential, signIn: signIn))
        }
      }
      guard let keys else {
        return .failed(
          Self.name, "\(Origin(request.endpoint)) did not respond in time",
          "Check the network connection, --region and the proxy.", .network)
      }
      _ = try keys.get()
      return .ok(Self.name, "\(role.arn) trusts \(provider)")
    } catch { return .failed(Self.name, CommandFailure(error)) }
  }

  /// Nobody is asked to sign in, so only kept keys show that AWS trusts the app.
  private func check(_ signIn: SAMLSignIn) async throws -> DoctorCheck {
    guard let role = try AWSRole.ifNamed(call, or: signIn.profile) else {
      let address = signIn.app.url.absoluteString
      guard let step = try await limited(to: limit, { await signIn.firstStep() })?.get() else {
        return .failed(
          Self.name, "\(Origin(signIn.app.url)) did not respond in time",
          "Check the network connection and the proxy.", .network)
      }
      return .ok(Self.name, "the sign-in to \(address) begins with \(step)")
    }
    let store = try await StoreChoice.store(call, isDemo: false)
    let keys = try await AWSKeyCache(store: store).keys(
      for: AWSKeyRequest(call, role: role, for: signIn.app),
      among: signIn.credentials(in: store).all(of: nil))
    guard keys != nil else {
      return .skipped(
        Self.name, "there are no kept keys of \(role.arn) for SAML",
        "Only a sign-in shows which roles you have. Run idx-flow aws --list-roles --saml "
          + "\(signIn.app.url.absoluteString.shellWord)")
    }
    return .ok(Self.name, "AWS gave keys of \(role.arn) for \(signIn.app.url.absoluteString)")
  }
}
