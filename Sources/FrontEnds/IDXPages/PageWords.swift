public import IDXFlow

// The texts that only web pages have, in the tables of the library, so that an app can replace them too.
extension Words.Key {
  static let check: Self = "page.check"
  static let notYou: Self = "page.not-you"
  static let options: Self = "page.options"
  static let yes: Self = "page.yes"
  static let no: Self = "page.no"
  static let required: Self = "page.required"
  static let optional: Self = "page.optional"
  static let missing: Self = "page.missing"
  static let rulesMet: Self = "page.rules-met"
  static let qrCode: Self = "app.qr-code"
  static let addAccount: Self = "page.add-account"
  static let enterCode: Self = "page.enter-code"
  static let maintenance: Self = "page.maintenance"
  static let maintenanceWaits: Self = "page.maintenance.waits"
  static let signInAgain: Self = "page.sign-in-again"
  static let scan: Self = "page.scan"
  static let typeKey: Self = "page.type-key"
  static let cannotScan: Self = "app.cannot-scan"
  static let openApp: Self = "page.open-app"
  static let copy: Self = "page.copy"
  static let copyKey: Self = "page.copy-key"
  static let copied: Self = "app.copied"
  static let providers: Self = "page.providers"
  static let titleOfProblem: Self = "page.title-of-problem"
  static let show: Self = "page.show"
  static let showTyped: Self = "page.show-typed"
  static let busy: Self = "app.busy"
  static let host: Self = "app.host"
  static let reference: Self = "sign-in-problem.reference"
  static let cancel: Self = "app.cancel"
  static let cancelMeans: Self = "page.cancel-means"
  static let changePasswordAt: Self = "page.change-password-at"
  static let needsScript: Self = "page.needs-script"
  static let passkeyWaits: Self = "page.passkey-waits"
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
  /// The title after a sign-out.
  public static let signedOut: Self = "page.signed-out"
  /// What to do after a sign-out.
  public static let signedOutText: Self = "page.signed-out.text"
  /// The title when a sign-in cannot continue.
  public static let failed: Self = "page.failed"
  /// The button that tries the same again.
  public static let tryAgain: Self = "app.try-again"
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
  /// The languages of the pages: those of the library, with the texts that only pages have.
  public static let pages = [
    Words.english.adding(pagesInEnglish), Words.german.adding(pagesInGerman),
  ]

  /// A text of the pages, with values in place of the names in braces; in English if a table does not have it.
  public func page(_ key: Key, _ values: [String: String] = [:]) -> String {
    (self[key] ?? Self.pages[0][key] ?? "").filling(values)
  }

  private static let pagesInEnglish: [Key: String] = [
    .check: "Continue",
    .notYou: "Not you?",
    .options: "Other options",
    .yes: "Yes",
    .no: "No",
    .required: "required",
    .optional: "optional",
    .missing: "“{label}” is empty.",
    .rulesMet: "{count} of {total} rules are met.",
    .addAccount: "Open {app} on your phone, and add an account.",
    .enterCode: "Enter the code that the app shows.",
    .maintenance: "Signing in takes a little longer",
    .maintenanceWaits: "This page continues by itself…",
    .signInAgain: "Sign in again",
    .scan: "Scan this QR code.",
    .typeKey: "Type this key into the app.",
    .openApp: "Is the app on this device? Open it.",
    .copy: "Copy",
    .copyKey: "Copy the key",
    .providers: "Sign in with another account",
    .titleOfProblem: "Error: {title}",
    .show: "Show",
    .showTyped: "Show what is typed",
    .cancelMeans: "You leave without signing in.",
    .changePasswordAt: "Change the password at {host}",
    .needsScript: "Passkeys need JavaScript. Turn it on, or choose another way.",
    .passkeyWaits: "Your browser asks for a passkey. Continue there.",
    .passkeyFailed: "The passkey was not used. Try again, or choose another way.",
    .oktaVerifyNeedsScript: "Okta FastPass needs JavaScript. Turn it on, or choose another way.",
    .oktaVerifyFailed: "Okta Verify was not asked. Try again, or choose another way.",
    .oktaVerifyWaits: "Continue in Okta Verify.",
    .welcome: "Welcome",
    .start: "Sign in",
    .signedIn: "Signed in as {name}",
    .signOut: "Sign out",
    .signedOut: "You are signed out",
    .signedOutText: "Close the window if others use this computer too.",
    .failed: "You cannot continue this sign-in",
    .forged: "This form did not come from this site. Nothing was sent.",
    .unknownPage: "There is no such page",
    .unknownAddress: "This site does not know the address of your computer",
    .back: "Back to the sign-in",
    "page.missing.username": "Enter your username.",
    "page.missing.current-password": "Enter your password.",
    "page.missing.new-password": "Enter a new password.",
    "page.missing.one-time-code": "Enter the code.",
    "page.missing.email": "Enter your email address.",
    "page.missing.tel": "Enter your phone number.",
    "page.missing.given-name": "Enter your first name.",
    "page.missing.family-name": "Enter your last name.",
    "unsupported.captcha":
      "This needs a captcha, which this site cannot show. Choose another way, or tell those who run this site.",
    "sign-in-problem.unreachable.text": "It is not your fault. Wait a moment, and try again.",
    "sign-in-problem.setup.text":
      "It is not your fault, and trying again may not help. Tell those who run this site the reference.",
    "sign-in-problem.internal-error.text": "It is not your fault. Wait a minute, and try again.",
    "sign-in-problem.other.text":
      "Sign in again. If that does not help, tell those who run this site the reference.",
  ]

  private static let pagesInGerman: [Key: String] = [
    .check: "Weiter",
    .notYou: "Das sind nicht Sie?",
    .options: "Andere Möglichkeiten",
    .yes: "Ja",
    .no: "Nein",
    .required: "erforderlich",
    .optional: "freiwillig",
    .missing: "„{label}“ ist leer.",
    .rulesMet: "{count} von {total} Regeln sind erfüllt.",
    .addAccount: "Öffnen Sie {app} auf Ihrem Telefon, und fügen Sie ein Konto hinzu.",
    .enterCode: "Geben Sie den Code ein, den die App zeigt.",
    .maintenance: "Die Anmeldung dauert etwas länger",
    .maintenanceWaits: "Diese Seite macht von selbst weiter…",
    .signInAgain: "Erneut anmelden",
    .scan: "Scannen Sie diesen QR-Code.",
    .typeKey: "Geben Sie diesen Schlüssel in die App ein.",
    .openApp: "Ist die App auf diesem Gerät? Öffnen Sie sie.",
    .copy: "Kopieren",
    .copyKey: "Kopieren: Schlüssel",
    .providers: "Mit einem anderen Konto anmelden",
    .titleOfProblem: "Fehler: {title}",
    .show: "Anzeigen",
    .showTyped: "Anzeigen: Eingabe",
    .cancelMeans: "Sie verlassen die Anmeldung.",
    .changePasswordAt: "Passwort bei {host} ändern",
    .needsScript:
      "Passkeys brauchen JavaScript. Schalten Sie es ein, oder wählen Sie etwas anderes.",
    .passkeyWaits: "Ihr Browser fragt nach einem Passkey. Machen Sie dort weiter.",
    .passkeyFailed:
      "Der Passkey wurde nicht verwendet. Versuchen Sie es erneut, oder wählen Sie etwas anderes.",
    .oktaVerifyNeedsScript:
      "Okta FastPass braucht JavaScript. Schalten Sie es ein, oder wählen Sie etwas anderes.",
    .oktaVerifyFailed:
      "Okta Verify wurde nicht gefragt. Versuchen Sie es erneut, oder wählen Sie etwas anderes.",
    .oktaVerifyWaits: "Machen Sie in Okta Verify weiter.",
    .welcome: "Willkommen",
    .start: "Anmelden",
    .signedIn: "Angemeldet als {name}",
    .signOut: "Abmelden",
    .signedOut: "Sie sind abgemeldet",
    .signedOutText: "Schließen Sie das Fenster, wenn auch andere diesen Computer benutzen.",
    .failed: "Diese Anmeldung kann nicht fortgesetzt werden",
    .forged: "Dieses Formular kam nicht von dieser Website. Es wurde nichts gesendet.",
    .unknownPage: "Diese Seite gibt es nicht",
    .unknownAddress: "Diese Website kennt die Adresse Ihres Computers nicht",
    .back: "Zurück zur Anmeldung",
    "page.missing.username": "Geben Sie Ihren Benutzernamen ein.",
    "page.missing.current-password": "Geben Sie Ihr Passwort ein.",
    "page.missing.new-password": "Geben Sie ein neues Passwort ein.",
    "page.missing.one-time-code": "Geben Sie den Code ein.",
    "page.missing.email": "Geben Sie Ihre E-Mail-Adresse ein.",
    "page.missing.tel": "Geben Sie Ihre Telefonnummer ein.",
    "page.missing.given-name": "Geben Sie Ihren Vornamen ein.",
    "page.missing.family-name": "Geben Sie Ihren Nachnamen ein.",
    "unsupported.captcha":
      "Dafür wäre ein Captcha nötig, das diese Website nicht zeigen kann. Wählen Sie einen anderen Weg, oder wenden Sie sich an die Betreiber.",
    "sign-in-problem.unreachable.text":
      "Es liegt nicht an Ihnen. Warten Sie einen Moment, und versuchen Sie es erneut.",
    "sign-in-problem.setup.text":
      "Es liegt nicht an Ihnen, und ein neuer Versuch hilft vielleicht nicht. Nennen Sie den Betreibern dieser Website die Kennung.",
    "sign-in-problem.internal-error.text":
      "Es liegt nicht an Ihnen. Warten Sie eine Minute, und versuchen Sie es erneut.",
    "sign-in-problem.other.text":
      "Melden Sie sich erneut an. Wenn das nicht hilft, nennen Sie den Betreibern dieser Website die Kennung.",
  ]
}
