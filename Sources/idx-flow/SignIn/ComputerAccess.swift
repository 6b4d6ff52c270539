import Foundation
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt

/// What a sign-in uses on this computer besides the terminal: it opens pages, waits for a browser to return, and asks
/// security keys and Okta Verify.
///
/// A sign-in that somebody else may have written, such as a recording, gets ``none``.
struct ComputerAccess {
  /// Opens a page in a browser and returns whether that worked; nil to let the person open it.
  var browser: (@Sendable (URL) async -> Bool)?
  /// Waits for the browser; nil to let the person paste the address at which it returned.
  var listen: TerminalFrontEnd.Listen?
  /// Answers requests to a passkey; nil if there is none.
  var passkeys: (any PasskeyProvider)?
  /// What to install for security keys, for a step that needs one; nil if nothing is missing.
  private(set) var passkeyRemedy: String?
  /// Okta Verify on this computer; nil if it is not asked.
  var oktaVerify: LoopbackFastPass?

  /// Nothing: no page is opened, no port is listened at, and no program is asked.
  static let none = ComputerAccess()

  private init() {}

  /// What this computer has, or the simulated one of a demo.
  ///
  /// `redirectURI` is where a browser returns to; nil if no browser is used.
  init(_ call: CommandCall, _ demo: Demo?, redirectURI: String?) throws {
    let (environment, words) = (call.environment, call.streams.words)
    let (dialog, keepingCommands) = (call.streams.dialog, call.streams.keepingCommands)
    let system = SystemBrowser(environment: environment)
    let redirect = redirectURI.flatMap(URL.init(string:)).flatMap(LoopbackRedirect.init)
    let advice = redirect.flatMap { RemoteSession(environment)?.advice(for: $0) }
    let simulated: (any Transport)? = demo?.oktaVerify
    oktaVerify = LoopbackFastPass(transport: try simulated ?? call.loopbackTransport())
    let securityKey = SecurityKey(
      environment: environment, words: words, notify: { dialog?.note(Sentence(text: $0)) })
    passkeys = demo?.passkeys ?? securityKey
    // Another program has its own passkeys.
    passkeyRemedy = demo == nil && call.streams.program == nil ? securityKey.missingProgram : nil
    browser = { page in
      if let demo { return await demo.open(page) }
      if let advice {
        dialog?.note(Sentence(text: keepingCommands(words.text(of: advice))))
      }
      let isOpened = await system.open(page)
      // Over ssh, nobody may see what opened on this computer.
      return isOpened && RemoteSession(environment, hostName: { "" }) == nil
    }
    listen = { uri, accepts in
      let listener = try LoopbackListener(uri, accepts: accepts)
      let hasEntrance = demo == nil && RemoteSession(environment) == nil
      return hasEntrance ? listener : PlainListener(other: listener)
    }
  }
}

/// A listener whose browser gets the page itself: that of a demo is in this process, and one that is opened over ssh may
/// be on another computer, which has no address of this one.
private struct PlainListener: RedirectListener {
  let other: LoopbackListener

  func next() async throws -> URL { try await other.next() }
  func close() { other.close() }
}
