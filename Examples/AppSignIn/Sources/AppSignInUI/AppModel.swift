import AuthenticationServices
import Foundation
import IDXFlow
import IDXNetwork
import IDXScreens
import IDXStorage
import IDXSimulatedOrg
import Observation

/// The sign-in, the credential and the profile of the app.
@MainActor @Observable
public final class AppModel {
  /// The sign-in.
  public let signIn: SignInModel
  /// Who is signed in.
  public let credentials: CredentialModel
  /// What the server says about the person; nil until it was asked.
  public private(set) var profile: UserInfo?
  /// What went wrong outside the sign-in.
  public private(set) var problem: String?

  private let configuration: FlowConfiguration
  private let pages: any WebPages

  init(
    _ configuration: FlowConfiguration, client: any FlowClient, tokens: TokenClient,
    store: any CredentialStore, passkeys: any PasskeyProvider, pages: any WebPages
  ) {
    self.configuration = configuration
    self.pages = pages
    signIn = SignInModel(
      client: client, screens: Screens(words: .preferred(Locale.preferredLanguages)),
      passkeys: passkeys)
    credentials = CredentialModel(store: store, client: tokens)
  }

  // MARK: Signing in and out

  /// Looks who is signed in; if nobody is, starts a sign-in.
  func loadOrSignIn() async {
    await credentials.load()
    if case .idle = signIn.phase, !credentials.isSignedIn { await startSignIn() }
  }

  func startSignIn() async {
    signIn.start(configuration)
    await signIn.end()
    if case .signedIn(let credential) = signIn.phase { await credentials.keep(credential) }
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

  // MARK: Screens

  /// Does the main action of a screen.
  func act(on screen: Screen) async {
    guard let page = screen.page else { return signIn.submit(screen) }
    if let danger = screen.dangerOfPage { return signIn.reply(.failed(danger), to: screen) }
    do {
      signIn.reply(.returned(try await open(page, of: screen)), to: screen)
    } catch is CancellationError {} catch {
      signIn.reply(.failed(error.localizedDescription), to: screen)
    }
  }

  /// Opens the page of a screen, and closes it if another screen follows meanwhile.
  private func open(_ page: Screen.Page, of screen: Screen) async throws -> URL {
    let opening = Task { try await pages.open(page.url, returningTo: page.redirectURI) }
    let news = Task { [signIn] in
      _ = await signIn.next(after: screen)
      opening.cancel()
    }
    defer { news.cancel() }
    return try await withTaskCancellationHandler {
      try await opening.value
    } onCancel: {
      opening.cancel()
    }
  }
}

extension CredentialModel {
  /// Whether somebody is signed in and need not sign in again.
  var isSignedIn: Bool { status == .valid || status == .expiring }
}

extension AppModel {
  /// The app for the org of `Okta.plist` in the bundle, or for a simulated one.
  ///
  /// An access group of the Keychain shares the credentials with other apps of the same team. With
  /// `asksForFace`, Face ID, Touch ID or the passcode is needed to read them. On macOS, both need a signed
  /// app with the entitlement `keychain-access-groups`.
  public static func launch(accessGroup: String? = nil, asksForFace: Bool = false) -> AppModel {
    guard let plist = Bundle.main.url(forResource: "Okta", withExtension: "plist") else {
      return demo(.demo)
    }
    do { return try live(plist, accessGroup: accessGroup, asksForFace: asksForFace) } catch {
      preconditionFailure("Okta.plist cannot be used. \(error)")
    }
  }

  private static func live(
    _ plist: URL, accessGroup: String?, asksForFace: Bool
  ) throws -> AppModel {
    let configuration = try FlowConfiguration(plist: plist).requestingRefreshToken()
    let transport = RetryingTransport(HTTPTransport())
    let tokens = TokenClient(transport: transport)
    let store = KeychainCredentialStore(
      lockFolder: try CredentialStores.dataFolder() + "/locks",
      usesDataProtection: KeychainCredentialStore.usesDataProtectionByDefault
        || accessGroup != nil || asksForFace,
      access: KeychainAccess(
        group: accessGroup, confirmation: asksForFace ? "Continue with your account" : nil))
    return AppModel(
      configuration, client: IDXClient(transport: transport, tokens: tokens), tokens: tokens,
      store: store, passkeys: SystemPasskeys(anchor: { .current }), pages: SystemWebPages())
  }

  /// The app for an org that is simulated in memory, also for previews.
  static func demo(_ scenario: OrgScenario) -> AppModel {
    let org = SimulatedOrg(scenario)
    do {
      let configuration = try FlowConfiguration(
        issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
      return AppModel(
        configuration.requestingRefreshToken(), client: org.client, tokens: org.tokenClient,
        store: MemoryCredentialStore(), passkeys: SoftwareAuthenticator.demo,
        pages: SimulatedWebPages(org: org))
    } catch { preconditionFailure("The simulated org has a configuration. \(error)") }
  }
}
