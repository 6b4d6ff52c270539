public import IDXFlow

// The texts that only web pages have, in the tables of the library, so that an app can replace them too.
extension Words.Key {
  static let check: Self = "page.check"
  static let notYou: Self = "page.not-you"
  static let options: Self = "page.options"
  static let yes: Self = "page.yes"
  static let no: Self = "page.no"
  static let qrCode: Self = "page.qr-code"
  static let scan: Self = "page.scan"
  static let typeKey: Self = "page.type-key"
  static let openApp: Self = "page.open-app"
  static let providers: Self = "page.providers"
  static let titleOfProblem: Self = "page.title-of-problem"
  static let showTyped: Self = "page.show-typed"
  static let copyKey: Self = "page.copy-key"
  static let copied: Self = "page.copied"
  static let needsScript: Self = "page.needs-script"
  static let passkeyFailed: Self = "page.passkey-failed"
  static let oktaVerifyNeedsScript: Self = "page.okta-verify-needs-script"
  static let oktaVerifyFailed: Self = "page.okta-verify-failed"
  static let oktaVerifyWaits: Self = "page.okta-verify-waits"
  /// The title before a sign-in.
  public static let welcome: Self = "page.welcome"
  /// The button that starts a sign-in.
  public static let start: Self = "page.start"
  /// The title after a sign-in.
  public static let signedIn: Self = "page.signed-in"
  /// The button that signs out.
  public static let signOut: Self = "page.sign-out"
  /// The title when a sign-in cannot continue.
  public static let failed: Self = "page.failed"
  /// The title when this site has a problem.
  public static let tryAgain: Self = "page.try-again"
  /// What is shown for a forged post.
  public static let forged: Self = "page.forged"
  /// What is shown for an unknown address.
  public static let unknownPage: Self = "page.unknown-page"
  /// What is shown if the proxy does not say where a request comes from.
  public static let unknownAddress: Self = "page.unknown-address"
  /// The button that returns to the sign-in.
  public static let back: Self = "page.back"
}

extension Words {
  /// The languages of the web site.
  public static let pages = [
    Words.english.adding([
      .check: "Check now", .notYou: "Not you?", .options: "Other options",
      .yes: "Yes", .no: "No",
      .qrCode: "QR code with the key", .scan: "Scan this code with the app.",
      .typeKey: "Or type this key into the app:", .openApp: "Is the app on this device? Open it.",
      .providers: "Sign in with another account", .titleOfProblem: "Error: {title}",
      .showTyped: "Show what is typed",
      .copyKey: "Copy the key", .copied: "Copied.",
      .needsScript: "Passkeys need JavaScript. Turn it on, or choose another way.",
      .passkeyFailed: "The passkey was not used. Try again, or choose another way.",
      .oktaVerifyNeedsScript: "Okta FastPass needs JavaScript. Turn it on, or choose another way.",
      .oktaVerifyFailed: "Okta Verify was not asked. Try again, or choose another way.",
      .oktaVerifyWaits: "Continue in Okta Verify…",
      .welcome: "Welcome", .start: "Sign in", .signedIn: "Signed in as {name}",
      .signOut: "Sign out", .failed: "You cannot continue this sign-in",
      .tryAgain: "That did not work. Try again.",
      .forged: "This form did not come from this site. Nothing was sent.",
      .unknownAddress: "This site does not know the address of your computer.",
      .unknownPage: "There is no such page.", .back: "Back to the sign-in",
    ]),
    Words.german.adding([
      .check: "Jetzt prüfen", .notYou: "Das sind nicht Sie?", .options: "Andere Möglichkeiten",
      .yes: "Ja", .no: "Nein",
      .qrCode: "QR-Code mit dem Schlüssel", .scan: "Scannen Sie diesen Code mit der App.",
      .typeKey: "Oder geben Sie diesen Schlüssel in die App ein:",
      .openApp: "Ist die App auf diesem Gerät? Öffnen Sie sie.",
      .providers: "Mit einem anderen Konto anmelden", .titleOfProblem: "Fehler: {title}",
      .showTyped: "Eingabe anzeigen",
      .copyKey: "Schlüssel kopieren", .copied: "Kopiert.",
      .needsScript:
        "Passkeys brauchen JavaScript. Schalten Sie es ein, oder wählen Sie etwas anderes.",
      .passkeyFailed:
        "Der Passkey wurde nicht verwendet. Versuchen Sie es erneut, oder wählen Sie etwas anderes.",
      .oktaVerifyNeedsScript:
        "Okta FastPass braucht JavaScript. Schalten Sie es ein, oder wählen Sie etwas anderes.",
      .oktaVerifyFailed:
        "Okta Verify wurde nicht gefragt. Versuchen Sie es erneut, oder wählen Sie etwas anderes.",
      .oktaVerifyWaits: "Machen Sie in Okta Verify weiter…",
      .welcome: "Willkommen", .start: "Anmelden", .signedIn: "Angemeldet als {name}",
      .signOut: "Abmelden", .failed: "Diese Anmeldung kann nicht fortgesetzt werden",
      .tryAgain: "Das hat nicht funktioniert. Versuchen Sie es erneut.",
      .forged: "Dieses Formular kam nicht von dieser Website. Es wurde nichts gesendet.",
      .unknownAddress: "Diese Website kennt die Adresse Ihres Computers nicht.",
      .unknownPage: "Diese Seite gibt es nicht.", .back: "Zurück zur Anmeldung",
    ]),
  ]

  private func adding(_ texts: [Key: String]) -> Words {
    Words(language: language, self.texts.merging(texts) { _, new in new })
  }

  /// A text of the web site; in English if a table does not have it.
  public func page(_ key: Key) -> String { self[key] ?? Words.pages[0][key] ?? "" }
}
