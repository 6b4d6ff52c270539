import Foundation
import IDXFlow
import IDXNetwork
import IDXStorage
import IDXSwiftUI
import Observation

/// The org and the app, who is signed in, and the profile.
@MainActor @Observable
public final class AppModel {
  let configuration: FlowConfiguration
  let client: any FlowClient
  let passkeys: any PasskeyProvider
  let pages: any WebPages
  /// Who is signed in.
  let credentials: CredentialModel
  /// What the server says about the person; nil until it was asked.
  private(set) var profile: UserInfo?
  /// What went wrong outside the sign-in.
  private(set) var problem: String?

  init(
    _ configuration: FlowConfiguration, client: any FlowClient, tokens: TokenClient,
    store: any CredentialStore, passkeys: any PasskeyProvider, pages: any WebPages
  ) {
    (self.configuration, self.client) = (configuration, client)
    (self.passkeys, self.pages) = (passkeys, pages)
    credentials = CredentialModel(store: store, client: tokens)
  }

  /// The app for the org of `Okta.plist` in the bundle; throws if there is none.
  ///
  /// An access group of the Keychain shares the credentials with other apps of the same team. With
  /// `asksForFace`, Face ID, Touch ID or the passcode is needed to read them. On macOS, both need a signed
  /// app with the entitlement `keychain-access-groups`.
  public static func live(accessGroup: String? = nil, asksForFace: Bool = false) throws -> AppModel
  {
    guard let plist = Bundle.main.url(forResource: "Okta", withExtension: "plist") else {
      throw MissingSettings()
    }
    let transport = RetryingTransport(HTTPTransport())
    let tokens = TokenClient(transport: transport)
    let store = KeychainCredentialStore(
      lockFolder: try CredentialStores.dataFolder() + "/locks",
      usesDataProtection: KeychainCredentialStore.usesDataProtectionByDefault
        || accessGroup != nil || asksForFace,
      access: KeychainAccess(
        group: accessGroup, confirmation: asksForFace ? "Continue with your account" : nil))
    return AppModel(
      try FlowConfiguration(plist: plist).requestingRefreshToken(),
      client: IDXClient(transport: transport, tokens: tokens), tokens: tokens, store: store,
      passkeys: SystemPasskeys(anchor: { .current }), pages: SystemWebPages())
  }

  func loadProfile() async {
    problem = nil
    do { profile = try await credentials.session?.userInfo() } catch { report(error) }
  }

  /// Revokes the tokens, and ends the browser's session at the server if the org has an address to return to.
  func signOut() async {
    problem = nil
    let credential = credentials.credential
    await credentials.signOut()
    profile = nil
    guard let credential, let redirectURI = configuration.logoutRedirectURI else { return }
    do {
      let logout = try LogoutRequest(of: credential, for: configuration)
      try logout.check(try await pages.open(logout.url, returningTo: redirectURI))
    } catch { report(error) }
  }

  private func report(_ error: any Error) {
    if !(error is CancellationError) { problem = error.localizedDescription }
  }
}

/// The bundle has no settings.
struct MissingSettings: LocalizedError {
  var errorDescription: String? {
    "The app has no Okta.plist with issuer, client ID and redirect URI. Add one to its target."
  }
}
