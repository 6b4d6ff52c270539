#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif
public import IDXBase

// What people do outside the client: in browsers, and with the links of mails.
extension SimulatedOrg {
  /// The token that stands for a solved captcha; any other is refused.
  public static let captchaToken = "simulated-captcha-token"

  /// Plays the browser at a page to which a sign-in leads: an identity provider, a smart card, a proof
  /// of identity, or the site where passwords are changed.
  ///
  /// Whoever comes as a user of the org is signed in there at once; the first user comes unless
  /// another is named. At the site for passwords the user's password is renewed and stays the same.
  ///
  /// - Parameters:
  ///   - url: The `href` of a remediation, byte for byte as the last response had it.
  ///   - login: Who sits at the browser.
  ///   - refusing: Whether it is refused there.
  /// - Returns: The address on which the browser ends, at the app: the redirect URI with
  ///   `interaction_code`, or with `error`, and with the `state` of the beginning. An error
  ///   `interaction_required` means that the sign-in goes on, after introspecting again. Nil where
  ///   no sign-in leads to the page now, and at the site for passwords.
  public func visit(_ url: URL, as login: String? = nil, refusing: Bool = false) -> URL? {
    core.visit(url.absoluteString, as: login, refusing: refusing)
  }

  /// Opens the link of an e-mail in the browser of the app itself.
  ///
  /// - Returns: The redirect URI with the code as `otp` and the `state` of the beginning; nil where
  ///   no sign-in waits for that code. See ``followLink(in:)`` for another browser.
  public func openLink(in message: Mailbox.Message) -> URL? { core.openLink(in: message) }

  /// A token that recovers a user's account, as an administrator's mail has it; nil where nobody has
  /// the login.
  ///
  /// It begins one sign-in, as `recovery_token`.
  public func recoveryToken(for login: String) -> Secret? {
    core.issueToken(for: login, purpose: .recovery)
  }

  /// A token that lets a user choose a first password; nil where nobody has the login.
  ///
  /// It begins one sign-in, as `activation_token`.
  public func activationToken(for login: String) -> Secret? {
    core.issueToken(for: login, purpose: .registration)
  }
}
