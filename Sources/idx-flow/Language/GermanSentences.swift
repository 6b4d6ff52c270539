import IDXFlow

extension Words {
  /// German, with the sentences of this program: their names are the English texts, with numbers for the values.
  static let commandGerman = Words.german.adding(
    [signIn, settings, demo, credentials, setup, aws]
      .reduce(into: [:]) { $0.merge($1) { _, new in new } })

  private static let signIn: [Key: String] = [
    "You are signed in as {1}, {2}.": "Sie sind angemeldet als {1}, {2}.",
    "{1}\nSign in again?": "{1}\nErneut anmelden?",
    "{1} To sign in again, use --force.": "{1} Mit --force melden Sie sich erneut an.",
    "Signed in as {1}.": "Angemeldet als {1}.",
    "Signed in.": "Angemeldet.",
    "Still signed in as {1}.": "Weiterhin angemeldet als {1}.",
    "Done. You are not signed in.": "Fertig. Sie sind nicht angemeldet.",
    "The server sent no ID token, so the user is not confirmed.":
      "Der Server hat kein ID-Token gesendet, also ist der Benutzer nicht bestätigt.",
    "Saved in {1}.": "Gespeichert {1}.",
    "See: idx-flow status{1}": "Siehe: idx-flow status{1}",
    "Canceled.": "Abgebrochen.",
    "The sign-in expired. Start again.": "Die Anmeldung ist abgelaufen. Beginnen Sie neu.",
    "There were too many attempts. Wait before you try again.":
      "Es gab zu viele Versuche. Warten Sie, bevor Sie es erneut versuchen.",
    "Wait before you try again. If the account is locked, unlock it: run idx-flow signin --unlock with the same options, or ask an administrator of the org.":
      "Warten Sie, bevor Sie es erneut versuchen. Wenn das Konto gesperrt ist, entsperren Sie es: Führen Sie idx-flow signin --unlock mit denselben Optionen aus, oder fragen Sie einen Administrator der Organisation.",
    "Wait before you try again. If the account is locked, it may open after some time, or an administrator of the org can unlock it.":
      "Warten Sie, bevor Sie es erneut versuchen. Wenn das Konto gesperrt ist, geht es vielleicht nach einiger Zeit wieder, oder ein Administrator der Organisation kann es entsperren.",
    "You are not signed in yet.": "Sie sind noch nicht angemeldet.",
    "The server asks for “{1}”, which opens a page in a browser, but {2}. Run the command at a terminal.":
      "Der Server fragt nach „{1}“, was eine Seite im Browser öffnet, aber {2}. Führen Sie den Befehl in einem Terminal aus.",
    "Read the message above, then sign in again.":
      "Lesen Sie die Meldung oben, und melden Sie sich dann erneut an.",
    "The sign-in ended, and you are not signed in.":
      "Die Anmeldung ist beendet, und Sie sind nicht angemeldet.",
    "You are signed in, and the tokens are saved.":
      "Sie sind angemeldet, und die Tokens sind gespeichert.",
    "What to do: {1}": "Was zu tun ist: {1}",
    "Check the network connection. To find out more, run idx-flow doctor with the same options.":
      "Prüfen Sie die Netzwerkverbindung. Mehr sagt idx-flow doctor mit denselben Optionen.",
    "Continue in the browser": "Im Browser fortfahren",
    "Continue in the browser?": "Im Browser fortfahren?",
    "Continue here, with the steps of the org's page":
      "Hier fortfahren, mit den Schritten der Seite der Organisation",
    "Continue here, with the classic authentication API":
      "Hier fortfahren, mit der klassischen Authentifizierungs-API",
    "Continue here, with Identity Engine": "Hier fortfahren, mit Identity Engine",
    "End the sign-in": "Die Anmeldung beenden",
    "Another person than {1} has signed in.": "Jemand anders als {1} hat sich angemeldet.",
    "The response for {1} is saved. Anyone who has it can sign in to the app as you, for some minutes.":
      "Die Antwort für {1} ist gespeichert. Wer sie hat, kann sich einige Minuten lang als Sie bei der App anmelden.",
    "This is the access token. If the cluster needs the ID token, use --type id.":
      "Dies ist das Zugriffstoken. Wenn der Cluster das ID-Token braucht, nehmen Sie --type id.",
    "{1} cannot be run: the arguments and the variables are too large together. The {2} in {3} has {4} bytes.":
      "{1} kann nicht gestartet werden: Die Argumente und die Variablen sind zusammen zu groß. Das {2} in {3} hat {4} Bytes.",
    "Use idx-flow token --output FILE, or fewer variables.":
      "Nehmen Sie idx-flow token --output DATEI oder weniger Variablen.",
    "The session of {1} at {2} is kept. To end it, run {3}":
      "Die Sitzung von {1} bei {2} wird behalten. Um sie zu beenden: {3}",
    "--saml and --demo cannot be used together.":
      "--saml und --demo können nicht zusammen verwendet werden.",
    "There is no folder {1} that the output can be written to.":
      "Es gibt keinen Ordner {1}, in den die Ausgabe geschrieben werden kann.",
    "Current profile: {1}  {2}": "Aktuelles Profil: {1}  {2}",
    "Nobody is signed in with it yet. Sign in: {1}":
      "Damit ist noch niemand angemeldet. Anmelden: {1}",
    "{1} (nobody is signed in)": "{1} (niemand ist angemeldet)",
    "There is no profile “{1}” yet: your answers set it up.":
      "Es gibt noch kein Profil „{1}“: Ihre Antworten richten es ein.",
    "Do you mean https://{1}?": "Meinen Sie https://{1}?",
    "Rename the damaged file?": "Die beschädigte Datei umbenennen?",
    "Rename the damaged files?": "Die beschädigten Dateien umbenennen?",
    "A file keeps its content. Then you sign in as if it was not there. With no, tokens of its user cannot be saved.":
      "Eine Datei behält ihren Inhalt. Dann melden Sie sich an, als wäre sie nicht da. Mit Nein können die Tokens ihres Benutzers nicht gespeichert werden.",
    "It is now {1}": "Sie heißt jetzt {1}",
    "Set aside: {1}": "Beiseitegelegt: {1}",
    "No credential is damaged.": "Keine Anmeldedaten sind beschädigt.",
    "idx-flow: The current profile is not remembered. {1}":
      "idx-flow: Das aktuelle Profil wurde nicht gemerkt. {1}",
    "Keep the session of the org?": "Die Sitzung der Organisation behalten?",
    "As long as the org accepts the session, the next sign-in needs no password and no factor. Until then, anyone who can read your credentials can use it. idx-flow signout ends it.":
      "Solange die Organisation die Sitzung akzeptiert, braucht die nächste Anmeldung kein Passwort und keinen Faktor. Bis dahin kann sie jeder verwenden, der Ihre Anmeldedaten lesen kann. idx-flow signout beendet sie.",
    "idx-flow: The session is not kept. {1}":
      "idx-flow: Die Sitzung wird nicht behalten. {1}",
    "The session of the org that was kept has ended.":
      "Die behaltene Sitzung der Organisation ist beendet.",
    "The session of the org that was kept could not be ended, and lasts until it expires.":
      "Die behaltene Sitzung der Organisation konnte nicht beendet werden und gilt, bis sie abläuft.",
    "The steps of the org's own page can be answered here. The policy of the app applies as in a browser. Okta does not document this way, and your organization may want passwords to be typed only on its page.":
      "Die Schritte der Seite der Organisation können hier beantwortet werden. Die Richtlinie der App gilt wie in einem Browser. Okta dokumentiert diesen Weg nicht, und vielleicht möchte Ihre Organisation, dass Passwörter nur auf ihrer Seite getippt werden.",
    "Or use an app that has the grant type Authorization Code, and sign in with the steps of the org's own page, or in a browser: idx-flow signin --flow hosted, or --flow browser.":
      "Oder verwenden Sie eine App, die den Grant-Typ Authorization Code hat, und melden Sie sich mit den Schritten der Seite der Organisation oder in einem Browser an: idx-flow signin --flow hosted oder --flow browser.",
    "{1} The options are --flow classic and --flow browser.":
      "{1} Die Optionen sind --flow classic und --flow browser.",
    "{1} The options are --flow idx, --flow hosted and --flow browser.":
      "{1} Die Optionen sind --flow idx, --flow hosted und --flow browser.",
    "The org {host} uses the Classic Engine, and this sign-in needs Identity Engine.":
      "Die Organisation {host} verwendet die Classic Engine, und diese Anmeldung braucht Identity Engine.",
    "Use the classic authentication API, or a browser.":
      "Verwenden Sie die klassische Authentifizierungs-API oder einen Browser.",
    "The org {host} uses Identity Engine, and refuses the classic authentication API.":
      "Die Organisation {host} verwendet Identity Engine und weist die klassische Authentifizierungs-API ab.",
    "Use Identity Engine, the steps of the org's own page, or a browser.":
      "Verwenden Sie Identity Engine, die Schritte der Seite der Organisation oder einen Browser.",
    "Sign in in a browser: idx-flow signin --flow browser, with an app that has the grant type Authorization Code.":
      "Melden Sie sich in einem Browser an: idx-flow signin --flow browser, mit einer App, die den Grant-Typ Authorization Code hat.",
    "Or sign in in a browser: idx-flow signin --flow browser, with an app that has the grant type Authorization Code.":
      "Oder melden Sie sich in einem Browser an: idx-flow signin --flow browser, mit einer App, die den Grant-Typ Authorization Code hat.",
    "Paste the last address of the browser at the prompt, even if its page does not load. Or run this on your own computer before you open the page: ssh -L {1}:{2}:{3} {4}":
      "Fügen Sie die letzte Adresse des Browsers hier ein, auch wenn ihre Seite nicht geladen wird. Oder führen Sie auf Ihrem eigenen Computer dies aus, bevor Sie die Seite öffnen: ssh -L {1}:{2}:{3} {4}",
    "idx-flow: {1} Until then, tokens of its user cannot be saved.":
      "idx-flow: {1} Bis dahin können die Tokens dieses Benutzers nicht gespeichert werden.",
    "idx-flow: The org will not know this computer again. {1}":
      "idx-flow: Die Organisation wird diesen Computer nicht wiedererkennen. {1}",
    "Remembered as the profile “{1}” in {2}. See: idx-flow profile":
      "Gemerkt als Profil „{1}“ in {2}. Siehe: idx-flow profile",
    "idx-flow: The settings are not remembered. {1}":
      "idx-flow: Die Einstellungen wurden nicht gemerkt. {1}",
    "idx-flow: {1} is not remembered. {2}": "idx-flow: {1} wurde nicht gemerkt. {2}",
    "From now on, the profile “{1}” uses Okta FastPass without asking. To change that, run idx-flow profile set {2} --fast-pass ask":
      "Von nun an verwendet das Profil „{1}“ Okta FastPass, ohne zu fragen. So ändern Sie das: idx-flow profile set {2} --fast-pass ask",
    "With yes, you sign in now, also as somebody else. With no, everything stays as it is.":
      "Mit Ja melden Sie sich jetzt an, auch als jemand anderes. Mit Nein bleibt alles, wie es ist.",
    "Stay signed in on this computer?": "Auf diesem Computer angemeldet bleiben?",
    "With yes, a refresh token is saved with the other tokens, and you need not sign in again until idx-flow signout, or until the org ends the session. With no, you sign in again when the access token expires, usually after an hour. On a computer that is not yours, say no.":
      "Mit Ja wird ein Refresh-Token mit den anderen Tokens gespeichert, und Sie melden sich erst nach idx-flow signout wieder an, oder wenn die Organisation die Sitzung beendet. Mit Nein melden Sie sich wieder an, sobald das Access-Token abläuft, meist nach einer Stunde. Sagen Sie Nein, wenn der Computer nicht Ihrer ist.",
    "It is the current credential now, in place of {1}. To change back, run {2}":
      "Das ist jetzt die aktuelle Anmeldung, anstelle von {1}. Zurück: {2}",
    "{1} counted for this sign-in only. To change the profile, run {2}":
      "{1} galt nur für diese Anmeldung. So ändern Sie das Profil: {2}",
    "Recorded in {1}: {2}, with stand-ins for names, codes, IDs and tokens.":
      "Aufgezeichnet in {1}: {2}, mit Platzhaltern für Namen, Codes, IDs und Tokens.",
    "1 request": "1 Anfrage",
    "{1} requests": "{1} Anfragen",
    "idx-flow: The recording is not saved. {1}":
      "idx-flow: Die Aufzeichnung wurde nicht gespeichert. {1}",
    "idx-flow cannot do what this org asks for. A report about it helps to change that. It has stand-ins for names, codes, IDs and tokens, and nothing is sent.":
      "idx-flow kann nicht, was diese Organisation verlangt. Ein Bericht hilft, das zu ändern. Er hat Platzhalter für Namen, Codes, IDs und Tokens, und nichts wird gesendet.",
    "Save a report?": "Bericht speichern?",
    "A report of this sign-in can help to find the reason. It has stand-ins for names, codes, IDs and tokens, and nothing is sent.":
      "Ein Bericht über diese Anmeldung kann helfen, den Grund zu finden. Er hat Platzhalter für Namen, Codes, IDs und Tokens, und nichts wird gesendet.",
    "Saved in {1}. Read it, and attach it to a report about idx-flow if you like.":
      "Gespeichert in {1}. Lesen Sie ihn, und hängen Sie ihn einer Meldung über idx-flow an, wenn Sie möchten.",
    "The recording has names of this org that idx-flow does not know: {1}":
      "Die Aufzeichnung hat Namen dieser Organisation, die idx-flow nicht kennt: {1}",
    "They show what is new there. Do not keep the name of a person, a company or a product.":
      "Sie zeigen, was dort neu ist. Behalten Sie nicht den Namen einer Person, einer Firma oder eines Produkts.",
    "Replace all of them": "Alle ersetzen",
    "Choose for each name": "Für jeden Namen wählen",
    "Keep “{1}”, at {2}?": "„{1}“ bei {2} behalten?",
    "replay: nothing is sent over the network. Names and codes are stand-ins.":
      "Wiedergabe: Nichts wird über das Netz gesendet. Namen und Codes sind Platzhalter.",
    "The sign-in ended as recorded: {1}": "Die Anmeldung endete wie aufgezeichnet: {1}",
    "The whole recording was played: {1}.": "Die ganze Aufzeichnung wurde gespielt: {1}.",
    "idx-flow: Warning: without a keyring, the tokens are saved in {1}, in clear text that only your user can read. {2} {3} without this warning.":
      "idx-flow: Warnung: Ohne Schlüsselbund werden die Tokens unverschlüsselt gespeichert {1}, nur für Ihren Benutzer lesbar. {2} {3}, ohne diese Warnung.",
    "With --store file or IDX_FLOW_STORE=file, files are used":
      "Mit --store file oder IDX_FLOW_STORE=file werden Dateien verwendet",
  ]

  private static let settings: [Key: String] = [
    "A profile is the org and the app under a name. idx-flow profile lists yours.":
      "Ein Profil ist die Organisation und die App unter einem Namen. idx-flow profile zeigt Ihre.",
    "Set up a new profile “{1}”?": "Ein neues Profil „{1}“ einrichten?",
    "Nothing was changed. To list profiles, run idx-flow profile":
      "Nichts wurde geändert. Die Liste der Profile: idx-flow profile",
    "Change it?": "Ändern?",
    "The profile “{1}” is for {2}.": "Das Profil „{1}“ ist für {2}.",
    "From now on, its sign-ins send passwords to {1}.":
      "Mit der Änderung gehen Passwörter an {1}.",
    "Created the profile “{1}”.": "Das Profil „{1}“ wurde angelegt.",
    "Changed the profile “{1}”.": "Das Profil „{1}“ wurde geändert.",
    "It counts from the next sign-in: {1}": "Das gilt ab der nächsten Anmeldung: {1}",
    "To create it, add --issuer URL and --client-id ID.":
      "Um es anzulegen, ergänzen Sie --issuer URL und --client-id ID.",
    "These profiles are new. Their sign-ins go to these servers:":
      "Diese Profile sind neu. Ihre Anmeldungen gehen an diese Server:",
    "The browser brought back the sign-in of {1}, not of {2}.":
      "Der Browser hat die Anmeldung von {1} zurückgebracht, nicht die von {2}.",
    "{1}\nKeep it?": "{1}\nBehalten?",
    "With no, nothing is saved and the tokens are revoked. Somebody who has read the address of the page may have signed in there as themselves.":
      "Mit Nein wird nichts gespeichert, und die Tokens werden widerrufen. Vielleicht hat jemand die Adresse der Seite gelesen und sich dort selbst angemeldet.",
    "{1} Nothing was saved. {2}": "{1} Nichts wurde gespeichert. {2}",
    "If that is right, sign in with {1} --username {2}":
      "Wenn das richtig ist, melden Sie sich an mit {1} --username {2}",
    "The limit of pages, {1}, is reached, so some are missing.":
      "Die Grenze von {1} Seiten ist erreicht, also fehlen einige.",
    "To read more of them, raise {1}.": "Um mehr davon zu lesen, erhöhen Sie {1}.",
    "  {1}  {2}": "  {1}  {2}",
    "Save them?": "Speichern?",
    "The profile “{1}”:": "Das Profil „{1}“:",
    "The file changes the profile “{1}”:": "Die Datei ändert das Profil „{1}“:",
    "{1} becomes {2}": "bisher {1}, künftig {2}",
    "This profile is new, and asks for more than others do:":
      "Dieses Profil ist neu und verlangt mehr als andere:",
    "Save it?": "Speichern?",
    "“{1}”": "„{1}“",
    "the default": "der Standard",
    "Saved:": "Gespeichert:",
    "Nothing is new.": "Nichts ist neu.",
    "Nothing was changed.": "Nichts wurde geändert.",
    "{1}\nNothing was changed.": "{1}\nNichts wurde geändert.",
    "Nobody can be asked here. To agree, add --force.":
      "Hier kann niemand gefragt werden. Um zuzustimmen, ergänzen Sie --force.",
    "{1} cannot be read: the server answered with the status {2}.":
      "{1} kann nicht gelesen werden: Der Server antwortete mit dem Status {2}.",
    "The page has moved: open it in a browser, and use its new address.":
      "Die Seite ist umgezogen: Öffnen Sie sie in einem Browser, und verwenden Sie ihre neue Adresse.",
    "Which org and app?": "Welche Organisation und App?",
    "Your answers are remembered with your first password or code.":
      "Ihre Antworten werden mit Ihrem ersten Passwort oder Code gemerkt.",
    "Your answers are not saved. To save them, choose a name: --profile NAME":
      "Ihre Antworten werden nicht gespeichert. Um sie zu speichern, wählen Sie einen Namen: --profile NAME",
    "? explains a question, b goes back, and Ctrl-C cancels.":
      "? erklärt eine Frage, b geht zurück, und Strg-C bricht ab.",
    "This is the first question.": "Dies ist die erste Frage.",
    "The org is the address of its sign-in page, such as dev-1234.okta.com. For a custom authorization server, type its issuer, such as dev-1234.okta.com/oauth2/default; the Admin Console lists them under Security > API > Authorization Servers.":
      "Die Organisation ist die Adresse ihrer Anmeldeseite, zum Beispiel dev-1234.okta.com. Für einen eigenen Autorisierungsserver tippen Sie seinen Aussteller (Issuer), zum Beispiel dev-1234.okta.com/oauth2/default; die Admin Console zeigt ihn unter Security > API > Authorization Servers.",
    "The client ID is in the Admin Console, under Applications > your app > General.":
      "Die Client-ID steht in der Admin Console unter Applications > Ihre App > General.",
    "The redirect URI must be one of the app's sign-in redirect URIs, even if no browser is used. They are in the Admin Console, under Applications > your app > General > Login.":
      "Die Redirect-URI muss eine der Sign-in redirect URIs der App sein, auch wenn kein Browser verwendet wird. Sie stehen in der Admin Console unter Applications > Ihre App > General > Login.",
    "Org or issuer, such as dev-1234.okta.com":
      "Organisation oder Aussteller, zum Beispiel dev-1234.okta.com",
    "Client ID": "Client-ID",
    "Redirect URI": "Redirect-URI",
    "Type the value, or ? for an explanation.": "Tippen Sie den Wert, oder ? für eine Erklärung.",
    "Checking the app…": "Die App wird geprüft…",
    "Checking {1}…": "{1} wird geprüft…",
    "Try again?": "Erneut versuchen?",
    "{1} is an authorization server.": "{1} ist ein Autorisierungsserver.",
    "The server at {1} does not say which issuer it is.":
      "Der Server bei {1} sagt nicht, welcher Aussteller er ist.",
    "The server at {1} says that its issuer is {2}.":
      "Der Server bei {1} sagt, dass sein Aussteller {2} ist.",
    "Use {1}?": "{1} verwenden?",
    "Check the address and the network connection, and type it again.":
      "Prüfen Sie die Adresse und die Netzwerkverbindung, und tippen Sie sie erneut.",
    "the profile {1}": "dem Profil {1}",
    "{1} is used in place of the profile “{2}”. To use the profile, unset the variable.":
      "{1} wird anstelle des Profils „{2}“ verwendet. Um das Profil zu verwenden, löschen Sie die Variable.",
    "Removed the profile “{1}”.": "Das Profil „{1}“ ist entfernt.",
    "There are no profiles in {1}. To create one: idx-flow signin":
      "Es gibt keine Profile in {1}. So entsteht eines: idx-flow signin",
  ]

  private static let demo: [Key: String] = [
    "demo: this org is simulated in memory; nothing is sent over the network.":
      "Demo: Diese Organisation ist simuliert; nichts wird über das Netz gesendet.",
    "demo: the user is {1}, the password {2}": "Demo: Der Benutzer ist {1}, das Passwort {2}",
    "demo: {1}": "Demo: {1}",
    "demo: a browser on another device has entered the code and signed in.":
      "Demo: Ein Browser auf einem anderen Gerät hat den Code eingegeben und sich angemeldet.",
    "demo: Okta Verify has approved the sign-in.": "Demo: Okta Verify hat die Anmeldung bestätigt.",
    "demo: the browser has signed in there and returns.":
      "Demo: Der Browser hat sich dort angemeldet und kehrt zurück.",
    "demo: paste this address: {1}": "Demo: Fügen Sie diese Adresse ein: {1}",
    "demo: {1} shows {2}": "Demo: {1} zeigt {2}",
    "the authenticator": "Der Authentifikator",
    "mailbox: {1} to {2}: {3}": "Postfach: {1} an {2}: {3}",
    "email": "E-Mail",
    "sms": "SMS",
    "voice": "Anruf",
    "do not enter the code: the link is opened on the phone":
      "Geben Sie den Code nicht ein: Der Link wird auf dem Telefon geöffnet",
    "the passkey is in a software authenticator":
      "Der Passkey ist in einem Authentifikator aus Software",
    "the account is locked, so the correct password is refused too":
      "Das Konto ist gesperrt, also wird auch das richtige Passwort abgelehnt",
    "the password cannot be changed here: change it on the other site, then start over":
      "Das Passwort kann hier nicht geändert werden: Ändern Sie es auf der anderen Website, dann beginnen Sie neu",
    "the device shows WDJB-MJHT": "Das Gerät zeigt WDJB-MJHT",
    "the answer to the security question is Difference":
      "Die Antwort auf die Sicherheitsfrage ist Difference",
    "the answer to the security question is algebraic patterns":
      "Die Antwort auf die Sicherheitsfrage ist algebraic patterns",
    "the account is locked: type ? at the username to unlock it":
      "Das Konto ist gesperrt: Tippen Sie beim Benutzernamen ?, um es zu entsperren",
    "type ? at the username to sign up; ada@example.com already exists":
      "Tippen Sie beim Benutzernamen ?, um sich zu registrieren; ada@example.com gibt es schon",
    "the Symantec VIP token has the ID VSMT12397594":
      "Das Symantec-VIP-Token hat die ID VSMT12397594",
    "the phone answers the push by itself": "Das Telefon beantwortet die Push-Nachricht von selbst",
  ]

  private static let credentials: [Key: String] = [
    "Nobody is signed in with the profile “{1}”.": "Mit dem Profil „{1}“ ist niemand angemeldet.",
    "Sign in: {1}\nTo use one of the other credentials, run idx-flow use":
      "Anmelden: {1}\nUm andere Anmeldedaten zu verwenden: idx-flow use",
    "You are not signed in: there are no credentials in {1}.":
      "Sie sind nicht angemeldet: Es gibt keine Anmeldung {1}.",
    "{1} To go on, sign in.": "{1} Um fortzufahren, melden Sie sich an.",
    "If it is a file, idx-flow signout --damaged renames it; use the same --demo and --store.":
      "Wenn es eine Datei ist, benennt idx-flow signout --damaged sie um; mit demselben --demo und --store.",
    "The profile “{1}” has a mistake and is skipped.":
      "Das Profil „{1}“ hat einen Fehler und wird übergangen.",
    "“{1}” is not offered here.": "„{1}“ wird hier nicht angeboten.",
    "“{1}” is not offered here. Did you mean {2}?":
      "„{1}“ wird hier nicht angeboten. Meinten Sie {2}?",
    "valid for {1}": "gültig für {1}",
    "Your session is over: {1}.": "Ihre Sitzung ist beendet: {1}.",
    "The renamed files may contain tokens that are still valid. Delete them when nobody needs them.":
      "Die umbenannten Dateien können noch gültige Tokens enthalten. Löschen Sie sie, wenn niemand sie mehr braucht.",
    "Waiting for {1}…": "Warten auf {1} …",
    "idx-flow waits up to 10 s, so that no new token is lost. To end now, press Ctrl-C again.":
      "idx-flow wartet bis zu 10 s, damit kein neues Token verloren geht. Drücken Sie noch einmal Strg-C, um sofort zu beenden.",
    "checked   the server accepts the tokens": "geprüft   der Server nimmt die Tokens an",
    "Which profile?": "Welches Profil?",
    "Another org": "Eine andere Organisation",
    "Did you mean {1}?": "Meinten Sie {1}?",
    "IDX_FLOW_PROFILE is set: commands still use the profile “{1}”. To use this one, unset the variable.":
      "IDX_FLOW_PROFILE ist gesetzt: Befehle verwenden weiter das Profil „{1}“. Um dieses zu verwenden, löschen Sie die Variable.",
    "Only credentials of the profile “{1}” are listed, because IDX_FLOW_PROFILE is set.":
      "Nur Anmeldungen des Profils „{1}“ werden gezeigt, weil IDX_FLOW_PROFILE gesetzt ist.",
    "Several credentials match. Select one with --user, --profile, --issuer and --client-id:{1}":
      "Mehrere Anmeldungen passen. Wählen Sie eine mit --user, --profile, --issuer und --client-id:{1}",
    "Sign in: {1}": "Anmelden: {1}",
    "The access token expired {1}. {2}": "Das Access-Token ist {1} abgelaufen. {2}",
    "at {1}": "um {1}",
    "on {1}": "am {1}",
    "expired {1}; sign in again: {2}": "abgelaufen {1}; melden Sie sich neu an: {2}",
    "refused by the server on {1}; sign in again: {2}":
      "vom Server abgelehnt am {1}; melden Sie sich neu an: {2}",
    "yes; to end it at the next sign-in: {1}": "ja; ab der nächsten Anmeldung nicht mehr mit: {1}",
    "no; to stay signed in, sign in again: {1}":
      "nein; um angemeldet zu bleiben, melden Sie sich erneut an: {1}",
    "no; to stay signed in: {1}": "nein; um angemeldet zu bleiben: {1}",
    "profile   {1}": "Profil       {1}",
    "Still signed in, and the current one now:\n  {1}":
      "Noch angemeldet, und jetzt aktuell:\n  {1}",
    "Still signed in:{1}\nTo make one of them the current one, run the command below it.":
      "Noch angemeldet:{1}\nUm eine davon zur aktuellen zu machen, führen Sie den Befehl darunter aus.",
    // The labels of status, which are 13 columns wide.
    "user      {1}": "Benutzer     {1}",
    "issuer    {1}": "Aussteller   {1}",
    "user ID   {1}": "Benutzer-ID  {1}",
    "none": "keines",
    "app       {1}": "App          {1}",
    "access    {1}": "Zugriff      {1}",
    "refresh   {1}": "Erneuerung   {1}",
    "scopes    {1}": "Scopes       {1}",
    "bound to  a key of this computer (DPoP)":
      "gebunden an  einen Schlüssel dieses Computers (DPoP)",
    "signed in {1}": "angemeldet   {1}",
    "saved in  {1}": "gespeichert  {1}",
    "{1} (not confirmed by an ID token)": "{1} (nicht durch ein ID-Token bestätigt)",
    "no longer accepted": "nicht mehr angenommen",
    "the server did not say how long it is valid": "der Server hat nicht gesagt, wie lange gültig",
    "expired {1}; refreshed when needed": "abgelaufen {1}; wird bei Bedarf erneuert",
    "until {1} ({2} left)": "bis {1} (noch {2})",
    "{1}, then refreshed": "{1}, dann erneuert",
    "{1} days": "{1} Tage",
    "{1} at {2}": "{1} bei {2}",
    "an unnamed user": "ein Benutzer ohne Namen",
    "the folder {1}": "im Ordner {1}",
    "the Keychain": "im Schlüsselbund",
    "the Secret Service (keyring) of this desktop":
      "im Secret Service (Schlüsselbund) dieses Desktops",
    "Current credential: {1}": "Aktuelle Anmeldung: {1}",
    "{1} (current)": "{1} (aktuell)",
    "Refreshed the tokens of {1}: {2}.": "Die Tokens von {1} sind erneuert: {2}.",
    "access token": "Access-Token",
    "refresh token": "Refresh-Token",
    "ID token": "ID-Token",
    "the {1}": "das {1}",
    "{1} and {2}": "{1} und {2}",
    "no tokens": "keine Tokens",
    "Signed out {1}: revoked {2}, deleted the credential.":
      "Abgemeldet: {1}. Widerrufen: {2}. Die gespeicherte Anmeldung ist gelöscht.",
    "The {1} could not be revoked and is valid until it expires: {2}":
      "Das {1} konnte nicht widerrufen werden und gilt, bis es abläuft: {2}",
    "Nobody is signed in: there are no such credentials in {1}.":
      "Niemand ist angemeldet: Es gibt keine solche Anmeldung {1}.",
    "This computer is forgotten: the next sign-in is one from a new device.":
      "Dieser Computer ist vergessen: Die nächste Anmeldung kommt von einem neuen Gerät.",
    "No org recognizes this computer, so there is nothing to forget.":
      "Keine Organisation erkennt diesen Computer wieder, also gibt es nichts zu vergessen.",
    "There are no credentials in {1}.": "Es gibt keine Anmeldung {1}.",
    "No credential in {1} matches. See: idx-flow list{2}":
      "Keine Anmeldung {1} passt. Siehe: idx-flow list{2}",
    "There is no current credential. Select one with --user, or make one the current one: {1}":
      "Es gibt keine aktuelle Anmeldung. Wählen Sie eine mit --user, oder machen Sie eine zur aktuellen: {1}",
    "The credential may be one of those that cannot be read.":
      "Die Anmeldung ist vielleicht eine von denen, die nicht lesbar sind.",
    "Anyone who has this token can act as {1}.":
      "Wer dieses Token hat, kann als {1} handeln.",
    "The server issued no {1}. Sign in with the scope {2} to get one: {3}":
      "Der Server hat kein {1} ausgestellt. Melden Sie sich dafür mit dem Scope {2} an: {3}",
    "The access token is bound to a key of this computer (DPoP), so another program cannot use it alone.":
      "Das Access-Token ist an einen Schlüssel dieses Computers gebunden (DPoP), also kann es ein anderes Programm nicht allein verwenden.",
    "To send a request with it, run\nidx-flow api URL\nFor the header lines of one request, run\nidx-flow token --for METHOD URL\nA program that takes an ID token can have that with --type id.":
      "Um eine Anfrage damit zu senden, führen Sie aus:\nidx-flow api URL\nDie Kopfzeilen einer Anfrage gibt Ihnen\nidx-flow token --for METHOD URL\nEin Programm, das ein ID-Token nimmt, bekommt es mit --type id.",
    "The token is opaque: only the server can read it.":
      "Das Token ist undurchsichtig: Nur der Server kann es lesen.",
    "There is no program {1}.": "Es gibt kein Programm {1}.",
    "{1} cannot be run: {2}.": "{1} kann nicht ausgeführt werden: {2}.",
    "{1} responded with HTTP status {2}.": "{1} hat mit dem HTTP-Status {2} geantwortet.",
    "{1} It redirects, which is not followed{2}":
      "{1} Es ist eine Weiterleitung, der nicht gefolgt wird{2}",
    "{1} It does not accept the access token.": "{1} Das Access-Token wird nicht angenommen.",
    "idx-flow: The body is not a text: {1} bytes. Send the output to a file.":
      "idx-flow: Der Inhalt ist kein Text: {1} Bytes. Leiten Sie die Ausgabe in eine Datei.",
    "The next page at {1} is one that was read before.":
      "Die nächste Seite bei {1} wurde schon gelesen.",
    "The address of the next page cannot be read, so pages are missing.":
      "Die Adresse der nächsten Seite ist nicht lesbar, also fehlen Seiten.",
    "The next page is on another server, {1}, which does not get the token.":
      "Die nächste Seite ist auf einem anderen Server, {1}, der das Token nicht bekommt.",
    "Check the network connection.": "Prüfen Sie die Netzwerkverbindung.",
    "The server at {1} says that its issuer is {2}, which is another one.":
      "Der Server {1} sagt, dass sein Aussteller {2} ist, also ein anderer.",
    "If this is the right one, use --issuer {1}":
      "Wenn es der richtige ist, verwenden Sie --issuer {1}",
  ]

  /// What is wrong with the setup, and what to change.
  private static let setup: [Key: String] = [
    "{1} With --ca-file FILE or SSL_CERT_FILE=FILE, the authorities in FILE are trusted, and no others.":
      "{1} Mit --ca-file FILE oder SSL_CERT_FILE=FILE wird den Zertifizierungsstellen in FILE vertraut, und keinen anderen.",
    "{1}\nTo find out more, run idx-flow doctor with the same options.":
      "{1}\nMehr sagt idx-flow doctor mit denselben Optionen.",
    "{host} is the address of the Admin Console, which has no authorization server.":
      "{host} ist die Adresse der Admin Console, die keinen Autorisierungsserver hat.",
    "Use the address of the org as the issuer: {orgHost} in place of {host}.":
      "Verwenden Sie die Adresse der Organisation als Aussteller: {orgHost} statt {host}.",
    "The org may not use custom authorization servers such as {issuer}.":
      "Die Organisation darf keine eigenen Autorisierungsserver wie {issuer} verwenden.",
    "Use the authorization server of the org as the issuer: {org}. Custom servers need the feature API Access Management.":
      "Verwenden Sie den Autorisierungsserver der Organisation als Aussteller: {org}. Eigene Server brauchen die Funktion API Access Management.",
    "There is no authorization server at {issuer}.":
      "Bei {issuer} gibt es keinen Autorisierungsserver.",
    "Copy the issuer from the Admin Console, under Security > API > Authorization Servers, or use the authorization server of the org: {org}.":
      "Kopieren Sie den Aussteller aus der Admin Console unter Security > API > Authorization Servers, oder verwenden Sie den Autorisierungsserver der Organisation: {org}.",
    "Check that {host} is the address of an Okta org with Identity Engine. The issuer of a custom authorization server also has a path, such as {org}/oauth2/default.":
      "Prüfen Sie, ob {host} die Adresse einer Okta-Organisation mit Identity Engine ist. Der Aussteller eines eigenen Autorisierungsservers hat auch einen Pfad, zum Beispiel {org}/oauth2/default.",
    "The app {client} has a client secret, which is wrong or was not sent.":
      "Die App {client} hat ein Client-Secret, das falsch ist oder nicht gesendet wurde.",
    "The org {host} has no active app with the client ID {client}.":
      "Die Organisation {host} hat keine aktive App mit der Client-ID {client}.",
    "In the Admin Console, open Applications > your app > General, copy the client ID, and check that the app is active.":
      "Öffnen Sie in der Admin Console Applications > Ihre App > General, kopieren Sie die Client-ID, und prüfen Sie, ob die App aktiv ist.",
    "The server does not accept the app {client} without a client secret, or does not know it.":
      "Der Server nimmt die App {client} nicht ohne Client-Secret an, oder er kennt sie nicht.",
    "The app {client} has a client secret, which was not sent.":
      "Die App {client} hat ein Client-Secret, das nicht gesendet wurde.",
    "The redirect URI {redirect} is not registered for the app {client}.":
      "Die Redirect-URI {redirect} ist für die App {client} nicht eingetragen.",
    "In the Admin Console, open Applications > your app > General, and add exactly this address to the sign-in redirect URIs, or use one that is there.":
      "Öffnen Sie in der Admin Console Applications > Ihre App > General, und tragen Sie genau diese Adresse bei Sign-in redirect URIs ein, oder verwenden Sie eine, die dort steht.",
    "The app {client} may not use the grant type {grant}.":
      "Die App {client} darf den Grant-Typ {grant} nicht verwenden.",
    "The authorization server of the org does not know one of the scopes: {scopes}.":
      "Der Autorisierungsserver der Organisation kennt einen der Scopes nicht: {scopes}.",
    "Request standard scopes such as openid and profile, or use a custom authorization server that has the scopes, such as {org}/oauth2/default.":
      "Verlangen Sie übliche Scopes wie openid und profile, oder verwenden Sie einen eigenen Autorisierungsserver mit diesen Scopes, zum Beispiel {org}/oauth2/default.",
    "The authorization server {issuer} does not know one of the scopes: {scopes}.":
      "Der Autorisierungsserver {issuer} kennt einen der Scopes nicht: {scopes}.",
    "In the Admin Console, open Security > API > Authorization Servers > {server} > Scopes and add it, or request other scopes. For offline_access, also allow the grant type Refresh Token for the app.":
      "Öffnen Sie in der Admin Console Security > API > Authorization Servers > {server} > Scopes und fügen Sie ihn hinzu, oder verlangen Sie andere Scopes. Für offline_access erlauben Sie der App auch den Grant-Typ Refresh Token.",
    "Use the client ID of an app of the type Native: in the Admin Console, Applications > your app > General > Client authentication must be None. Also check the client ID.":
      "Verwenden Sie die Client-ID einer App vom Typ Native: In der Admin Console muss unter Applications > Ihre App > General bei Client authentication None stehen. Prüfen Sie auch die Client-ID.",
    "In the Admin Console, open Applications > your app > General > Grant type, and select {grant}.":
      "Öffnen Sie in der Admin Console Applications > Ihre App > General > Grant type, und wählen Sie {grant}.",
    "In the Admin Console, open Applications > your app > General > Grant type, and select {grant}. Interaction Code is listed if Settings > Account > Embedded widget sign-in support allows it.":
      "Öffnen Sie in der Admin Console Applications > Ihre App > General > Grant type, und wählen Sie {grant}. Interaction Code steht dort, wenn Settings > Account > Embedded widget sign-in support es erlaubt.",
    "The app {client} may not sign in, probably because it may not use the grant type {grant}.":
      "Mit der App {client} ist keine Anmeldung erlaubt, wahrscheinlich weil sie den Grant-Typ {grant} nicht verwenden darf.",
    "This user is not assigned to the app {client}.":
      "Dieser Benutzer ist der App {client} nicht zugewiesen.",
    "In the Admin Console, open Applications > your app > Assignments and assign the user or a group.":
      "Öffnen Sie in der Admin Console Applications > Ihre App > Assignments, und weisen Sie den Benutzer oder eine Gruppe zu.",
    "No policy rule allows this user to sign in to the app {client} with the scopes {scopes} and the grant type {grant}.":
      "Keine Regel erlaubt diesem Benutzer, sich bei der App {client} mit den Scopes {scopes} und dem Grant-Typ {grant} anzumelden.",
    "In the Admin Console, open Security > API > Authorization Servers > {server} > Access Policies, and add a rule for the app that allows the grant type and the scopes.":
      "Öffnen Sie in der Admin Console Security > API > Authorization Servers > {server} > Access Policies, und fügen Sie für die App eine Regel hinzu, die den Grant-Typ und die Scopes erlaubt.",
    "In the Admin Console, open Applications > your app > Sign On, and check the rules of its authentication policy.":
      "Öffnen Sie in der Admin Console Applications > Ihre App > Sign On, und prüfen Sie die Regeln ihrer Authentifizierungsrichtlinie.",
    "The certificate of {host} is not valid at this time: the clock of this computer may be wrong, or the certificate is too old.":
      "Das Zertifikat von {host} ist zu dieser Zeit nicht gültig: Die Uhr dieses Computers geht vielleicht falsch, oder das Zertifikat ist zu alt.",
    "The times in the ID token do not fit the clock of this computer, which may be wrong.":
      "Die Zeiten im ID-Token passen nicht zur Uhr dieses Computers, die vielleicht falsch geht.",
    "Set the clock of this computer, for example: timedatectl set-ntp true":
      "Stellen Sie die Uhr dieses Computers, zum Beispiel: timedatectl set-ntp true",
    "The certificate of {host} is not trusted, so nothing was sent.":
      "Dem Zertifikat von {host} wird nicht vertraut, also wurde nichts gesendet.",
    "If you are not an administrator, ask the person who gave you this value.":
      "Wenn Sie kein Administrator sind, fragen Sie die Person, die Ihnen diesen Wert gegeben hat.",
    "If you are not an administrator, send this message to one.":
      "Wenn Sie kein Administrator sind, senden Sie diese Meldung an einen.",
    "If your organization has a certificate authority of its own, trust the file with its certificate. Otherwise somebody may be reading the connection: use another network.":
      "Wenn Ihre Organisation eine eigene Zertifizierungsstelle hat, vertrauen Sie der Datei mit deren Zertifikat. Sonst liest vielleicht jemand die Verbindung mit: Verwenden Sie ein anderes Netz.",
    "The server at {org} does not use https, so nothing was sent.":
      "Der Server bei {org} verwendet kein https, also wurde nichts gesendet.",
    "Check the host and the port of the address. Without a port, it is port 443.":
      "Prüfen Sie den Rechner und den Port der Adresse. Ohne Port ist es der Port 443.",
    "The proxy does not connect to {host} without a valid username and password.":
      "Der Proxy verbindet nicht mit {host} ohne gültigen Benutzernamen und gültiges Passwort.",
    "Put them into https_proxy, as in http://user:password@proxy.example:3128.":
      "Schreiben Sie beides in https_proxy, wie in http://user:password@proxy.example:3128.",
    "The proxy refuses to connect to {host}.": "Der Proxy lehnt es ab, mit {host} zu verbinden.",
    "Ask who runs the proxy to allow {host}, or add it to no_proxy.":
      "Bitten Sie den Betreiber des Proxys, {host} zu erlauben, oder fügen Sie es zu no_proxy hinzu.",
    "There is no connection to {host} through the proxy.":
      "Über den Proxy gibt es keine Verbindung zu {host}.",
    "Check the address of the proxy in https_proxy, or add {host} to no_proxy.":
      "Prüfen Sie die Adresse des Proxys in https_proxy, oder fügen Sie {host} zu no_proxy hinzu.",
    "There is no host with the name {host}, or names cannot be looked up.":
      "Es gibt keinen Rechner mit dem Namen {host}, oder Namen können nicht nachgeschlagen werden.",
    "Check the name, the network connection and, if the host is on a private network, the VPN.":
      "Prüfen Sie den Namen, die Netzwerkverbindung und, falls der Rechner in einem privaten Netz ist, das VPN.",
    "“{1}” is not a URI such as com.example.app:/callback.":
      "„{1}“ ist keine URI wie com.example.app:/callback.",
    "“{1}” cannot be an issuer. It is an address with https, such as https://dev-1234.okta.com.":
      "„{1}“ kann kein Aussteller sein. Er ist eine Adresse mit https, wie https://dev-1234.okta.com.",
    "Remembered in the profile “{1}”: {2}": "Gemerkt im Profil „{1}“: {2}",
    "There is no profile “{1}”.{2}": "Es gibt kein Profil „{1}“.{2}",
    "With yes, a file is written here, which you can read before you give it to anybody.":
      "Mit Ja wird hier eine Datei geschrieben, die Sie lesen können, bevor Sie sie jemandem geben.",
    "A profile decides where passwords are sent. With no, none of these is saved.":
      "Ein Profil bestimmt, wohin Passwörter gesendet werden. Mit Nein wird keines davon gespeichert.",
    "Not saved: {1}": "Nicht gespeichert: {1}",
    "A profile decides where passwords are sent. With no, it stays as it is.":
      "Ein Profil bestimmt, wohin Passwörter gesendet werden. Mit Nein bleibt es, wie es ist.",
    "{1} The server has already replaced the old tokens, so sign in again: {2}. {3}":
      "{1} Der Server hat die alten Tokens schon ersetzt, melden Sie sich also erneut an: {2}. {3}",
  ]
}
