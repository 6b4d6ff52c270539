import IDXBase

/// What a value at a place of the protocol may keep.
///
/// What stands at no place of the protocol is replaced as a whole.
enum Content: Hashable {
  /// Nothing: a name, a code, a handle, an ID, and everything that no place names.
  case unknown
  /// Nothing, and what stands here was chosen or entered by the person.
  case entered
  /// Nothing: the key of an authenticator app in Base32.
  case sharedSecret
  /// A word of the protocol; another one can be the name of something new.
  case word
  /// Names like those of ``word`` with spaces between them.
  case words
  /// Words of the protocol; another one, such as a scope of the org, is replaced.
  case knownWords
  /// A text that people read, or an object with the members of a message.
  case text
  /// A number, or a number as text.
  case number
  /// A time, as a number or as text; it is moved.
  case time
  /// An address: its parts have places of their own.
  case address
  /// A host alone.
  case host
  /// The path of a member of the response, such as `$.authenticators.value[0]`.
  case reference
  /// The same text in every recording, because even the length of a value would name a place.
  case fixed(String)
  /// An object with these members, or an array of such objects.
  case object(Shape)
  /// An object of Ion: `type`, and `value` with an object or array of this shape.
  case ion(Shape)
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
      case "type" where object["value"] != nil: .word
      case "value": .object(shape)
      default: shape.content(of: member)
      }
    case .text: Shape.message.content(of: member)
    // How the attribute of a profile is entered: `options[0].value.value`.
    case .fieldValue where object["value"]?["inputType"] != nil:
      Content.ion(.control).content(of: member, in: object)
    // A fixed value has the members of a request.
    case .fieldValue: (object["form"] == nil ? Shape.sent : .nested).content(of: member)
    case .fieldOptions: Shape.field.content(of: member)
    default: nil
    }
  }

  /// The content of a text or number at this place, in the value of a form's field with this content.
  func scalar(_ field: Content) -> Content {
    self == .fieldValue || self == .fieldOptions ? field : self
  }
}

/// The members of an object of the protocol.
///
/// Objects whose members differ little, such as all that describe a person or an app, have one shape.
enum Shape: CaseIterable {
  case response, form, field, control, nested, message, authenticator, context, passkey, policy
  case subject, authentication, classic, classicLinks, claims, key, metadata, sent

  /// The content of a member; nil if no member of the protocol has this name here.
  func content(of member: String) -> Content? {
    // A name can be equal to another one although only one of them is ASCII.
    guard member.isASCII else { return nil }
    return switch self {
    case .sent where Vocabulary.isListed(member): Self.content(ofField: member)
    default: Self.members[self]?[member]
    }
  }

  /// The content of a form's field, of a member of a request, and of a parameter, by its name.
  static func content(ofField path: String) -> Content {
    fields[OfferedValues.name(of: path)] ?? .entered
  }

  /// The content of a parameter of a query or form; nil if OAuth and Okta have no such parameter.
  static func content(ofParameter name: String) -> Content? {
    guard name.isASCII else { return nil }
    return parameters[name] ?? (Vocabulary.isListed(name) ? content(ofField: name) : nil)
  }

  /// Whether a text is the path of a member of the response: `$.authenticators.value[0]`.
  static func isReference(_ text: String) -> Bool {
    let path = text.wholeMatch(of: /(?:\$\.)?([A-Za-z]+)(?:\.value\[[0-9]{1,2}\])?/)
    return path.map { response.content(of: String($0.1)) != nil } ?? false
  }

  /// The header fields that say how the conversation goes; all others are left out.
  static let headers: [String: Content] = members(
    (.knownWords, "accept content-type"), (.fixed("en"), "accept-language"),
    (.number, "retry-after x-rate-limit-limit x-rate-limit-remaining"),
    (.time, "date x-rate-limit-reset"), (.address, "location"),
    (.unknown, "x-okta-request-id dpop-nonce"), (.credentials, "authorization www-authenticate"),
    (.cookies, "cookie"), (.newCookies, "set-cookie"))

  /// The attributes of a new cookie that have a value.
  static let cookieAttributes: [String: Content] = members(
    (.address, "path"), (.host, "domain"), (.number, "max-age"), (.time, "expires"),
    (.word, "samesite"))

  /// All names that have a place.
  static let allNames = ([fields, parameters, headers] + members.values)
    .reduce(into: Set<String>()) { $0.formUnion($1.keys) }

  /// The fields of forms that have a place of their own.
  static let fields: [String: Content] = members(
    (.word, "methodType channel factorType recoveryType provider grant_type"),
    (.knownWords, "questionKey"), (.unknown, "stateHandle interactionHandle stateToken id"),
    (.unknown, "enrollmentId client_id client_secret state"),
    (.object(.sent), "credentials authenticator userProfile profile options context optedScopes"))

  private static let parameters: [String: Content] = members(
    (.word, "algorithm challenge_hint challenge_type channel_hint code_challenge_method error"),
    (.word, "grant_type intent primary_channel response_mode response_type token_type_hint"),
    (.words, "challenge_types_supported grant_types_supported isIdxEnabled prompt"),
    (.knownWords, "scope"), (.number, "max_age digits period"), (.sharedSecret, "secret"),
    (.address, "redirect_uri post_logout_redirect_uri iss"),
    (.entered, "username password otp binding_code login_hint"),
    (.unknown, "client_id client_secret client_assertion client_assertion_type code"),
    (.unknown, "code_challenge code_verifier interaction_code interaction_handle state nonce"),
    (.unknown, "token refresh_token id_token_hint mfa_token oob_code request request_uri"),
    (.unknown, "sessionToken session_token stateToken idp issuer error_description"),
    (.unknown, "acr_values activation_token transactionHandle recovery_token device_secret"),
    (.unknown, "okta_key fromURI clientDataJSON authenticatorData signature device_code user_code"),
    (.unknown, "dpop_jkt stateTokenExternalId f s t"), (.word, "authenticator_key"))

  private static func members(_ groups: (Content, String)...) -> [String: Content] {
    var all: [String: Content] = [:]
    for (content, names) in groups {
      for name in names.words { all[name] = content }
    }
    return all
  }

  private static let members: [Shape: [String: Content]] = [
    // The top level of a response, of Identity Engine, of OAuth, and of the classic API.
    .response: members(
      (.word, "binding_method challengeType challenge_type channel error errorCode errorLink"),
      (.word, "factorResult factorType intent recoveryType status step token_type version"),
      (.words, "supported_challenge_types"), (.knownWords, "scope"),
      (.text, "errorSummary error_description"), (.number, "expires_in interval max_age"),
      (.time, "expiresAt"), (.address, "verification_uri verification_uri_complete"),
      (.unknown, "stateHandle interaction_handle access_token id_token refresh_token"),
      (.unknown, "device_secret mfa_token oob_code binding_code stateToken sessionToken"),
      (.unknown, "recoveryToken errorId relayState device_code user_code request_uri"),
      (.ion(.form), "remediation"),
      (.object(.form), "cancel context success successWithInteractionCode failure"),
      (.ion(.message), "messages"), (.object(.message), "uiDisplay"),
      (.ion(.authenticator), "authenticators authenticatorEnrollments currentAuthenticator"),
      (.ion(.authenticator), "currentAuthenticatorEnrollment enrollmentAuthenticator"),
      (.ion(.authenticator), "recoveryAuthenticator"),
      (.ion(.context), "authenticatorChallenge deviceEnrollment"),
      (.ion(.passkey), "webauthnAutofillUIChallenge"), (.object(.passkey), "publicKey"),
      (.ion(.subject), "user app client idp organization"),
      (.ion(.authentication), "authentication captcha"), (.object(.response), "errorCauses"),
      (.object(.context), "questions"), (.object(.classic), "_embedded"),
      (.object(.classicLinks), "_links"), (.object(.key), "keys")),
    .form: members(
      (.word, "name method type action"), (.words, "rel"), (.knownWords, "produces accepts"),
      (.text, "label"), (.number, "refresh"), (.address, "href customExpiredPasswordURL"),
      (.reference, "relatesTo"), (.unknown, "customExpiredPasswordName"),
      (.object(.field), "value scopes requestInfo"), (.ion(.message), "messages"),
      (.object(.message), "i18n"), (.object(.subject), "idp"), (.object(.policy), "gracePeriod")),
    .field: members(
      (.word, "name type methodType hint inputType inputMode autocomplete format rule"),
      (.text, "label label-top label-bottom placeholder desc description"),
      (.number, "minLength maxLength min max"), (.reference, "relatesTo"),
      (.unknown, "required mutable visible secret customLabel"), (.fieldValue, "value"),
      (.fieldOptions, "options"), (.object(.nested), "form"), (.ion(.message), "messages"),
      (.object(.message), "i18n")),
    .control: members(
      (.word, "inputType"), (.ion(.field), "options")),
    .nested: members(
      (.object(.field), "value"), (.object(.nested), "form")),
    .message: members(
      (.word, "class key rel"), (.text, "message label buttonLabel title description name"),
      (.address, "url href"), (.unknown, "params"), (.object(.message), "i18n links"),
      (.ion(.context), "deviceRemediation")),

    .authenticator: members(
      (.word, "type key catalogKey methodType transports allowedFor"),
      (.text, "displayName authenticatorName label description"), (.address, "logoUri"),
      (.unknown, "id credentialId enrollmentId authenticatorId authenticatorid authenticatorsId"),
      (.unknown, "authenticatorEnrollmentId authenticatorInstanceId nickname serviceName"),
      (.unknown, "deviceKnown"), (.object(.authenticator), "methods value"),
      (.object(.context), "contextualData"), (.object(.subject), "profile"),
      (.object(.policy), "settings gracePeriod"),
      (.object(.form), "resend poll recover send cancel")),
    // What is needed in order to use an authenticator, a device or another program.
    .context: members(
      (.word, "name type Type method action platform securityLevel selectedChannel"),
      (.word, "integrationType challengeMethod remediationType"),
      (.knownWords, "questionKey questionKeys"), (.text, "question questionText message"),
      (.number, "ports probeTimeoutMillis"), (.sharedSecret, "sharedSecret"),
      (.address, "href uri domain httpsDomain downloadHref"),
      (.address, "script setupNfcUrl setupOVUrl signInUrl enrollmentLink chromeLNAHelpLink"),
      (.unknown, "id key challengeRequest remediationPath correctAnswer otp"),
      (.unknown, "signedToken email phoneNumber host useEmailMagicLink orgUrl vendor orgName"),
      (.unknown, "enrolledDevices os browser"),
      (.object(.context), "enrolledQuestion questions qrcode samedevice devicebootstrap fallback"),
      (.object(.context), "enrollment chromeLocalNetworkAccessDetails"),
      (.ion(.context), "challenge"), (.object(.passkey), "activationData challengeData"),
      (.object(.form), "cancel")),
    .passkey: members(
      (.word, "type alg transports attestation userVerification residentKey"),
      (.word, "authenticatorAttachment hints factorType provider"), (.number, "timeout"),
      (.address, "rpId appid appidExclude"), (.unknown, "id credentialId name displayName icon"),
      (.unknown, "challenge requireResidentKey credProps uvm largeBlob credProtect"),
      (.object(.subject), "profile"),
      (.object(.passkey), "rp user pubKeyCredParams authenticatorSelection excludeCredentials"),
      (.object(.passkey), "allowCredentials extensions u2fParams challengeData"),
      (.object(.passkey), "authenticatorEnrollments")),
    // Rules for passwords and authenticators, and until when they can be fulfilled.
    .policy: members(
      (.word, "type userVerification excludeAttributes"), (.time, "expiry"),
      (.number, "minLength maxLength minLowerCase minUpperCase minNumber minSymbol maxConsecutive"),
      (.number, "maxConsecutiveRepeatingCharacters minAgeMinutes historyCount maxAttempts"),
      (.number, "daysToExpiry remainingSkips passwordExpireDays minimum maximum enrolled"),
      (.number, "rememberDeviceLifetimeInMinutes"), (.unknown, "excludeUsername excludeFirstName"),
      (.unknown, "excludeLastName useADComplexityRequirements allowRememberDevice"),
      (.unknown, "rememberDeviceByDefault"), (.object(.policy), "complexity age value expiration"),
      (.object(.policy), "enrollment factorsPolicyInfo")),
    // A person, an enrollment, an app, a client, an org, and their pictures and links.
    .subject: members(
      (.word, "type rel transports"), (.text, "question questionText"),
      (.knownWords, "questionKey"), (.fixed("en_US"), "locale"), (.fixed("Etc/UTC"), "timeZone"),
      (.time, "passwordChanged created activated lastLogin lastUpdated"),
      (.address, "uri href logoUri clientUri"), (.unknown, "id identifier name label firstName"),
      (.unknown, "lastName login email displayName nickName icon secondaryEmail phoneNumber"),
      (.unknown, "phoneExtension deviceName deviceType credentialId aaguid authenticatorName"),
      (.unknown, "provider platform keys version appId browser os deviceKnown alt city country"),
      (.unknown, "countryISO state postal latitude longitude"),
      (.object(.subject), "profile recovery_question logo privacyPolicy termsOfService location")),
    .authentication: members(
      (.word, "name type protocol response_type response_mode display prompt"),
      (.word, "code_challenge_method"), (.knownWords, "scope"), (.number, "max_age"),
      (.address, "redirect_uri"), (.unknown, "id siteKey state nonce code_challenge login_hint"),
      (.object(.authentication), "request"), (.object(.subject), "issuer idp"),
      (.object(.form), "challengeUrlForm")),

    .classic: members(
      (.word, "factorType provider vendorName status factorResult enrollment encoding algorithm"),
      (.word, "sharedSecretEncoding attestation userVerification"),
      (.number, "timeStep keyLength timeout"), (.time, "expiresAt"),
      (.unknown, "id correctAnswer"), (.sharedSecret, "sharedSecret"),
      (.object(.subject), "user profile target rp"),
      (.object(.policy), "policy"), (.object(.authentication), "authentication"),
      (.object(.classic), "factor factors activation challenge _embedded"),
      (.object(.classicLinks), "_links"),
      (.object(.passkey), "pubKeyCredParams excludeCredentials allowCredentials"),
      (.object(.passkey), "authenticatorSelection extensions u2fParams")),
    .classicLinks: members(
      (.word, "name type allow"), (.address, "href"),
      (.object(.classicLinks), "next prev cancel skip resend enroll questions verify qrcode poll"),
      (.object(.classicLinks), "activate send self user original hints")),

    .claims: members(
      (.unknown, "sub name nickname preferred_username given_name middle_name family_name profile"),
      (.unknown, "picture website gender birthdate phone_number address email email_verified"),
      (.unknown, "phone_number_verified aud cid uid jti nonce at_hash c_hash s_hash ds_hash sid"),
      (.unknown, "azp idp acr groups orig signals caSubjectNames keyType method requestReferrer"),
      (.unknown, "factorType jkt userVerificationRequirement verificationUri"),
      (.object(.claims), "cnf"), (.fixed("Etc/UTC"), "zoneinfo"),
      (.fixed("en_US"), "locale"), (.time, "exp iat nbf auth_time updated_at"), (.address, "iss"),
      (.number, "ver"), (.word, "amr"), (.knownWords, "scp scope")),
    .key: members(
      (.word, "alg typ kty use e crv"), (.object(.key), "jwk"),
      (.unknown, "kid jku n x y x5c x5t key_ops status")),
    .metadata: members(
      (.address, "issuer authorization_endpoint token_endpoint userinfo_endpoint jwks_uri"),
      (.address, "registration_endpoint introspection_endpoint revocation_endpoint"),
      (.address, "end_session_endpoint device_authorization_endpoint"),
      (.address, "pushed_authorization_request_endpoint backchannel_authentication_endpoint"),
      (.address, "interaction_endpoint"), (.words, "response_types_supported"),
      (.knownWords, "scopes_supported"),
      (.word, "response_modes_supported subject_types_supported grant_types_supported"),
      (.word, "token_endpoint_auth_methods_supported"),
      (.word, "introspection_endpoint_auth_methods_supported"),
      (.word, "revocation_endpoint_auth_methods_supported"),
      (.word, "backchannel_token_delivery_modes_supported prompt_values_supported"),
      (.word, "code_challenge_methods_supported id_token_signing_alg_values_supported"),
      (.word, "request_object_signing_alg_values_supported dpop_signing_alg_values_supported"),
      (.word, "backchannel_authentication_request_signing_alg_values_supported"),
      (.unknown, "claims_supported request_parameter_supported"),
      (.unknown, "authorization_response_iss_parameter_supported require_request_uri_registration"),
      (.unknown, "require_pushed_authorization_requests")),
  ]
}
