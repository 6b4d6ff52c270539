import IDXFlow

extension Words {
  /// Why AWS gives no keys, in German.
  ///
  /// Terms of AWS stay as its console has them.
  static let aws: [Key: String] = [
    "idx-flow: The keys are not kept. {1}": "idx-flow: Die Schlüssel werden nicht aufbewahrt. {1}",
    "Anyone who has these keys can act as {1}.": "Wer diese Schlüssel hat, kann als {1} handeln.",
    "The sign-in was without the scope openid, so there is no ID token for AWS.":
      "Die Anmeldung war ohne den Scope openid, also gibt es kein ID-Token für AWS.",
    "Sign in with it: {1}": "Melden Sie sich damit an: {1}",
    "The ID token has expired, and the server sends no new one.":
      "Das ID-Token ist abgelaufen, und der Server sendet kein neues.",
    "For AWS, the ID token has expired.": "Für AWS ist das ID-Token abgelaufen.",
    "Run idx-flow refresh. If that does not help: {1}":
      "Führen Sie idx-flow refresh aus. Wenn das nicht hilft: {1}",
    ", and if it has a condition for {1}:sub, that must accept {2}":
      ", und wenn es eine Bedingung für {1}:sub gibt, muss sie {2} annehmen",
    "The role {1} does not exist, or its trust policy does not accept this sign-in.":
      "Die Rolle {1} gibt es nicht, oder ihre Trust Policy nimmt diese Anmeldung nicht an.",
    "In the trust policy of the role, the principal must be Federated {1}, the action sts:AssumeRoleWithWebIdentity, the condition for {2}:aud must accept {3}{4}.":
      "In der Trust Policy der Rolle muss der Principal Federated {1} sein und die Aktion sts:AssumeRoleWithWebIdentity, die Bedingung für {2}:aud muss {3} annehmen{4}.",
    "AWS asked {1}, which does not accept the ID token any more.":
      "AWS hat {1} gefragt, das das ID-Token nicht mehr annimmt.",
    "Sign in again: {1}": "Melden Sie sich erneut an: {1}",
    " AWS says: {1}": " AWS sagt: {1}",
    "AWS could not reach {1} to check the ID token.":
      "AWS konnte {1} nicht erreichen, um das ID-Token zu prüfen.",
    "Try again. AWS must reach the issuer from the internet.":
      "Versuchen Sie es erneut. AWS muss den Aussteller aus dem Internet erreichen.",
    "The account {1} does not use AWS STS in the region of {2}.":
      "Das Konto {1} verwendet AWS STS nicht in der Region von {2}.",
    "Use another one with --region, or activate it in the account settings of IAM.":
      "Wählen Sie mit --region eine andere, oder schalten Sie sie in den Kontoeinstellungen von IAM ein.",
    "AWS gets too many requests.": "AWS bekommt zu viele Anfragen.",
    "Try again in a minute.": "Versuchen Sie es in einer Minute erneut.",
    "AWS cannot use the policies or the tags of the session.":
      "AWS kann die Policies oder die Tags der Sitzung nicht verwenden.",
    "Ask the administrator of the app which tags of the session it sends to AWS.":
      "Fragen Sie den Administrator der App, welche Tags der Sitzung sie an AWS sendet.",
    "The account {1} of AWS has no identity provider for {2}.":
      "Das Konto {1} von AWS hat keinen Identity Provider für {2}.",
    "In this account, an administrator runs\naws iam create-open-id-connect-provider --url {1} --client-id-list {2}":
      "In diesem Konto führt ein Administrator aus:\naws iam create-open-id-connect-provider --url {1} --client-id-list {2}",
    "The identity provider {1} does not have the audience {2}.":
      "Der Identity Provider {1} hat die Audience {2} nicht.",
    "In this account, an administrator runs\naws iam add-client-id-to-open-id-connect-provider --client-id {1} --open-id-connect-provider-arn {2}":
      "In diesem Konto führt ein Administrator aus:\naws iam add-client-id-to-open-id-connect-provider --client-id {1} --open-id-connect-provider-arn {2}",
    "AWS cannot get the keys of {1}, with which it checks the ID token.":
      "AWS bekommt die Schlüssel von {1} nicht, mit denen es das ID-Token prüft.",
    "AWS must reach the issuer from the internet, with a certificate that it trusts. The identity provider in IAM must have the issuer exactly as it is here.":
      "AWS muss den Aussteller aus dem Internet erreichen, mit einem Zertifikat, dem es vertraut. Der Identity Provider in IAM muss den Aussteller genau so haben wie hier.",
    "AWS does not accept the ID token of {1}.": "AWS nimmt das ID-Token von {1} nicht an.",
    "Check that the identity provider in IAM is for exactly this issuer, with the audience {1}. If the keys of the issuer were changed just now, try again later.":
      "Prüfen Sie, ob der Identity Provider in IAM für genau diesen Aussteller ist, mit der Audience {1}. Wenn die Schlüssel des Ausstellers eben erst geändert wurden, versuchen Sie es später erneut.",
    "--duration is longer than the maximum session duration of the role {1}.":
      "--duration ist länger als die längste Sitzung der Rolle {1}.",
    "Use a shorter one, or raise the maximum in the settings of the role.":
      "Wählen Sie eine kürzere, oder erhöhen Sie das Maximum in den Einstellungen der Rolle.",
    "AWS does not accept a value of the request.": "AWS nimmt einen Wert der Anfrage nicht an.",
    "Check --role-arn, --session-name and --duration.":
      "Prüfen Sie --role-arn, --session-name und --duration.",
    "{1} responded with HTTP status {2}, and not as AWS STS does.":
      "{1} hat mit dem HTTP-Status {2} geantwortet, und nicht so wie AWS STS.",
    "Check --region, --endpoint, the proxy and the variables of AWS.":
      "Prüfen Sie --region, --endpoint, den Proxy und die Variablen von AWS.",
    "AWS failed for a moment.": "AWS hatte kurz einen Fehler.",
    "Try again.": "Versuchen Sie es erneut.",
    "AWS refused to give keys.": "AWS hat keine Schlüssel gegeben.",
    "AWS cannot be asked: {1}": "AWS kann nicht gefragt werden: {1}",
    "Check the network connection and the proxy. {1}":
      "Prüfen Sie die Netzwerkverbindung und den Proxy. {1}",
    "The response of {1} does not contain keys as AWS sends them.":
      "Die Antwort von {1} enthält keine Schlüssel, wie AWS sie sendet.",
    "AWS gave keys that have expired already, so the clock of this computer is wrong.":
      "AWS hat Schlüssel gegeben, die schon abgelaufen sind, also geht die Uhr dieses Computers falsch.",
    "Check --region, --endpoint and the variables of AWS.":
      "Prüfen Sie --region, --endpoint und die Variablen von AWS.",
    "The SAML response has {1} characters, and AWS accepts at most {2}.":
      "Die SAML-Antwort hat {1} Zeichen, und AWS nimmt höchstens {2} an.",
    "Ask the administrator of the app for fewer roles.":
      "Bitten Sie den Administrator der App um weniger Rollen.",
    "The account {1} of AWS has no provider {2}.": "Das Konto {1} von AWS hat keinen Provider {2}.",
    "In this account, an administrator creates it in IAM with the metadata of the app in Okta, or the administrator of Okta corrects its ARN in the settings of the app.":
      "In diesem Konto legt ein Administrator ihn in IAM mit den Metadaten der App in Okta an, oder der Administrator von Okta korrigiert seinen ARN in den Einstellungen der App.",
    "AWS does not accept the SAML response of {1}.": "AWS nimmt die SAML-Antwort von {1} nicht an.",
    "Compare the metadata of the app in Okta with that of the provider {1} in IAM: the issuer and the certificate must be the same.":
      "Vergleichen Sie die Metadaten der App in Okta mit denen des Providers {1} in IAM: Aussteller und Zertifikat müssen dieselben sein.",
    "For AWS, the SAML response has expired: it is valid for five minutes.":
      "Für AWS ist die SAML-Antwort abgelaufen: sie gilt fünf Minuten.",
    "Sign in again. If that does not help: {1}":
      "Melden Sie sich erneut an. Wenn das nicht hilft: {1}",
    "In the trust policy of the role, the principal must be Federated {1}, the action sts:AssumeRoleWithSAML, and the condition for SAML:aud must accept the address of AWS that the app sends responses to.":
      "In der Trust Policy der Rolle muss der Principal Federated {1} sein und die Aktion sts:AssumeRoleWithSAML, und die Bedingung für SAML:aud muss die Adresse von AWS annehmen, an die die App Antworten sendet.",
    "The provider {1} refused the sign-in.": "Der Provider {1} hat die Anmeldung abgelehnt.",
    "The SAML response is encrypted, so the roles in it cannot be read here.":
      "Die SAML-Antwort ist verschlüsselt, also können die Rollen darin hier nicht gelesen werden.",
    "Ask the administrator of the app not to encrypt assertions for AWS.":
      "Bitten Sie den Administrator der App, Assertions für AWS nicht zu verschlüsseln.",
    "The SAML response names no role of AWS.": "Die SAML-Antwort nennt keine Rolle von AWS.",
    "Check that the address is that of an app for AWS, and ask its administrator for a role.":
      "Prüfen Sie, ob die Adresse die einer App für AWS ist, und bitten Sie ihren Administrator um eine Rolle.",
    "The org does not let you use the role {1}. These are yours:{2}":
      "Die Organisation lässt Sie die Rolle {1} nicht verwenden. Das sind Ihre Rollen:{2}",
    "The keys of AWS that were kept for SAML are deleted.":
      "Die Schlüssel von AWS, die für SAML aufbewahrt wurden, sind gelöscht.",
    "You can use several roles. Name one with --role-arn ARN:{1}":
      "Sie können mehrere Rollen verwenden. Nennen Sie eine mit --role-arn ARN:{1}",
    "Which role of AWS?": "Welche Rolle von AWS?",
    "There are neither kept keys that are valid nor a session that the org accepts, and nobody can be asked to sign in.":
      "Es sind weder gültige Schlüssel aufbewahrt noch eine Sitzung, die die Organisation akzeptiert, und niemand kann sich jetzt anmelden.",
    "At a terminal, run idx-flow aws with the same options, or answer with --script FILE.":
      "Führen Sie idx-flow aws mit denselben Optionen an einem Terminal aus, oder antworten Sie mit --script FILE.",
    "The console of AWS in the partition {1} is not known here.":
      "Die Konsole von AWS in der Partition {1} ist hier nicht bekannt.",
    "The console of AWS cannot be asked: {1}": "Die Konsole von AWS kann nicht gefragt werden: {1}",
    "Check the network connection and the proxy.":
      "Prüfen Sie die Netzwerkverbindung und den Proxy.",
    "AWS gave no access to its console: HTTP status {1} from {2}.":
      "AWS hat keinen Zugang zu seiner Konsole gegeben: HTTP-Status {1} von {2}.",
    "Get new keys, and try again.":
      "Holen Sie neue Schlüssel, und versuchen Sie es erneut.",
    "The address of the console cannot be written.":
      "Die Adresse der Konsole lässt sich nicht schreiben.",
    "{1} must be the address of an app, such as https://dev-1234.okta.com/app/NAME/ID/sso/saml, not “{2}”.":
      "{1} muss die Adresse einer App sein, zum Beispiel https://dev-1234.okta.com/app/NAME/ID/sso/saml, nicht {2}.",
    "In the dashboard of Okta, copy the link of the app. The Admin Console has it under Applications > the app > General > App Embed Link.":
      "Kopieren Sie im Dashboard von Okta den Link der App. In der Admin Console steht er unter Applications > Ihre App > General > App Embed Link.",
    "The address of {1}, at {2}, is not https.": "Die Adresse von {1} bei {2} ist nicht https.",
    "A SAML response is not printed at a terminal. Use a pipe, --output FILE or --format FORMAT.":
      "Eine SAML-Antwort wird nicht an einem Terminal ausgegeben. Verwenden Sie eine Pipe, --output FILE oder --format FORMAT.",
    "Anyone who has this response can sign in to the app as you.":
      "Wer diese Antwort hat, kann sich als Sie bei der App anmelden.",
    "The sign-in ended without a SAML response.":
      "Die Anmeldung endete ohne SAML-Antwort.",
    "The profile “{1}” is for another org, so the app is not remembered there.":
      "Das Profil „{1}“ ist für eine andere Organisation, also wird die App dort nicht gemerkt.",
    "The profile “{1}” keeps its app. To remember this one, use another name with --profile.":
      "Das Profil „{1}“ behält seine App. Um diese zu merken, wählen Sie einen anderen Namen mit --profile.",
    "The profile “{1}” keeps its role. To change it: {2}":
      "Das Profil „{1}“ behält seine Rolle. Um sie zu ändern: {2}",
    "{1} must be an address that is https, not {2}.":
      "{1} muss eine Adresse mit https sein, nicht {2}.",
    "No browser could be opened.": "Es ließ sich kein Browser öffnen.",
    "Run the command without --open, and open the address yourself.":
      "Führen Sie den Befehl ohne --open aus, und öffnen Sie die Adresse selbst.",
    "The console of AWS is open in the browser.": "Die Konsole von AWS ist im Browser offen.",
    "Anyone who has this address can act as {1}.": "Wer diese Adresse hat, kann als {1} handeln.",
  ]
}
