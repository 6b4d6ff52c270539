import IDXBase

/// What a value at a place of the protocol may keep.
///
/// What stands at no place of the protocol is replaced as a whole.
enum Content: Hashable {
  /// Nothing: a name, a code, a handle, an ID, and everything that no place names.
  case unknown
  /// Nothing, and what stands here was chosen or entered by the person.
  case entered
  /// A word of the protocol.
  case word(Vocabulary)
  /// Words of the protocol with spaces between them.
  case words(Vocabulary)
  /// A number, or a number as text.
  case number
  /// A time, as a number or as text; it is moved.
  case time
  /// An address: its parts have places of their own.
  case address
  /// The path of a member of the response, such as `$.authenticators.value[0]`.
  case reference
  /// The same text in every recording, because even the length of a value would name a place.
  case fixed(String)
  /// An object with these members, or an array of such objects.
  case object(Shape)
  /// An object of Ion: `type`, and `value` with an object or array of this shape.
  case ion(Shape)
  /// A text, or an object with the members of a message.
  case message
  /// The value of the form's field that is described here.
  case fieldValue
  /// The options of that field.
  case fieldOptions
  /// Credentials and challenges: a scheme with a token or with parameters (RFC 9110, section 11.4).
  case credentials
  /// Names and values of cookies.
  case cookies
  /// Cookies with their attributes (RFC 6265, section 4.1).
  case newCookies
}

extension Content {
  /// The content of a member of an object at this place; nil if no member of the protocol has this name here.
  func content(of member: String, in object: JSONValue.Object) -> Content? {
    switch self {
    case .object(let shape): shape.content(of: member)
    case .ion(let shape):
      switch member {
      case "type" where object["value"] != nil: .word(.jsonType)
      case "value": .object(shape)
      default: shape.content(of: member)
      }
    case .message, .word(.text): Shape.message.content(of: member)
    // How the attribute of a profile is entered: `options[0].value.value`.
    case .fieldValue where object["value"]?["inputType"] != nil:
      Content.ion(.control).content(of: member, in: object)
    // A fixed value has the members of a request.
    case .fieldValue: (object["form"] == nil ? Shape.sent : .nested).content(of: member)
    case .fieldOptions: Shape.option.content(of: member)
    default: nil
    }
  }

  /// The content of a text or number at this place, in the value of a form's field with this content.
  func scalar(_ field: Content) -> Content {
    switch self {
    case .fieldValue, .fieldOptions: field
    case .message: .word(.text)
    default: self
    }
  }
}

/// The members of an object of the protocol.
enum Shape: CaseIterable {
  case response, form, field, option, control, nested, message, translation, link
  case authenticator, method, context, challenge, code, enrollment, question, device, extensions
  case passkey, passkeySelection, passkeyParameter, passkeyName, credential
  case authenticatorProfile, settings, complexity, lockout, gracePeriod, user, person, app, client
  case authentication, request, named, logo, captcha, display, place
  case classicEmbedded, classicFactor, classicPolicy, classicHints, classicLinks
  case claims, confirmation, tokenHeader, key, metadata, sent

  /// The content of a member; nil if no member of the protocol has this name here.
  func content(of member: String) -> Content? {
    // A name can be equal to another one although only one of them is ASCII.
    guard member.isASCII else { return nil }
    return switch self {
    case .sent where Vocabulary.field.contains(member): Self.content(ofField: member)
    default: Self.members[self]?[member]
    }
  }

  /// The content of a form's field, of a member of a request, and of a parameter, by its name.
  static func content(ofField path: String) -> Content {
    fields[OfferedValues.name(of: path)] ?? .entered
  }

  /// Whether a field with this name has a place of its own in the protocol.
  static func isKnownField(_ name: String) -> Bool { fields[name] != nil }

  /// The content of a parameter of a query or form; nil if OAuth and Okta have no such parameter.
  static func content(ofParameter name: String) -> Content? {
    guard name.isASCII else { return nil }
    return parameters[name] ?? (Vocabulary.field.contains(name) ? content(ofField: name) : nil)
  }

  /// Whether a text is the path of a member of the response: `$.authenticators.value[0]`.
  static func isReference(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let isPath = parts.first == "$"
    guard let member = isPath ? parts.dropFirst().first : parts.first,
      response.content(of: String(member)) != nil
    else { return false }
    guard isPath, parts.count > 2 else { return parts.count <= (isPath ? 2 : 1) }
    let index = parts[2].utf8.dropFirst("value[".utf8.count).dropLast()
    return parts.count == 3 && parts[2].hasPrefix("value[") && parts[2].hasSuffix("]")
      && (1...2).contains(index.count) && index.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// The header fields that say how the conversation goes; all others are left out.
  static let headers: [String: Content] = members(
    (.word(.mediaType), "accept content-type"), (.fixed("en"), "accept-language"),
    (.number, "retry-after x-rate-limit-limit x-rate-limit-remaining"),
    (.time, "date x-rate-limit-reset"), (.address, "location"),
    (.unknown, "x-okta-request-id dpop-nonce"), (.credentials, "authorization www-authenticate"),
    (.cookies, "cookie"), (.newCookies, "set-cookie"))

  /// All names that have a place.
  static var allNames: Set<String> {
    Set(members.values.flatMap(\.keys)).union(fields.keys).union(parameters.keys).union(
      headers.keys)
  }

  private static let fields: [String: Content] = members(
    (.word(.method), "methodType"), (.word(.channel), "channel"),
    (.word(.factorType), "factorType recoveryType"), (.word(.factorProvider), "provider"),
    (.word(.questionKey), "questionKey"), (.word(.grantType), "grant_type"),
    (
      .unknown,
      "stateHandle interactionHandle stateToken id enrollmentId client_id client_secret state"
    ),
    (.object(.sent), "credentials authenticator userProfile profile options context optedScopes"))

  private static let parameters: [String: Content] = members(
    (.word(.grantType), "grant_type"), (.word(.oauthValue), "response_type response_mode"),
    (.words(.oauthValue), "prompt isIdxEnabled"), (.words(.scope), "scope"),
    (.word(.algorithm), "code_challenge_method algorithm"), (.word(.tokenType), "token_type_hint"),
    (.words(.grantType), "grant_types_supported"),
    (.words(.challengeType), "challenge_types_supported"),
    (.word(.challengeType), "challenge_type challenge_hint"), (.word(.intent), "intent"),
    (.word(.channel), "channel_hint primary_channel"), (.word(.oauthError), "error"),
    (.number, "max_age digits period"), (.address, "redirect_uri post_logout_redirect_uri iss"),
    (.entered, "username password otp binding_code login_hint"),
    (
      .unknown,
      """
      client_id client_secret client_assertion client_assertion_type code code_challenge
      code_verifier interaction_code interaction_handle state nonce token refresh_token id_token_hint
      mfa_token oob_code request request_uri sessionToken session_token stateToken idp secret issuer
      error_description acr_values activation_token transactionHandle recovery_token device_secret okta_key fromURI
      clientDataJSON authenticatorData signature device_code user_code dpop_jkt
      """
    ))

  private static func members(_ groups: (Content, String)...) -> [String: Content] {
    var all: [String: Content] = [:]
    for (content, names) in groups {
      for name in names.split(whereSeparator: \.isWhitespace) { all[String(name)] = content }
    }
    return all
  }

  private static let members: [Shape: [String: Content]] = [
    // The top level of a response, of Identity Engine, of OAuth, and of the classic API.
    .response: members(
      (.word(.version), "version"), (.time, "expiresAt"), (.word(.intent), "intent"),
      (.word(.setting), "step"), (.ion(.form), "remediation"), (.ion(.message), "messages"),
      (.ion(.user), "user"), (.ion(.app), "app"), (.ion(.client), "client"),
      (
        .ion(.authenticator),
        """
        authenticators authenticatorEnrollments currentAuthenticator currentAuthenticatorEnrollment
        enrollmentAuthenticator recoveryAuthenticator
        """
      ), (.ion(.challenge), "authenticatorChallenge"),
      (.ion(.passkey), "webauthnAutofillUIChallenge"), (.ion(.named), "idp organization"),
      (.object(.form), "cancel context success successWithInteractionCode failure"),
      (.ion(.captcha), "captcha"), (.ion(.display), "uiDisplay"),
      (.ion(.authentication), "authentication"), (.ion(.device), "deviceEnrollment"),
      (
        .unknown,
        """
        stateHandle interaction_handle access_token id_token refresh_token device_secret mfa_token
        oob_code binding_code stateToken sessionToken recoveryToken errorId relayState
        device_code user_code request_uri
        """
      ), (.address, "verification_uri verification_uri_complete"),
      (.word(.messageKey), "errorCode errorLink"),
      (.word(.text), "errorSummary error_description"),
      (.object(.response), "errorCauses"), (.word(.oauthError), "error"),
      (.word(.tokenType), "token_type"), (.number, "expires_in interval"),
      (.words(.scope), "scope"),
      (.word(.challengeType), "challenge_type challengeType"),
      (.words(.challengeType), "supported_challenge_types"), (.word(.channel), "channel"),
      (.word(.oauthValue), "binding_method"), (.object(.passkey), "publicKey"),
      (.object(.key), "keys"), (.word(.status), "status factorResult"),
      (.word(.factorType), "factorType recoveryType"), (.object(.classicEmbedded), "_embedded"),
      (.object(.classicLinks), "_links"), (.number, "max_age"),
      (.object(.question), "questions")),
    .form: members(
      (.word(.step), "name"), (.words(.relation), "rel"), (.address, "href"),
      (.word(.httpMethod), "method"), (.word(.mediaType), "produces accepts"),
      (.object(.field), "value scopes requestInfo"), (.number, "refresh"),
      (.word(.identityProvider), "type"),
      (.object(.named), "idp"), (.reference, "relatesTo"), (.word(.text), "label"),
      (.ion(.message), "messages"), (.address, "customExpiredPasswordURL"),
      (.unknown, "customExpiredPasswordName"), (.word(.setting), "action"),
      (.object(.gracePeriod), "gracePeriod"), (.object(.translation), "i18n")),
    .field: members(
      (.word(.field), "name"), (.word(.fieldType), "type"), (.word(.method), "methodType"),
      (.fieldValue, "value"),
      (.fieldOptions, "options"),
      (.word(.text), "label label-top label-bottom placeholder desc description"),
      (.object(.nested), "form"), (.reference, "relatesTo"), (.ion(.message), "messages"),
      (.number, "minLength maxLength min max"),
      (.unknown, "required mutable visible secret customLabel"),
      (.word(.setting), "hint inputType inputMode autocomplete format rule"),
      (.object(.translation), "i18n")),
    .option: members(
      (.word(.text), "label"), (.fieldValue, "value"), (.reference, "relatesTo"),
      (.object(.nested), "form"), (.object(.translation), "i18n")),
    .control: members((.word(.setting), "inputType"), (.ion(.option), "options")),
    .nested: members((.object(.field), "value"), (.object(.nested), "form")),
    .message: members(
      (.message, "message"), (.object(.translation), "i18n"), (.word(.messageClass), "class"),
      (.object(.link), "links"), (.word(.text), "title description name"),
      (.ion(.challenge), "deviceRemediation")),
    .translation: members((.word(.messageKey), "key"), (.unknown, "params")),
    .link: members((.word(.text), "label"), (.address, "url href"), (.word(.relation), "rel")),

    .authenticator: members(
      (.word(.authenticatorType), "type"), (.word(.authenticator), "key catalogKey"),
      (.word(.text), "displayName authenticatorName label description"),
      (.word(.webAuthn), "transports"),
      (.object(.gracePeriod), "gracePeriod"), (.object(.method), "methods"),
      (
        .unknown,
        "id credentialId enrollmentId authenticatorId authenticatorid authenticatorEnrollmentId authenticatorInstanceId nickname serviceName deviceKnown"
      ), (.object(.context), "contextualData"), (.object(.authenticatorProfile), "profile"),
      (.object(.settings), "settings"), (.object(.form), "resend poll recover send cancel"),
      (.word(.setting), "allowedFor"), (.address, "logoUri"),
      (.object(.authenticator), "value"), (.word(.method), "methodType")),
    .method: members((.word(.method), "type methodType")),
    .context: members(
      (.object(.question), "enrolledQuestion questions"), (.word(.questionKey), "questionKeys"),
      (.object(.code), "qrcode"), (.unknown, "sharedSecret correctAnswer otp signedToken"),
      (.object(.passkey), "activationData challengeData"), (.ion(.challenge), "challenge"),
      (.word(.channel), "selectedChannel"), (.unknown, "email phoneNumber host"),
      (.address, "script setupNfcUrl"), (.word(.setting), "integrationType"),
      (.unknown, "useEmailMagicLink"), (.object(.device), "samedevice devicebootstrap")),
    .challenge: members(
      (.word(.challengeMethod), "challengeMethod remediationType type"),
      (.unknown, "challengeRequest remediationPath key"), (.message, "message"),
      (.word(.setting), "action platform"),
      (.address, "href downloadHref domain"),
      (.number, "ports probeTimeoutMillis"), (.object(.challenge), "fallback"),
      (.address, "httpsDomain chromeLNAHelpLink"), (.object(.passkey), "challengeData"),
      (.word(.step), "name"), (.ion(.challenge), "challenge"), (.object(.enrollment), "enrollment"),
      (.object(.challenge), "chromeLocalNetworkAccessDetails"), (.object(.form), "cancel"),
      (.address, "signInUrl")),
    .code: members(
      (.address, "href"), (.word(.setting), "type Type"), (.word(.httpMethod), "method")),
    .enrollment: members((.address, "uri"), (.unknown, "id")),
    .question: members(
      (.word(.text), "question questionText"), (.word(.questionKey), "questionKey")),
    .device: members(
      (.word(.setting), "platform securityLevel name"), (.address, "downloadHref setupOVUrl"),
      (.unknown, "orgUrl vendor orgName enrolledDevices os browser"),
      (.address, "enrollmentLink signInUrl"), (.word(.challengeMethod), "challengeMethod")),
    .extensions: members(
      (.address, "appid appidExclude"), (.unknown, "credProps uvm largeBlob credProtect")),
    .passkey: members(
      (.unknown, "challenge"), (.word(.webAuthn), "attestation userVerification hints"),
      (.object(.passkeyName), "rp user"), (.address, "rpId"),
      (.object(.passkeyParameter), "pubKeyCredParams"),
      (.object(.passkeySelection), "authenticatorSelection"),
      (.object(.credential), "excludeCredentials allowCredentials"), (.number, "timeout"),
      (.object(.extensions), "extensions u2fParams"), (.object(.passkey), "challengeData"),
      (.object(.credential), "authenticatorEnrollments")),
    .passkeySelection: members(
      (.word(.webAuthn), "userVerification residentKey authenticatorAttachment"),
      (.unknown, "requireResidentKey")),
    .passkeyParameter: members((.word(.webAuthn), "type"), (.word(.keyAlgorithm), "alg")),
    .passkeyName: members((.unknown, "id name displayName icon")),
    .credential: members(
      (.word(.webAuthn), "type transports"), (.unknown, "id credentialId displayName"),
      (.object(.authenticatorProfile), "profile"), (.word(.factorType), "factorType"),
      (.word(.factorProvider), "provider")),

    .authenticatorProfile: members(
      (
        .unknown,
        "email secondaryEmail phoneNumber deviceName credentialId aaguid name authenticatorName"
      ),
      (.word(.text), "question questionText"), (.word(.questionKey), "questionKey"),
      (.unknown, "provider"), (.word(.webAuthn), "transports"),
      (.unknown, "deviceType platform keys version phoneExtension appId")),
    .settings: members(
      (.object(.complexity), "complexity"), (.object(.lockout), "age"),
      (.number, "daysToExpiry minLength maxLength"), (.word(.setting), "userVerification")),
    .complexity: members(
      (
        .number,
        """
        minLength maxLength minLowerCase minUpperCase minNumber minSymbol maxConsecutive
        maxConsecutiveRepeatingCharacters
        """
      ), (.word(.setting), "excludeAttributes"),
      (.unknown, "excludeUsername excludeFirstName excludeLastName useADComplexityRequirements")),
    .lockout: members((.number, "minAgeMinutes historyCount maxAttempts")),
    .gracePeriod: members(
      (.word(.setting), "type"), (.time, "expiry"), (.number, "remainingSkips"),
      (.object(.gracePeriod), "value")),
    .user: members(
      (.unknown, "id identifier"), (.object(.person), "profile"),
      (.time, "passwordChanged created activated lastLogin lastUpdated"),
      (.object(.question), "recovery_question")),
    .person: members(
      (.unknown, "firstName lastName login email displayName nickName"),
      (.fixed("en_US"), "locale"),
      (.fixed("Etc/UTC"), "timeZone")),
    .app: members(
      (.unknown, "id name label"), (.address, "logoUri"),
      (.object(.logo), "logo privacyPolicy termsOfService"), (.address, "clientUri")),
    .client: members((.unknown, "id label browser os deviceKnown"), (.object(.place), "location")),
    .authentication: members(
      (.word(.setting), "protocol"), (.object(.named), "issuer idp"), (.object(.request), "request")
    ),
    .request: members(
      (.words(.scope), "scope"), (.word(.oauthValue), "response_type response_mode display prompt"),
      (.unknown, "state nonce code_challenge login_hint"), (.number, "max_age"),
      (.word(.algorithm), "code_challenge_method"), (.address, "redirect_uri")),
    .named: members(
      (.unknown, "id name"), (.address, "uri href"), (.word(.identityProvider), "type")),
    .logo: members((.address, "href"), (.unknown, "alt"), (.word(.relation), "rel")),
    .captcha: members(
      (.unknown, "id siteKey"), (.object(.form), "challengeUrlForm"), (.word(.setting), "name"),
      (.word(.identityProvider), "type name")),
    .display: members((.word(.text), "label buttonLabel")),
    .place: members((.unknown, "city country countryISO state postal latitude longitude")),

    .classicEmbedded: members(
      (.object(.user), "user"), (.object(.classicFactor), "factor factors"),
      (.object(.classicPolicy), "policy"), (.object(.classicFactor), "activation challenge"),
      (.object(.authentication), "authentication"), (.object(.named), "target")),
    .classicFactor: members(
      (.unknown, "id"), (.word(.factorType), "factorType"), (.word(.factorProvider), "provider"),
      (.word(.factorProvider), "vendorName"), (.object(.authenticatorProfile), "profile"),
      (.word(.status), "status factorResult enrollment"),
      (.object(.classicEmbedded), "_embedded"), (.object(.classicLinks), "_links"),
      (.number, "timeStep keyLength timeout"), (.unknown, "sharedSecret correctAnswer challenge"),
      (.word(.algorithm), "encoding algorithm sharedSecretEncoding"), (.time, "expiresAt"),
      (.object(.classicPolicy), "policy"), (.object(.passkeyName), "rp user"),
      (.object(.passkeyParameter), "pubKeyCredParams"),
      (.object(.credential), "excludeCredentials allowCredentials"),
      (.word(.webAuthn), "attestation userVerification"),
      (.object(.passkeySelection), "authenticatorSelection"),
      (.object(.extensions), "extensions u2fParams")),
    .classicPolicy: members(
      (.object(.complexity), "complexity"), (.object(.classicPolicy), "expiration enrollment age"),
      (.number, "passwordExpireDays minimum maximum enrolled minAgeMinutes historyCount"),
      (.unknown, "allowRememberDevice rememberDeviceByDefault"),
      (.number, "rememberDeviceLifetimeInMinutes"), (.object(.classicPolicy), "factorsPolicyInfo")),
    .classicHints: members((.word(.httpMethod), "allow")),
    .classicLinks: members(
      (
        .object(.classicLinks),
        """
        next prev cancel skip resend enroll questions verify qrcode poll activate send self user
        original
        """
      ), (.word(.linkName), "name"), (.address, "href"), (.object(.classicHints), "hints"),
      (.word(.setting), "type")),

    .confirmation: members((.unknown, "jkt")),
    .claims: members(
      (
        .unknown,
        """
        sub name nickname preferred_username given_name middle_name family_name profile picture
        website gender birthdate phone_number address email email_verified phone_number_verified
        aud cid uid jti nonce at_hash c_hash s_hash ds_hash sid azp idp acr groups orig signals caSubjectNames keyType method requestReferrer
        factorType
        """
      ), (.object(.confirmation), "cnf"), (.fixed("Etc/UTC"), "zoneinfo"),
      (.fixed("en_US"), "locale"),
      (.time, "exp iat nbf auth_time updated_at"), (.address, "iss"), (.number, "ver"),
      (.word(.setting), "amr"), (.words(.scope), "scp scope")),
    .tokenHeader: members(
      (.word(.algorithm), "alg typ"), (.unknown, "kid x5t jku"), (.object(.key), "jwk")),
    .key: members(
      (.word(.algorithm), "kty alg use e crv"), (.unknown, "kid n x y x5c x5t key_ops status")),
    .metadata: members(
      (
        .address,
        """
        issuer authorization_endpoint token_endpoint userinfo_endpoint jwks_uri registration_endpoint
        introspection_endpoint revocation_endpoint end_session_endpoint
        device_authorization_endpoint pushed_authorization_request_endpoint
        backchannel_authentication_endpoint interaction_endpoint
        """
      ), (.words(.oauthValue), "response_types_supported"), (.words(.scope), "scopes_supported"),
      (
        .word(.oauthValue),
        """
        response_modes_supported subject_types_supported token_endpoint_auth_methods_supported
        introspection_endpoint_auth_methods_supported revocation_endpoint_auth_methods_supported
        backchannel_token_delivery_modes_supported prompt_values_supported
        """
      ), (.word(.grantType), "grant_types_supported"),
      (
        .word(.algorithm),
        """
        code_challenge_methods_supported id_token_signing_alg_values_supported
        request_object_signing_alg_values_supported dpop_signing_alg_values_supported
        backchannel_authentication_request_signing_alg_values_supported
        """
      ), (.unknown, "claims_supported request_parameter_supported"),
      (
        .unknown,
        """
        authorization_response_iss_parameter_supported require_request_uri_registration
        require_pushed_authorization_requests
        """
      )),
  ]
}
