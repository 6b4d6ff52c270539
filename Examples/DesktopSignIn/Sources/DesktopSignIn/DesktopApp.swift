import Foundation
import IDXFlow
import IDXNetwork

/// The sign-in and the credential of the app, and what happens outside the window.
@MainActor
final class DesktopApp {
  let signIn: SignInModel
  let credentials: CredentialModel
  /// The words of the person's language.
  let words = Words.preferred(DesktopApp.languages)

  private let settings: Settings
  /// The visit of the browser for the current screen.
  private var visit: Task<Void, Never>?

  init(_ settings: Settings) {
    self.settings = settings
    signIn = SignInModel(
      client: settings.client,
      handlers: .showing(Screens(words: words), log: { Self.log($0, "\($1)") }),
      passkeys: settings.passkeys)
    credentials = CredentialModel(store: settings.store, client: settings.tokens)
  }

  /// The languages of the locale, as in GNU's gettext; Foundation knows only English on Linux.
  private static var languages: [String] {
    let variables = ProcessInfo.processInfo.environment
    let locale =
      ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { variables[$0] }.first { !$0.isEmpty } ?? "C"
    guard !["C", "POSIX"].contains(locale.prefix { $0 != "." }) else { return [] }
    return (variables["LANGUAGE"] ?? "").split(separator: ":").map(String.init) + [locale]
  }

  /// Looks whether somebody is signed in; if not, starts a sign-in.
  func launch() {
    Task {
      await credentials.load()
      if ![.valid, .expiring].contains(credentials.status) { start() }
    }
  }

  func start() {
    signIn.start(settings.configuration)
    Task {
      await signIn.end()
      visit?.cancel()
      if case .signedIn(let credential) = signIn.phase { await credentials.keep(credential) }
      // The window says what to do, and the log what has happened.
      if let problem = signIn.problem, let details = signIn.phase.message {
        Self.log(problem, details)
      }
    }
  }

  private nonisolated static func log(_ problem: SignInProblem, _ details: String) {
    FileHandle.standardError.write(Data("\(problem.reference): \(details)\n".utf8))
  }

  func signOut() { Task { await credentials.signOut() } }

  func close() {
    Task {
      // The server is told, and a refresh is not lost.
      signIn.cancel()
      await signIn.end()
      await credentials.session?.finish()
      MainLoop.quit()
    }
  }

  /// Does the main action of a screen.
  func act(on screen: Screen) {
    if let page = screen.page { open(page, of: screen) } else { signIn.submit(screen) }
  }

  /// Does an option of a screen; an identity provider's page is opened at once.
  func choose(_ option: Screen.Option, on screen: Screen) {
    guard let url = option.page, let redirect = settings.configuration.redirectURI else {
      return signIn.choose(option.id, on: screen)
    }
    open(Screen.Page(url: url, redirectURI: redirect), of: screen)
  }

  /// Starts what a new screen needs outside the window.
  func show(_ screen: Screen) {
    visit?.cancel()
    if screen.startsByItself, let page = screen.page { open(page, of: screen) }
  }

  /// Opens a page in the browser, and waits for its return at the loopback address.
  private func open(_ page: Screen.Page, of screen: Screen) {
    visit?.cancel()
    if let danger = screen.dangerOfPage { return signIn.reply(.failed(danger), to: screen) }
    visit = Task {
      do {
        guard let address = URL(string: page.redirectURI) else { return }
        let listener = try LoopbackListener(address) { screen.isReturn($0) }
        defer { listener.close() }
        // Everybody can read the arguments of a program.
        try await settings.open(listener.entrance(to: page.url))
        signIn.reply(.returned(try await listener.next()), to: screen)
      } catch is CancellationError {} catch {
        signIn.reply(.failed("The browser cannot be used. \(error)"), to: screen)
      }
    }
  }
}
