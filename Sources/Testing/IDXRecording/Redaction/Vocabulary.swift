import IDX
import IDXBase

/// The words of the protocol, which a recording keeps at the places for words.
///
/// A word is kept only as a whole, with the same case. Another word at such a place is a new name, or is replaced.
enum Vocabulary {
  /// Whether the protocol has this word, as a whole or between its dots: `login`, `userProfile.email`.
  ///
  /// Spaces and semicolons can separate words, as in a media type with its parameters.
  static func contains(_ text: String) -> Bool {
    // A word can be equal to another one although only one of them is ASCII, such as K and the sign for Kelvin.
    guard text.isASCII else { return false }
    let parts = text.split { $0 == " " || $0 == ";" }
    return !parts.isEmpty && parts.allSatisfy { isWord(String($0)) }
  }

  /// Whether this is one word of the list.
  static func isListed(_ text: String) -> Bool { text.isASCII && words.contains(text) }

  private static func isWord(_ word: String) -> Bool {
    if words.contains(word) || isErrorCode(word) { return true }
    let parts = word.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    return parts.count > 1
      && parts.allSatisfy { words.contains($0) || partsOfKeys.contains($0) || isErrorCode($0) }
  }

  /// Whether this is a text that Okta shows in every org.
  static func isText(_ text: String) -> Bool { text.isASCII && texts.contains(text) }

  /// Whether this is an error code of Okta: `E0000004`.
  static func isErrorCode(_ word: String) -> Bool {
    word.utf8.count == 8 && word.hasPrefix("E0000")
      && word.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// All words: the names that have a place, except for single letters, those that ``IDX`` knows, and ``list``.
  static let words: Set<String> = [
    Remediation.Name.known.map(\.rawValue), IDXAuthenticator.Key.known.map(\.rawValue),
    IDXAuthenticator.Method.known.map(\.rawValue), IDXMessage.Key.known.map(\.rawValue),
  ].reduce(Shape.allNames.filter { $0.count > 1 }.union(list.words)) { $0.union($1) }

  /// What stands between the dots of the keys of messages.
  static let partsOfKeys: Set<String> = Set(keys.words).union(
    IDXMessage.Key.known.flatMap { $0.rawValue.split(separator: ".").map(String.init) })

  /// Texts of Okta's forms that every org has.
  static let texts: Set<String> = [
    "Username", "Password", "Email", "Phone", "Identifier", "Answer", "Enter code",
    "Enter password", "Remember this device", "Remember me", "Keep me signed in",
    "Security Question", "Google Authenticator", "Okta Verify", "Security Key or Biometric",
    "Passkey", "Duo Security", "Smart Card", "YubiKey", "Symantec VIP", "RSA SecurID", "First name",
    "Last name",
    "Primary email", "Secondary email", "Phone number", "Extension", "SMS", "Voice call",
    "Get a push notification", "Enter a code", "Use Okta FastPass", "New password",
    "Re-enter password", "Old password", "Current password", "Next", "Verify", "Sign in", "Sign up",
    "Choose a security question", "Create my own security question", "Create a security question",
    "Authentication failed", "Password is incorrect", "Invalid code. Try again.",
    "Your session has expired. Please try to sign in again.", "Your session has expired.",
    "Sign in with Google", "Sign in with Facebook", "Sign in with Apple", "Sign in with Microsoft",
    "Sign in with LinkedIn", "API call exceeded rate limit due to too many requests.",
  ]

  /// Identity Engine, the fields of forms, the classic API, OAuth, passkeys, header fields, paths.
  private static let list = """
    ERROR INFO WARNING select-platform string boolean object array number integer custom_push okta_verify_fastpass call
    okta_verify_push okta_verify_totp smart_card_idp federated phone proximity security_key ID_PROOFING cert dial nfc 1
    signed_nonce NOTICE SUCCESS create-form privacy-policy terms-of-service DELETE GET POST PUT embedded AUTHENTICATION
    CONSENT CREDENTIAL_ENROLLMENT CREDENTIAL_MODIFY CREDENTIAL_RECOVERY ENROLLMENT ENROLL_NEW_USER LOGIN RECOVERY APPLE
    UNLOCK_ACCOUNT recovery APPLE_SSO_EXTENSION APP_LINK CHROME_DTC CUSTOM_URI LOOPBACK UNIVERSAL_LINK MESSAGE ALTCHA
    altcha AMAZON DISCORD FACEBOOK GITHUB GITLAB GOOGLE HCAPTCHA hCaptcha reCaptcha IDV_PERSONA LINKEDIN MICROSOFT OIDC
    OKTA PAYPAL RECAPTCHA_V2 SAML2 SPOTIFY X509 XERO YAHOO custom any sso none IFRAME BY_DATE_TIME BY_SKIP_COUNT radio
    checkbox select text country-code HIGH ANY WINDOWS IOS ANDROID MACOS OSX LINUX CHROMEOS ios android macos windows
    linux OAUTH2.0 SAML2.0 URL DEVELOPMENT ENROLL IDENTIFY pwd mfa tel kba hwk swk fpt pin geo image/png alphanumeric
    numeric new-password current-password one-time-code given-name family-name lowerCase upperCase symbol 1.0.0 1.0

    aliases answer appName autoChallenge autoPush captchaId captchaToken captchaVerify clientData clientExtensions
    countryCode department division employeeNumber fingerprint hCaptchaToken honorificPrefix honorificSuffix
    keepMeSignedIn manager managerId middleName mobilePhone newPassword nextPasscode oldPassword offline_access openid
    passCode passcode postalAddress postalCode preferredLanguage primaryPhone profileUrl reason rememberDevice
    rememberMe revokeSessions secondEmail signatureData statusCode streetAddress timezone useLocation userCode
    userHandle userType verificationCode warnBeforePasswordExpired multiOptionalFactorEnroll zipCode

    ACTIVE CANCELLED CHALLENGE ENROLLED EXPIRED FAILED INACTIVE LOCKED_OUT MFA_CHALLENGE MFA_ENROLL MFA_ENROLL_ACTIVATE
    MFA_REQUIRED NOT_SETUP OPTIONAL PASSCODE_REPLAYED PASSWORD_EXPIRED PASSWORD_RESET PASSWORD_WARN PENDING_ACTIVATION
    RECOVERY_CHALLENGE REJECTED REQUIRED TIMEOUT TIME_WINDOW_EXCEEDED UNAUTHENTICATED UNKNOWN WAITING claims_provider
    hotp token:hardware token:hotp token:software:totp u2f web SMS CALL EMAIL PASSWORD UNLOCK CUSTOM DUO FIDO
    GENERIC_OIDC GENERIC_SAML RSA SYMANTEC YUBICO authenticate changePassword nextStep resetPassword unlock

    device_sso interclient_access online_access authorization_code implicit client_credentials oob transfer invalid_otp
    urn:ietf:params:oauth:grant-type:device_code urn:openid:params:grant-type:ciba urn:okta:params:oauth:grant-type:otp
    urn:openid:params:grant-type:interaction_code urn:ietf:params:oauth:grant-type:token-exchange access_denied Bearer
    urn:ietf:params:oauth:grant-type:jwt-bearer urn:ietf:params:oauth:grant-type:saml2-bearer authorization_pending EC
    urn:okta:params:oauth:grant-type:oob http://auth0.com/oauth/grant-type/mfa-otp consent_required expired_token DPoP
    http://auth0.com/oauth/grant-type/mfa-oob urn:okta:params:oauth:grant-type:webauthn invalid_client invalid_grant
    urn:okta:params:oauth:grant-type:mfa-webauthn urn:okta:params:oauth:grant-type:interaction_code invalid_dpop_proof
    invalid_request invalid_scope invalid_token interaction_required login_required mfa_required server_error slow_down
    temporarily_unavailable unauthorized_client unsupported_grant_type unsupported_response_type use_dpop_nonce bearer
    direct_auth_authorization_pending insufficient_authentication_context Forbidden dpop RS256 RS384 RS512 PS256 PS384
    PS512 ES256 ES384 ES512 EdDSA HS256 HS384 HS512 HmacSHA1 HmacSHA256 HmacSHA512 base32 SHA1 SHA256 SHA512 OKP P-256
    P-384 P-521 AQAB sig enc JWT dpop+jwt S256 plain application/okta-internal-at+jwt at+jwt query fragment form_post
    okta_post_message public pairwise select_account create ping page popup client_secret_basic client_secret_post true
    client_secret_jwt private_key_jwt false Basic SSWS

    public-key preferred discouraged direct indirect enterprise cross-platform usb ble internal hybrid smart-card
    client-device security-key -7 -8 -35 -36 -37 -38 -39 -257 -258 -259 -65535

    */* application/ion+json application/json application/jwt application/octet-stream application/problem+json
    application/vnd.okta.v1+json application/x-www-form-urlencoded image/jpeg text/html text/plain charset=UTF-8
    charset=utf-8 okta-version=1 okta-version=1.0.0 DT JSESSIONID activate_ca_modal_triggered idx ln oktaStateToken t
    xids Secure HttpOnly Partitioned Lax Strict None

    oauth2 default .well-known openid-configuration oauth-authorization-server v1 authorize callback bc clients device
    interact introspect logout oob-authenticate par primary-authenticate revoke userinfo okta-organization launch
    okta-verify enrollresidentkey passkeys sso_extension transactions webauthn-autofillui credential new update
    request-activation identity-verification redirect sessionCookieRedirect idps saml2 UserHome error.html api authn
    previous change_password reset_password lifecycle qr users sessions me
    """

  private static let keys = """
    message pin_incorrect push_timeout field_required invalid_phone auth POST_PASSWORD_UPDATE_AUTH_FAILURE ldap reset
    failed question_factor answer_invalid suspended_factor assertion_validation_failure core factor signedNonce system
    invalidDevice transaction_resource_not_found restricted activating inactive activated not device_assurance warning
    grace_period due_by_date verification enter in tab remediation lock_screen upgrade_os explanation_multiple_rules to
    explanation_one_rule additional_help_default additional_help_custom no_matching_policy user_not_assigned server by
    safe mode enrollment unavailable assigned activation identity invalid forgot missing operation cancelled on other
    expiring completed request return link otponly transferred unknown method verification_failed selfservice allowed
    unlock_user landing success sent passwordRequirementsNotMet registration doesNotMatchPattern invalidLoginEmail arg
    notUniqueWithinOrg security securityQuestion tooShort option_index stale enable biometrics oktaverify fastpass zero
    non_fips_compliant_enrollment_app_update_required non_fips_compliant_enrollment_device_incompatible mobile common
    generic access_denied_custom_message autopush rejected use_lock_screen use_biometric_lock_screen upgrade_os_version
    device_disk_encrypted trust android_device_policy_app_required android_device_policy_app_required_manual_install
    verification_timeout fail desktop force upgrade number_challenge
    """
}

extension String {
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }

  /// What stands between spaces and ends of lines.
  var words: [String] { split(whereSeparator: \.isWhitespace).map(String.init) }
}
