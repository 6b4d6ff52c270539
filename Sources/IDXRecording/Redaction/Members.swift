/// What the members of responses and requests contain, as far as it is known to be harmless.
///
/// A member that is in no list is replaced.
enum Members {
  /// What a value may keep.
  enum Content {
    /// Nothing: names, codes, handles, ids, and everything that nobody knows.
    case unknown
    /// The words of the protocol.
    case constant
    /// Words of a name that the server chose for a form or a message, and that nobody entered.
    case name
    /// Common words, unless they are part of a value that was replaced elsewhere.
    case text
    /// A number, or a number as text.
    case number
    /// A time, as seconds or as text; it is moved.
    case time
  }

  /// The content of a member of a response, of a claim or of a header of a token.
  static func content(ofResponse name: String) -> Content {
    if constants.contains(name) { return .constant }
    if texts.contains(name) { return .text }
    if times.contains(name) { return .time }
    return content(ofField: name)
  }

  /// The content of a form's field, by the last part of its path, and of a member of a request.
  ///
  /// What a person chooses or an app sends is known for few fields. Everything else was entered.
  static func content(ofField name: String) -> Content {
    if fields.contains(name) { return .constant }
    return numbers.contains(name) ? .number : .unknown
  }

  /// The content of a claim, and of a member of an object about a person.
  static func content(ofPerson name: String) -> Content {
    if times.contains(name) { return .time }
    return claims.contains(name) ? .constant : .unknown
  }

  /// Fields whose values have no structure: nothing of them is kept but their length.
  static let secrets: Set<String> = [
    "passcode", "password", "newPassword", "oldPassword", "answer", "nextPasscode", "otp",
    "client_secret",
  ]

  /// What members of every recording say, because even the length of a value would name a place.
  static let replacements = ["timeZone": "Etc/UTC", "zoneinfo": "Etc/UTC", "locale": "en_US"]

  /// Objects about a person, an org or an app: only their types and times are kept.
  static let personal: Set<String> = [
    "user", "app", "profile", "idp", "brand", "organization", "address", "owner",
  ]

  /// The header fields that say how the conversation goes; all others are left out.
  static let headers: [String: Content] = [
    "accept": .constant, "accept-language": .constant, "content-type": .constant,
    "retry-after": .number, "date": .time, "x-okta-request-id": .unknown,
    "x-rate-limit-limit": .number, "x-rate-limit-remaining": .number,
    "x-rate-limit-reset": .time, "location": .unknown, "www-authenticate": .text,
    "authorization": .constant, "cookie": .unknown, "set-cookie": .unknown,
  ]

  private static let constants: Set<String> = [
    "version", "allow", "rel", "name", "type", "method", "produces", "accepts", "intent", "class",
    "key", "relatesTo", "status", "factorResult", "hint", "algorithm", "sharedSecretEncoding",
    "errorCode", "error", "token_type", "alg", "typ", "use", "kty", "e", "amr", "scp", "ver",
    "subject_types_supported", "response_types_supported", "response_modes_supported",
    "grant_types_supported", "id_token_signing_alg_values_supported", "scopes_supported",
    "code_challenge_methods_supported", "token_endpoint_auth_methods_supported",
    "claims_supported", "challengeType", "challenge_type", "inputMode", "autocomplete",
    "vendorName", "enrollmentType", "userVerification", "residentKey", "attestation",
    "authenticatorAttachment", "rule", "complexity", "excludeAttributes",
    "challengeMethod", "binding_method", "challenge_types_supported", "supported_challenge_types",
    "recoveryType", "mutable", "required", "visible", "secret",
  ]

  private static let claims: Set<String> = ["type", "amr", "scp", "ver", "token_type", "scope"]

  private static let texts: Set<String> = [
    "label", "message", "displayName", "text", "description", "errorSummary", "title",
    "error_description", "placeholder", "params", "question", "questionText", "label-bottom",
  ]

  private static let times: Set<String> = [
    "expiresAt", "exp", "iat", "nbf", "auth_time", "updated_at", "created", "lastUpdated",
    "passwordChanged", "lastLogin", "activated",
  ]

  private static let fields: Set<String> = [
    "methodType", "channel", "factorType", "provider", "providerType", "questionKey",
    "questionKeys", "grant_type", "response_type", "response_mode", "code_challenge_method",
    "scope", "prompt",
    "token_type_hint", "primary_channel", "channel_hint", "type",
  ]

  private static let numbers: Set<String> = [
    "refresh", "expires_in", "interval", "timeStep", "digits", "minLength", "maxLength",
    "min", "max", "minLowerCase", "minUpperCase", "minNumber", "minSymbol", "historyCount",
    "minAgeMinutes", "maxAttempts", "codeLength", "passCodeLength", "timeIntervalInSeconds",
    "timeout", "timeoutMillis", "max_age", "daysToExpiry", "maxConsecutive", "status",
    "timeoutSeconds", "graceful", "skipCount", "alg", "period",
  ]
}
