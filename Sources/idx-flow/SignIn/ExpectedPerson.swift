import IDXBase
import IDXFlow
import IDXOAuth

/// The person whom a sign-in in a browser should be about.
///
/// Whoever can read the address of the page can sign in there as themselves, and bring that back. So a sign-in of
/// another person is not kept without a yes.
struct ExpectedPerson {
  /// The username that was typed, or else the one of the command line or the profile.
  let username: String

  /// Whether a username is that of the person.
  ///
  /// Case does not matter, and many orgs take a short name in place of the whole one.
  func isNamed(_ other: String) -> Bool {
    let names = [username, other].map { $0.lowercased().trimmed() }
    if names[0] == names[1] { return true }
    let parts = names.map { $0.split(separator: "@", omittingEmptySubsequences: false) }
    return parts[0][0] == parts[1][0] && (parts[0].count == 1) != (parts[1].count == 1)
  }
}

extension SignInEnd {
  /// Throws, and revokes the tokens, if a browser brought back the sign-in of somebody else and nobody agrees to it.
  func checkPerson(_ signIn: SignIn) async throws {
    let email = signIn.credential.claims?["email"]?.string
    guard let expected = run.expectedPerson(plan), let actual = signIn.credential.username,
      ![actual, email].compactMap(\.self).contains(where: expected.isNamed)
    else { return }
    let (shown, expectedName) = (Self.shown(actual), Self.shown(expected.username))
    let sentence: Sentence =
      "The browser brought back the sign-in of \(shown), not of \(expectedName)."
    let answer: Bool?
    do {
      answer = try await plan.answerSource.confirm(
        "\(sentence)\nKeep it?",
        help: """
          With no, nothing is saved and the tokens are revoked. Somebody who has read the address of the page may have \
          signed in there as themselves.
          """)
    } catch {
      await discard(signIn.credential)
      throw error
    }
    guard answer != true else { return }
    let consequence = await discard(signIn.credential)
    let command = Profile.signInCommand(plan.settings.profileName, in: plan.call.environment)
    throw CommandFailure(
      answer == nil ? .inputNeeded : .cancelled, "\(sentence) Nothing was saved. \(consequence)",
      remedy: shown == actual
        ? "If that is right, sign in with \(command) --username \(actual.shellWord)" : nil)
  }

  /// A name as it is shown: one with characters that cannot be seen looks like another, so they are written in ASCII.
  private static func shown(_ name: String) -> String {
    name == name.sanitized
      ? name : name.unicodeScalars.map { $0.escaped(asASCII: true) }.joined().sanitized
  }

  @discardableResult
  private func discard(_ credential: Credential) async -> String {
    defer { credential.tokens.key?.remove() }
    return await plan.tokens.revokeAll(credential.tokens, of: plan.configuration.app)
  }
}

extension SignInRun {
  /// The person whom the sign-in should be about; nil if the person typed all answers here, or if nobody is named.
  fileprivate func expectedPerson(_ plan: SignInPlan) -> ExpectedPerson? {
    guard hasUsedBrowser || hadSession else { return nil }
    let username = typedUsername ?? plan.options.start.loginHint ?? plan.settings[.username]?.text
    return username.map(ExpectedPerson.init)
  }
}
