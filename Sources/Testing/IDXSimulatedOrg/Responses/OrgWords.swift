import IDXBase
import IDXFlow

// The texts of the org for people: like a real org, it has them in several languages, with messages whose keys are the
// same in all of them. Their names are the English texts.
extension Words {
  private static let ofOrg = [Words(language: "en", [:]), Words(language: "de", german)]

  /// The words of the org in the language that a request asks for first (`Accept-Language`, RFC 9110, section 12.5.4);
  /// in English if it has no texts in that language.
  static func ofOrg(for request: TransportRequest?) -> Words {
    let first = request?.field("Accept-Language")?.prefix(while: \.isLetter).lowercased()
    return ofOrg.first { $0.language == first } ?? ofOrg[0]
  }

  /// The members of responses that people read.
  private static let members: Set = ["label", "message", "displayName", "question", "desc"]

  /// A response in this language; a text that has no translation stays in English.
  func translated(_ value: JSONValue) -> JSONValue {
    guard language != "en" else { return value }
    switch value {
    case .array(let elements): return .array(elements.map(translated))
    case .object(let object):
      let members = object.members.map { member -> JSONValue.Object.Member in
        if Self.members.contains(member.name), let text = member.value.string {
          return .init(member.name, .string(self.text(Key(rawValue: text)) ?? text))
        }
        return .init(member.name, translated(member.value))
      }
      return .object(JSONValue.Object(members))
    default: return value
    }
  }

  private static let german: [Key: String] = [
    // Authenticators and their methods.
    "Password": "Passwort", "Email": "E-Mail", "Phone": "Telefon",
    "Security Question": "Sicherheitsfrage", "Voice call": "Anruf", "Enter a code": "Code eingeben",
    "Get a push notification": "Push-Benachrichtigung erhalten",
    "Use Okta FastPass": "Okta FastPass verwenden", "Custom Push": "Eigene Push-App",
    "Custom OTP": "Eigenes Einmalpasswort", "Touch the key": "Schlüssel berühren",
    "YubiKey Authenticator": "YubiKey-Authentifikator",
    "Temporary Access Code": "Vorläufiger Zugangscode",
    "Passkey or security key": "Passkey oder Sicherheitsschlüssel",
    "Company sign-in": "Firmenanmeldung", "Sign in elsewhere": "Anderswo anmelden",
    "Smart card": "Smartcard", "QR code": "QR-Code",

    // Fields.
    "Username": "Benutzername", "Enter code": "Code eingeben", "New password": "Neues Passwort",
    "Remember this device": "Dieses Gerät merken", "PIN": "PIN", "Choose a PIN": "PIN wählen",
    "Enter security code": "Sicherheitscode eingeben", "Passcode": "Code",
    "Insert the YubiKey and touch it": "YubiKey einstecken und berühren",
    "Enter credential ID": "Credential-ID eingeben",
    "Enter second security code": "Zweiten Sicherheitscode eingeben",
    "Phone number": "Telefonnummer", "Answer": "Antwort",
    "Sign me out of all other devices": "Auf allen anderen Geräten abmelden",
    "Send push automatically": "Push automatisch senden",
    "Choose a security question": "Sicherheitsfrage wählen",
    "Create a security question": "Sicherheitsfrage schreiben",
    "Create my own security question": "Eigene Sicherheitsfrage schreiben",
    "Whose concert was the first you went to?": "Wessen Konzert war Ihr erstes?",
    "On which street did you live as a child?": "In welcher Straße wohnten Sie als Kind?",
    "Which teacher did you like best?": "Welchen Lehrer mochten Sie am liebsten?",
    "Which engine came first?": "Welche Maschine kam zuerst?",
    "What does the engine weave?": "Was webt die Maschine?",
    "Activation code": "Aktivierungscode", "Stay signed in?": "Angemeldet bleiben?",
    "Allow": "Erlauben", "Do not allow": "Nicht erlauben", "Place": "Ort", "Demo app": "Demo-App",
    "First name": "Vorname", "Last name": "Nachname", "Country": "Land",
    "France": "Frankreich", "United Kingdom": "Vereinigtes Königreich",
    "Nickname": "Spitzname", "Department": "Abteilung", "Second email": "Zweite E-Mail",
    "City": "Stadt",
    "Know who you are": "Wissen, wer Sie sind", "View your profile": "Ihr Profil sehen",
    "View your email address": "Ihre E-Mail-Adresse sehen",
    "View your phone number": "Ihre Telefonnummer sehen",
    "View your address": "Ihre Anschrift sehen",
    "The app wants to: know who you are.": "Die App möchte wissen, wer Sie sind.",
    "The app wants to: view your profile.": "Die App möchte Ihr Profil sehen.",
    "The app wants to: view your email address.": "Die App möchte Ihre E-Mail-Adresse sehen.",
    "The app wants to: view your phone number.": "Die App möchte Ihre Telefonnummer sehen.",
    "The app wants to: view your address.": "Die App möchte Ihre Anschrift sehen.",

    // Messages.
    "Sign-in failed. Check your username and password.":
      "Die Anmeldung ist fehlgeschlagen. Prüfen Sie Benutzername und Passwort.",
    "This sign-in has ended or expired. Start again.":
      "Diese Anmeldung ist beendet oder abgelaufen. Beginnen Sie neu.",
    "There were too many wrong answers. The account is locked.":
      "Es gab zu viele falsche Antworten. Das Konto ist gesperrt.",
    "This user is not assigned to this app.": "Dieser Benutzer ist der App nicht zugewiesen.",
    "No policy allows this user to use this app.":
      "Keine Richtlinie erlaubt diesem Benutzer diese App.",
    "Access is denied. Contact your administrator.":
      "Der Zugriff ist verweigert. Wenden Sie sich an Ihren Administrator.",
    "The password is wrong.": "Das Passwort ist falsch.",
    "The new password does not follow the rules.": "Das neue Passwort erfüllt die Regeln nicht.",
    "The code is wrong.": "Der Code ist falsch.",
    "The code is wrong or has expired.": "Der Code ist falsch oder abgelaufen.",
    "This code was used. Wait for the next one.":
      "Dieser Code wurde schon verwendet. Warten Sie auf den nächsten.",
    "The code is correct. Wait for the next code and enter it.":
      "Der Code ist richtig. Warten Sie auf den nächsten Code, und geben Sie ihn ein.",
    "The answer is wrong.": "Die Antwort ist falsch.",
    "The answer must have at least 4 characters.": "Die Antwort muss mindestens 4 Zeichen haben.",
    "This is not a phone number. Enter it with + and the country code.":
      "Das ist keine Telefonnummer. Geben Sie sie mit + und Landesvorwahl ein.",
    "This is not an email address.": "Das ist keine E-Mail-Adresse.",
    "The push was rejected on the phone.": "Die Push-Benachrichtigung wurde abgelehnt.",
    "The push timed out.": "Die Push-Benachrichtigung ist abgelaufen.",
    "The PIN is wrong.": "Die PIN ist falsch.",
    "The PIN must have only digits, and the required length.":
      "Die PIN darf nur Ziffern haben, und die verlangte Länge.",
    "There is no account with this username.": "Es gibt kein Konto mit diesem Benutzernamen.",
    "You cannot reset this password here.": "Dieses Passwort können Sie hier nicht zurücksetzen.",
    "The password has been reset. Sign in with the new one.":
      "Das Passwort ist zurückgesetzt. Melden Sie sich mit dem neuen an.",
    "You cannot unlock this account here.": "Dieses Konto können Sie hier nicht entsperren.",
    "The account is unlocked. Sign in again.":
      "Das Konto ist entsperrt. Melden Sie sich erneut an.",
    "The account is unlocked. Continue to sign in.":
      "Das Konto ist entsperrt. Fahren Sie mit der Anmeldung fort.",
    "This address already has an account.": "Für diese Adresse gibt es schon ein Konto.",
    "An email was sent. Open its link to continue.":
      "Eine E-Mail wurde gesendet. Öffnen Sie ihren Link, um fortzufahren.",
    "The password expires soon. Change it now?": "Das Passwort läuft bald ab. Jetzt ändern?",
    "The link in the activation email has expired.":
      "Der Link in der Aktivierungs-E-Mail ist abgelaufen.",
    "A new activation email was sent.": "Eine neue Aktivierungs-E-Mail wurde gesendet.",
    "The activation code is wrong.": "Der Aktivierungscode ist falsch.",
    "The device is activated. Go back to it.":
      "Das Gerät ist aktiviert. Kehren Sie dorthin zurück.",
    "Okta is under maintenance.": "Okta wird gewartet.",
    "The sign-in continued in another tab.": "Die Anmeldung ging in einem anderen Tab weiter.",
    "Enter this code in the tab where you started to sign in.":
      "Geben Sie diesen Code in dem Tab ein, in dem Sie begonnen haben.",
    "You did not allow access to the app.": "Sie haben der App den Zugriff nicht erlaubt.",
    "This device does not meet all requirements. Fix it soon, or it will lose access.":
      "Dieses Gerät erfüllt nicht alle Anforderungen. Beheben Sie das bald, sonst verliert es den Zugriff.",
    "Update the operating system.": "Aktualisieren Sie das Betriebssystem.",
    // Emails and SMS.
    "Your code for {1} is {2}.": "Ihr Code für {1} ist {2}.",
    "Set up Okta Verify: open {1} on your phone.":
      "Okta Verify einrichten: Öffnen Sie {1} auf Ihrem Telefon.",
    "Unlock your account: open {1}.": "Konto entsperren: Öffnen Sie {1}.",
    "Choose a new password: open {1}.": "Neues Passwort wählen: Öffnen Sie {1}.",
    "You have signed in from a new device. If that was not you, change your password.":
      "Sie haben sich von einem neuen Gerät angemeldet. Waren Sie das nicht, ändern Sie Ihr Passwort.",
    "Set a code for the screen lock.": "Richten Sie einen Code für die Bildschirmsperre ein.",
  ]
}
