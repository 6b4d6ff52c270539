import IDX
import IDXBase

/// The words that a value at a place of the protocol may have.
///
/// A word is kept only as a whole, with the same case. Another word at such a place is replaced.
enum Vocabulary: CaseIterable {
  case step, field, fieldType, jsonType, authenticator, authenticatorType, method, channel
  case messageKey, messageClass, relation, httpMethod, mediaType, intent, challengeMethod
  case status, factorType, factorProvider, linkName, identityProvider, questionKey, scope
  case grantType, challengeType, oauthError, tokenType, algorithm, oauthValue, webAuthn, setting
  case version, text, cookie, cookieAttribute, authenticationScheme, keyAlgorithm

  /// Whether another word can be the name of something new in the protocol, which a person may keep.
  ///
  /// The others name what a person chose, or are texts.
  var isOpen: Bool {
    switch self {
    case .questionKey, .version, .text, .scope, .mediaType, .authenticationScheme, .keyAlgorithm:
      false
    default: true
    }
  }

  /// Whether the vocabulary has this word.
  func contains(_ word: String) -> Bool {
    // A word can be equal to another one although only one of them is ASCII, such as K and the sign for Kelvin.
    guard word.isASCII else { return false }
    return switch self {
    case .field:
      // A name in a path, such as `userProfile.email`.
      word.split(separator: ".", omittingEmptySubsequences: false).allSatisfy {
        words.contains(String($0))
      }
    case .messageKey: words.contains(word) || Self.isErrorCode(word)
    default: words.contains(word)
    }
  }

  /// Whether this is an error code of Okta: `E0000004` or `errors.E0000004`.
  static func isErrorCode(_ word: String) -> Bool {
    let code = word.hasPrefix("errors.") ? word.dropFirst(7) : word[...]
    return code.utf8.count == 8 && code.hasPrefix("E0000")
      && code.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
  }

  /// All words.
  var words: Set<String> { Self.words[self] ?? [] }

  private static let words: [Vocabulary: Set<String>] = {
    var words = lists.mapValues { Set($0.split(whereSeparator: \.isWhitespace).map(String.init)) }
    words[.mediaType] = mediaTypes
    words[.text] = texts
    func add(_ known: Set<some OpenSet>, to vocabulary: Vocabulary) {
      words[vocabulary, default: []].formUnion(known.map(\.rawValue))
    }
    add(Remediation.Name.known, to: .step)
    add(IDXAuthenticator.Key.known, to: .authenticator)
    add(IDXAuthenticator.Method.known, to: .method)
    add(IDXMessage.Key.known, to: .messageKey)
    return words
  }()

  private static let mediaTypes: Set<String> = [
    "*/*", "application/json", "application/ion+json", "application/x-www-form-urlencoded",
    "application/ion+json; okta-version=1.0.0", "application/json; okta-version=1.0.0",
    "application/json;charset=UTF-8", "application/json; charset=UTF-8",
    "application/json; charset=utf-8", "application/json;charset=utf-8",
    "application/ion+json;okta-version=1.0.0", "application/ion+json;okta-version=1",
    "application/vnd.okta.v1+json", "application/problem+json", "application/jwt", "image/png",
    "image/jpeg", "text/html", "text/html;charset=utf-8", "text/html; charset=utf-8",
    "text/html;charset=UTF-8", "text/html; charset=UTF-8", "text/plain",
    "text/plain;charset=utf-8", "text/plain; charset=utf-8", "application/octet-stream",
  ]

  /// Texts of Okta's forms that every org has.
  private static let texts: Set<String> = [
    "Username", "Password", "Email", "Phone", "Identifier", "Answer", "Enter code",
    "Enter password",
    "Remember this device", "Remember me", "Keep me signed in", "Security Question",
    "Google Authenticator", "Okta Verify", "Security Key or Biometric", "Passkey", "Duo Security",
    "Smart Card", "YubiKey", "Symantec VIP", "RSA SecurID", "First name", "Last name",
    "Primary email", "Secondary email", "Phone number", "Extension", "SMS", "Voice call",
    "Get a push notification", "Enter a code", "Use Okta FastPass", "New password",
    "Re-enter password", "Old password", "Current password", "Next", "Verify", "Sign in", "Sign up",
    "Choose a security question", "Create my own security question", "Create a security question",
    "Authentication failed", "Password is incorrect", "Invalid code. Try again.",
    "Your session has expired. Please try to sign in again.", "Your session has expired.",
    "Sign in with Google", "Sign in with Facebook", "Sign in with Apple", "Sign in with Microsoft",
    "Sign in with LinkedIn", "API call exceeded rate limit due to too many requests.",
  ]

  /// Those that ``IDX`` names are not here again.
  private static let lists: [Vocabulary: String] = [
    .step: "context select-platform",
    .field: """
    action aliases answer appName attestation authenticator authenticatorData autoChallenge
    autoPush browser captchaId captchaToken captchaVerify challengeRequest channel city clientData
    clientExtensions client_id client_secret code_verifier consent context countryCode
    credentialId credentials department displayName division email employeeNumber enrollmentId
    factorType fingerprint firstName grant_type hCaptchaToken honorificPrefix honorificSuffix id
    identifier interactionHandle interaction_code keepMeSignedIn lastName locale location login manager managerId
    methodType middleName mobilePhone newPassword nextPasscode nickName nickname oldPassword offline_access openid optedScopes
    options organization passCode passcode password phone phoneExtension phoneNumber
    postalAddress postalCode preferredLanguage primaryPhone profile profileUrl provider question
    questionKey reason recoveryToken recoveryType rememberDevice rememberMe relayState
    revokeSessions secondEmail signature signatureData state stateHandle stateToken statusCode
    streetAddress timezone title token totp transports useLocation userCode userHandle userProfile
    userType username verificationCode warnBeforePasswordExpired multiOptionalFactorEnroll zipCode
    """,
    .fieldType: "string boolean object array number integer",
    .jsonType: "object array",
    .authenticator: "custom_push smart_card_idp",
    .authenticatorType: """
    app email federated object otp password phone proximity security_key security_question tac ID_PROOFING
    """,
    .method: """
    call cert dial duo email idp nfc nfc_pin otp password security_key security_question
    signed_nonce tac webauthn
    """,
    .channel: "devicebootstrap email phone push qrcode samedevice sms voice call totp",
    .messageKey: """
    api.authenticator.error.nfc.pin_incorrect api.authn.error.PASSCODE_REPLAYED
    api.authn.poll.error.push_timeout api.error.field_required api.factors.error.sms.invalid_phone
    api.users.auth.error.POST_PASSWORD_UPDATE_AUTH_FAILURE app.ldap.password.reset.failed
    authfactor.challenge.question_factor.answer_invalid authfactor.challenge.suspended_factor
    authfactor.webauthn.error.assertion_validation_failure
    core.auth.factor.signedNonce.error.invalidDevice core.system.transaction_resource_not_found
    enroll.hotp.restricted error.password.required error.username.required
    idx.activating.inactive.user idx.device.activated idx.device.not.activated.internal.error
    idx.device_assurance.grace_period.warning.title.due_by_date idx.email.verification.required
    idx.enter.otp.in.original.tab
    idx.error.code.access_denied.device_assurance.remediation.lock_screen
    idx.error.code.access_denied.device_assurance.remediation.title
    idx.error.code.access_denied.device_assurance.remediation.upgrade_os
    idx.error.code.access_denied.device_assurance.remediation.explanation_multiple_rules
    idx.error.code.access_denied.device_assurance.remediation.explanation_one_rule
    idx.error.code.access_denied.device_assurance.remediation.additional_help_default
    idx.error.code.access_denied.device_assurance.remediation.additional_help_custom
    idx.error.code.no_matching_policy idx.error.code.user_not_assigned
    idx.error.server.safe.mode.enrollment.unavailable idx.error.user.not.assigned.to.app
    idx.expired.activation.token idx.identity.provider.auth.error idx.invalid.device.code
    idx.invalid.forgot.password.token idx.invalid.reset.password.token idx.missing.activation.token
    idx.operation.cancelled.by.user idx.operation.cancelled.on.other.device
    idx.password.expiring.message idx.recovery.completed idx.request.activation.email
    idx.return.error idx.return.link.expired.token idx.return.link.invalid idx.return.link.otponly
    idx.transferred.to.new.tab idx.unknown.user oie.authenticator.duo.method.duo.verification_failed
    oie.selfservice.reset.password.not.allowed
    oie.selfservice.unlock_user.landing.to.app.success.message
    oie.selfservice.unlock_user.success.message oie.selfservice.user.unlock.not.allowed
    oie.phone.sms.invalid oie.email.factor.sent password.passwordRequirementsNotMet
    registration.error.doesNotMatchPattern registration.error.invalidLoginEmail
    registration.error.notUniqueWithinOrg security.access_denied
    securityQuestion.answer.tooShort.arg
    idx.error.code.access_denied.device_assurance.remediation.option_index
    idx.reset.password.activating.user idx.return.link.expired idx.return.stale
    idx.return.to.original.tab oie.authenticator.app.method.push.enroll.enable.biometrics
    oie.authenticator.app.non_fips_compliant_enrollment_app_update_required
    oie.authenticator.app.non_fips_compliant_enrollment_device_incompatible
    oie.authenticator.oktaverify.method.fastpass.verify.enable.biometrics.mobile
    oie.selfservice.unlock_user.failed.message password.common registration.error.generic
    security.access_denied_custom_message oktaverify.push.autopush oktaverify.rejected
    password.expired
    """,
    .messageClass: "ERROR INFO NOTICE SUCCESS WARNING",
    .relation: "create-form icon privacy-policy terms-of-service",
    .httpMethod: "DELETE GET POST PUT embedded",
    .intent: """
    AUTHENTICATION CONSENT CREDENTIAL_ENROLLMENT CREDENTIAL_MODIFY CREDENTIAL_RECOVERY
    ENROLLMENT ENROLL_NEW_USER LOGIN RECOVERY UNLOCK_ACCOUNT login recovery
    """,
    .challengeMethod: """
    APPLE_SSO_EXTENSION APP_LINK CHROME_DTC CUSTOM_URI LOOPBACK UNIVERSAL_LINK MESSAGE
    """,
    .status: """
    ACTIVE CANCELLED CHALLENGE ENROLLED ERROR EXPIRED FAILED INACTIVE LOCKED_OUT MFA_CHALLENGE
    MFA_ENROLL MFA_ENROLL_ACTIVATE MFA_REQUIRED NOT_SETUP OPTIONAL PASSCODE_REPLAYED
    PASSWORD_EXPIRED PASSWORD_RESET PASSWORD_WARN PENDING_ACTIVATION RECOVERY RECOVERY_CHALLENGE
    REJECTED REQUIRED SUCCESS TIMEOUT TIME_WINDOW_EXCEEDED UNAUTHENTICATED UNKNOWN WAITING
    """,
    .factorType: """
    call claims_provider email hotp push question signed_nonce sms token token:hardware
    token:hotp token:software:totp u2f web webauthn SMS CALL EMAIL PASSWORD UNLOCK
    """,
    .factorProvider: "CUSTOM DUO FIDO GENERIC_OIDC GENERIC_SAML GOOGLE OKTA RSA SYMANTEC YUBICO",
    .linkName: """
    activate answer authenticate cancel changePassword enroll nextStep poll prev question
    questions resend resetPassword self unlock send skip sms call email verify qrcode next user original
    """,
    .identityProvider: """
    ALTCHA altcha AMAZON APPLE DISCORD FACEBOOK GITHUB GITLAB GOOGLE HCAPTCHA hCaptcha reCaptcha IDV_PERSONA LINKEDIN MICROSOFT
    OIDC OKTA PAYPAL RECAPTCHA_V2 SAML2 SPOTIFY X509 XERO YAHOO
    """,
    .questionKey: "custom",
    .scope: """
    openid profile email address phone groups offline_access device_sso interclient_access online_access
    """,
    .grantType: """
    authorization_code implicit refresh_token interaction_code password client_credentials
    urn:ietf:params:oauth:grant-type:device_code urn:openid:params:grant-type:ciba
    urn:openid:params:grant-type:interaction_code
    urn:ietf:params:oauth:grant-type:token-exchange urn:okta:params:oauth:grant-type:otp
    urn:ietf:params:oauth:grant-type:jwt-bearer urn:ietf:params:oauth:grant-type:saml2-bearer
    urn:okta:params:oauth:grant-type:oob http://auth0.com/oauth/grant-type/mfa-otp
    http://auth0.com/oauth/grant-type/mfa-oob urn:okta:params:oauth:grant-type:webauthn
    urn:okta:params:oauth:grant-type:mfa-webauthn urn:okta:params:oauth:grant-type:interaction_code
    """,
    .challengeType: """
    otp oob password webauthn prompt transfer none
    urn:okta:params:oauth:grant-type:otp urn:okta:params:oauth:grant-type:oob
    http://auth0.com/oauth/grant-type/mfa-otp http://auth0.com/oauth/grant-type/mfa-oob
    urn:okta:params:oauth:grant-type:webauthn urn:okta:params:oauth:grant-type:mfa-webauthn
    """,
    .oauthError: """
    access_denied authorization_pending consent_required expired_token invalid_client invalid_dpop_proof
    invalid_grant invalid_otp invalid_request invalid_scope invalid_token interaction_required
    login_required mfa_required server_error slow_down temporarily_unavailable
    unauthorized_client unsupported_grant_type unsupported_response_type use_dpop_nonce
    direct_auth_authorization_pending insufficient_authentication_context Forbidden
    """,
    .tokenType: "Bearer DPoP bearer dpop access_token refresh_token id_token device_secret",
    .algorithm: """
    RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA HS256 HS384 HS512 none HmacSHA1
    HmacSHA256 HmacSHA512 base32 SHA1 SHA256 SHA512 RSA EC OKP P-256 P-384 P-521 AQAB sig enc JWT
    dpop+jwt S256 plain application/okta-internal-at+jwt at+jwt
    """,
    .oauthValue: """
    code token id_token none prompt transfer query fragment form_post okta_post_message public pairwise login consent
    select_account create poll ping push page popup okta_password client_secret_basic
    client_secret_post client_secret_jwt private_key_jwt true false
    """,
    .webAuthn: """
    public-key required preferred discouraged none direct indirect enterprise platform
    cross-platform usb nfc ble internal hybrid smart-card client-device security-key webauthn
    """,
    .setting: """
    firstName lastName username login email any recovery sso none IFRAME BY_DATE_TIME BY_SKIP_COUNT
    captcha webauthn checkbox radio select text country-code HIGH ANY WINDOWS IOS ANDROID MACOS OSX LINUX
    CHROMEOS ios android macos windows linux OAUTH2.0 SAML2.0 URL DEVELOPMENT ENROLL IDENTIFY
    pwd mfa otp sms tel kba hwk swk fpt user pin geo image/png alphanumeric numeric username email new-password
    current-password one-time-code given-name family-name lowerCase upperCase number symbol
    """,
    .version: "1.0.0 1.0 1",
    .cookie: "DT JSESSIONID activate_ca_modal_triggered idx ln oktaStateToken sid t xids",
    .cookieAttribute: "Secure HttpOnly Partitioned Lax Strict None",
    .authenticationScheme: "Basic Bearer DPoP SSWS",
    // Numbers of COSE (RFC 9053, section 2).
    .keyAlgorithm: "-7 -8 -35 -36 -37 -38 -39 -257 -258 -259 -65535",
  ]
}

extension String {
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
