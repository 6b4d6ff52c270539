/// The words that a recording may contain as they were received: those of the protocol, and common words of
/// messages and labels.
///
/// A word is here only if it says nothing about a person, an org or a sign-in. A server's text with other
/// words is still understood, because its key (`i18n.key`) consists of words of the protocol.
enum HarmlessWords {
  /// Whether a run of letters and digits consists only of such words, in camel case or not.
  ///
  /// `stateHandle`, `v1`, `SHA256` and `E0000004` are harmless; `Ada`, `A12E34` and `1815` are not. A number
  /// with one or two digits is harmless alone.
  static func contains(_ run: Substring) -> Bool {
    guard run.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
    if names.contains(run.lowercased()) || isErrorCode(run) { return true }
    let parts = parts(of: run)
    let numbers = parts.filter { $0.first?.isNumber == true }
    guard numbers.allSatisfy({ $0.count <= 2 }) else { return false }
    // A code is made of letters and digits too; a version is a word and a number.
    guard numbers.isEmpty || parts.count == 1 || parts.count == 2 && parts[1] == numbers[0] else {
      return false
    }
    return parts.allSatisfy { $0.first?.isNumber == true || words.contains($0.lowercased()) }
  }

  /// Whether this is an error code of Okta: `E0000004`.
  private static func isErrorCode(_ run: Substring) -> Bool {
    run.count == 8 && run.hasPrefix("E0000") && run.dropFirst().allSatisfy(\.isNumber)
  }

  /// Splits `authTime` into `auth` and `Time`, `SHA256` into `SHA` and `256`.
  static func parts(of run: Substring) -> [Substring] {
    var parts: [Substring] = []
    var start = run.startIndex
    var index = start
    while index < run.endIndex {
      let next = run.index(after: index)
      let isEnd =
        next == run.endIndex || run[index].isNumber != run[next].isNumber
        || run[index].isLowercase && run[next].isUppercase
        || run[index].isUppercase && run[next].isUppercase && isLower(run, after: next)
      if isEnd {
        parts.append(run[start..<next])
        start = next
      }
      index = next
    }
    return parts
  }

  private static func isLower(_ run: Substring, after index: Substring.Index) -> Bool {
    let next = run.index(after: index)
    return next < run.endIndex && run[next].isLowercase
  }

  /// Names with numbers of more than two digits, or that no rule splits.
  private static let names: Set<String> = [
    "sha256", "s256", "rs256", "es256", "sha512", "hmacsha1", "webauthn", "fido2", "oauth2",
    "authn", "x5c", "i18n", "oktaverify", "yubikey", "u2f", "u2fparams", "pkcs1v15", "es384",
    "rs384", "rs512", "hs256", "webauthnautofilluichallenge",
  ]

  private static let words = Set(
    """
    a about accept accepted accepting accepts access account accounts acr action actions
    activate activated activation active add address admin administrator after again age alg
    algorithm algorithms all allow allowed allowlist alphanumeric already alternate alternates
    alternative although amr an and another answer answered answers any api app appid apple
    application apps are array arrived as ask asks assertion assigned assurance at attempts
    attestation attribs attribute attributes aud audience auth authenticate authentication
    authenticator authenticators authfactor authn authority authorization authorize auto
    autofill available az azp back backchannel base basic be bearer because been before belongs
    bind binding blocked body boolean both browser browserless but button by call callback came
    can cancel canceled cancelled cannot captcha case cause causes certificate challenge
    challenged challenges change changed channel character characters charset check choose
    chooses choosing claim claims class classic client clients clock code codes com complete
    completed complexity configuration confirm connect consent consistency contact contain
    contains content context contextual continue continues cookie correct could count country
    create created cred credential credentials credprops creds cross current custom damaged data
    date days decline default delete denied desc describe description desktop detail details
    device devices did didn different digit digits direct directory disabled display displayed
    do does doesn domain don done draft duo e each earlier ec eight either else elsewhere email
    embedded enable enabled encoded encoding end endpoint endpoints enforce enforced engine
    enroll enrolled enrollment enrollments enter entry eq error errors exact exchange exclude
    excluded existing exp expiration expire expired expires expiring expiry extension extensions
    external fa facebook factor factorenrollment factors failed failure false family fast
    fastpass federation fido field fields finger fingerprint first flow footer for forgot form
    format formats formatted found from fwd get given go google grace grant granted grants
    granular group handle handler handles has hash have head header headers help here hidden
    hint hints history hmac home host hour hours how href html http https i iat id identifier
    identifiers identify identity idle idp idps idverify idx if image in incorrect info
    information initiate input instead integer integration intent interact interaction interval
    introspect introspection invalid ion ios is isn iss issue issued issuer it item items its
    jpeg json jti jwk jwks jwt keep key keys kid kind know kty label language last later launch
    least length let letter letters level levels lifecycle like limit link linked linkedin links
    linux list lists ll load locale localhost location lock locked log login logo logout long
    longer looks lower lowercase macos magic mail main manage managed match max maximum may me
    mediation message messages method methods mfa microsoft millis min minimum minute minutes
    missing mobile mode more mtls multi multipart must mutable my n name nbf need needs network
    never new next nfc nickname no nobody nonce none not nothing notification now number numbers
    numeric oauth oauthtoken object octet of off offer offers offline oidc ok okta old on once
    one only oob openid opens operating operation operator opted option optional options or
    order org organization origin other otp otpauth our out own page parameter params parse
    party pass passcode passcodes passed passkey passkeys password passwords path paused pending
    per period permission person phone phones pick picture pin pkce plain platform please png
    policies policy poll polling ports post preferences preferred prev previous primary probe
    problem proceed produces profile program program's progressive promotion prompt proof
    property protected protocol provide provider provisioning pub public purpose push put pwd qr
    qrcode question questions quit radio rate re reach read reads reason received recently
    recorded recover recovering recovery redirect reenroll refresh refused register registered
    registration reject rejected rel relates relation remediation remediations remember
    remembered remove replay request requested requests require required requirements requires
    resend reset resident residentkey resource response responses restart result resume retries
    retry return returned returns reuse reused revoke right rp rsa rule rules s safe said same
    saml saved scan scope scopes scp screen script search second seconds secret secrets section
    secure security select selected selection self send sends sent server session sessions set
    setting settings setup severity sha shared show shown sid sig sign signature signed signin
    signing signup single site skip sms social software some somebody something soon sorry sso
    stage standard start started state status step still stream strength string strong style sub
    subject submit subtitle success successful summary sup support supported symbol symbols
    system t take tel temporarily temporary terminal text than that the their them then there
    these they this through tied time timeout times title to today together token tokens too
    totp touch tracking transaction transactions transferred transport transports true trust
    trusted try two txt typ type typed types u ui unable unavailable under understood unexpected
    unique unknown unlock unlocked unsupported until up update updated upgrade upper uppercase
    uri url urlencoded urls urn usable usb use used user userinfo username users uses using utf
    uv v valid value values variable ve vendor ver verification verified verifier verify version
    via view visible voice wait waiting want warn warning was way we web webauthn website well
    were what when where which while who whose will window with within without words world wrong
    www x xhtml xml xsrf yes you your yubico yubikey zone zoneinfo
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
