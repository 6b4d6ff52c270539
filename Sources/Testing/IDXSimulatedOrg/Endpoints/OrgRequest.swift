import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// A request to the org: where it goes, what it sends, and who asks.
struct OrgRequest {
  /// Who asks, as header fields say.
  struct Sender: Sendable {
    /// The token of the device; nil if it has none.
    var deviceToken: String?
    var words = Words.ofOrg(for: nil)
  }

  /// What a request sends.
  enum Input: Sendable {
    case nothing
    /// These parameters, in the query.
    case query(Set<String>)
    /// These parameters, form-encoded, and the client's authentication.
    case form(Set<String>, needsSecret: Bool = true)
    /// A JSON object; the refusal is for any other body.
    case json(else: Refusal)
  }

  let http: TransportRequest
  /// The address without the query, which does not change where a request goes (RFC 3986, section 3.4).
  let address: String
  let query: String
  let sender: Sender
  /// The parameters in the query or in a form-encoded body, without the client's secret.
  var parameters: [String: String] = [:]
  /// The JSON object in the body.
  private(set) var body = JSONValue.Object()

  init(_ http: TransportRequest) {
    self.http = http
    let parts = http.url.absoluteString.split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    address = String(parts[0])
    query = parts.count > 1 ? String(parts[1]) : ""
    sender = Sender(deviceToken: http.deviceToken, words: Words.ofOrg(for: http))
  }

  /// Whether a person sees the response.
  var isByBrowser: Bool {
    let sent = http.field("Content-Type") ?? FormURLEncoding.contentType
    return sent.hasPrefix(FormURLEncoding.contentType)
      && http.field("Accept")?.contains("text/html") == true
  }

  /// Reads the input of an endpoint, or throws if the request is not valid.
  mutating func read(
    _ input: Input, by methods: [String], as types: [String], _ settings: OrgSettings,
    _ rules: OrgRequestRules, at now: Date
  ) throws(Refusal) {
    switch input {
    case .nothing: try http.check(methods: methods, accepting: types)
    case .query(let known):
      try http.check(methods: methods)
      parameters = try Self.parameters(in: query, known: known, rules)
    case .form(let known, let needsSecret):
      try http.check(
        methods: methods, sending: [FormURLEncoding.contentType],
        accepting: types)
      try require(
        !query.contains("client_secret="),
        else: .oauth("invalid_request", "The client_secret must not be in the address."))
      let form = try Self.parameters(
        in: String(decoding: http.body, as: UTF8.self),
        known: known.union(ClientAssertion.parameters).union(["client_secret"]), rules)
      parameters = try authenticated(form, settings, rules, at: now, needsSecret: needsSecret)
    case .json(let refusal):
      try http.check(methods: methods, sending: types, accepting: types)
      guard let object = try? JSONValue(parsing: http.body).object else { throw refusal }
      body = object
    }
  }

  /// Throws if a parameter is repeated (RFC 6749, section 3.2); one that is unknown is refused by the strict rules, and
  /// ignored by others (section 3.1).
  private static func parameters(
    in text: String, known: Set<String>, _ rules: OrgRequestRules
  ) throws(Refusal) -> [String: String] {
    guard let pairs = FormURLEncoding.decode(text) else {
      throw .oauth("invalid_request", "The parameters are not form-encoded.")
    }
    var values: [String: String] = [:]
    for (name, value) in pairs where known.contains(name) || rules.isStrict {
      try require(
        known.contains(name) && values.updateValue(value, forKey: name) == nil,
        else: .oauth("invalid_request", "The parameter \(name) is unknown or repeated."))
    }
    return values
  }

  /// The parameters with the client ID and without the secret, after the client has authenticated (RFC 6749, section
  /// 2.3.1).
  private func authenticated(
    _ form: [String: String], _ settings: OrgSettings, _ rules: OrgRequestRules, at now: Date,
    needsSecret: Bool
  ) throws(Refusal) -> [String: String] {
    var form = form
    if let text = form.removeValue(forKey: "client_assertion") {
      let type = form.removeValue(forKey: "client_assertion_type")
      // RFC 6749, section 2.3.
      try require(
        form["client_secret"] == nil && http.field("Authorization") == nil,
        else: .oauth("invalid_request", "The client authenticates in two ways.", status: 401))
      let id = form.updateValue(settings.clientID, forKey: "client_id")
      try require(
        type == ClientAssertion.type && [settings.clientID, nil].contains(id)
          && ClientAssertion(text: text).isValid(for: settings, rules, at: now),
        else: .failedAuthentication(nil))
      return form
    }
    var secret = form.removeValue(forKey: "client_secret").map { Secret($0) }
    let field = http.field("Authorization")
    if let field {
      try require(
        secret == nil && form["client_id"] == nil,
        else: .oauth(
          "invalid_request", "The client authenticates in the header field and in the body.",
          status: 401))
      guard let pair = Self.basicCredentials(field) else { throw .failedAuthentication(field) }
      (form["client_id"], secret) = pair
    }
    let isKnown = form["client_id"] == settings.clientID
    // Without a secret, the endpoint checks the client ID.
    let hasProof = settings.clientSecret != nil || rules.clientKeys != nil
    let isPublic = secret == nil && (!hasProof || !needsSecret)
    try require(
      isPublic
        ? field == nil || isKnown
        : isKnown && secret != nil && secret == settings.clientSecret,
      else: .failedAuthentication(field))
    return form
  }

  /// The client ID and the secret; some clients without a secret leave out the colon too.
  private static func basicCredentials(_ field: String) -> (id: String, secret: Secret?)? {
    let words = field.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "basic",
      let pair = Data(base64Encoded: String(words[1]))
    else { return nil }
    let parts = pair.split(
      separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false
    ).map { FormURLEncoding.percentDecode($0, plusAsSpace: true) }
    guard let id = parts[0] else { return nil }
    guard parts.count > 1 else { return (id, nil) }
    return parts[1].map { (id, Secret($0)) }
  }
}

// MARK: - Parameters that several endpoints need

extension OrgRequest {
  static let knownScopes = ["openid", "profile", "email", "phone", "address", "offline_access"]

  /// A parameter that must be there, and not be empty.
  func required(_ name: String) throws(Refusal) -> String {
    guard let value = parameters[name], !value.isEmpty else {
      throw .oauth("invalid_request", "The parameter \(name) is required.")
    }
    return value
  }

  func checkClient(_ settings: OrgSettings) throws(Refusal) {
    try require(
      parameters["client_id"] == settings.clientID,
      else: .oauth(
        "invalid_client", "The value of the parameter client_id is invalid.", status: 401))
  }

  /// The redirect URI of a known client, which is registered: there is no redirect to another address.
  func redirectURI(_ settings: OrgSettings) throws(Refusal) -> String {
    try require(
      parameters["client_id"] == settings.clientID,
      else: .oauth("invalid_client", "There is no client with this client_id."))
    guard let address = parameters["redirect_uri"], settings.redirectURIs.contains(address) else {
      throw .oauth("invalid_request", "The redirect_uri is not registered.")
    }
    return address
  }

  /// The requested scopes; at least one, and all of them must be known.
  func scopes() throws(Refusal) -> [String] {
    let scopes = askedScopes ?? []
    guard !scopes.isEmpty, scopes.allSatisfy(Self.knownScopes.contains) else { throw .unknownScope }
    return scopes
  }

  /// The requested scopes; nil if the request has none.
  var askedScopes: [String]? { parameters["scope"]?.split(separator: " ").map(String.init) }

  /// The parameters of a client's first request, which must have a state, and a code challenge unless the client proves
  /// itself with the code.
  func authorization(
    redirectURI: String, needsChallenge: Bool = true, keyThumbprint: String? = nil
  ) throws(Refusal) -> AuthorizationRequest {
    let challenge = parameters["code_challenge"]
    let isValid = challenge.map { challenge in
      parameters["code_challenge_method"] == PKCE.method && challenge.utf8.count == 43
        && Base64URL.decode(challenge) != nil
    }
    try require(
      isValid ?? !needsChallenge,
      else: .oauth("invalid_request", "A code_challenge with the method S256 is required."))
    guard let state = parameters["state"], !state.isEmpty else {
      throw .oauth("invalid_request", "The state is required.")
    }
    return AuthorizationRequest(
      redirectURI: redirectURI, codeChallenge: challenge, state: state, scopes: try scopes(),
      nonce: parameters["nonce"],
      // The classes are in order of preference (OpenID Connect Core, section 3.1.2.1).
      authenticationContext: parameters["acr_values"]?.split(separator: " ").first.map(String.init),
      keyThumbprint: keyThumbprint)
  }
}

// MARK: - Header fields

extension TransportRequest {
  /// The token of the device: from the cookie, or from the header field of a server that signs people in.
  var deviceToken: String? {
    field("X-Device-Token") ?? cookie("DT")
  }

  /// The value of a cookie; nil if the request does not have it.
  func cookie(_ name: String) -> String? {
    let cookies = (field("Cookie") ?? "").split(separator: ";").map { $0.trimmed() }
    return cookies.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
  }

  func field(_ name: String) -> String? {
    headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  /// Throws if the method or a media type is wrong.
  ///
  /// Stricter than a real server: a request with a body needs its type, and a version of the format
  /// other than 1.0.0 is refused. A request without `Accept` accepts anything (RFC 9110, section 12.5.1).
  fileprivate func check(
    methods: [String], sending: [String] = [], accepting: [String] = []
  ) throws(Refusal) {
    try require(
      methods.contains(method),
      else: .api(
        "E0000022", "\(method) is not supported here.", status: 405,
        headers: ["Allow": methods.joined(separator: ", ")]))
    try require(
      sending.isEmpty || field("Content-Type").map({ Self.fits($0, sending) }) == true,
      else: .api("E0000021", "The body must be \(sending.joined(separator: " or ")).", status: 415))
    guard !accepting.isEmpty, let accepted = field("Accept") else { return }
    try require(
      accepted.split(separator: ",").contains { Self.fits(String($0), accepting + ["*/*"]) },
      else: .api(
        "E0000021", "The response must be \(accepting.joined(separator: " or ")).", status: 406))
  }

  private static func fits(_ text: String, _ types: [String]) -> Bool {
    let parts = text.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
    guard let type = parts.first, types.contains(type) else { return false }
    return parts.dropFirst().allSatisfy { parameter in
      switch parameter.split(separator: "=").first {
      case "okta-version": parameter == "okta-version=1.0.0"
      case "charset": parameter == "charset=utf-8"
      default: true
      }
    }
  }
}
