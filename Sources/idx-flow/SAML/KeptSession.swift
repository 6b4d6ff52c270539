import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// The session that an org began with a sign-in to an app with SAML, kept like a token: the next sign-in asks for nothing.
enum KeptSession {
  static let option = OptionSpec(
    "--keep-session", value: "WHEN", of: .oneOf(DevicePermission.options),
    "with --saml, keep the org's session: ask, always or never (default)")
  static let question: Sentence = "Keep the session of the org?"
  static let help: Sentence =
    "As long as the org accepts the session, new keys need no password and no factor. Until then, anyone who can read "
    + "your credentials can use it. idx-flow signout ends it."
}

extension Credential {
  private static let session = "session"

  /// The cookies of a session that is kept with the credential; nil if there is none.
  var keptSession: CookieJar? {
    get {
      attachments[Self.session].flatMap {
        try? JSONDecoder().decode(CookieJar.self, from: Data($0.revealed.utf8))
      }
    }
    set {
      let data = newValue.flatMap { try? JSONEncoder().encode($0) }
      attachments[Self.session] = data.map { Secret(String(decoding: $0, as: UTF8.self)) }
    }
  }
}
