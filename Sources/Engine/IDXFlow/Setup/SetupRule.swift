/// How a mistake in the setup is recognized, and what to say about it.
///
/// Names in braces, such as `{issuer}`, stand for values of the configuration.
struct SetupRule {
  let kind: SetupProblem.Kind
  /// The codes, one of which the error must have: of this package, of OAuth, of the message of an end
  /// (`idx.…`), `id_token_` with a failed check, `http_` with a status, or what the org says about its engine.
  let codes: Set<String>
  /// Texts, one of which the explanation of the server or the system must contain; empty for any
  /// explanation.
  ///
  /// They are names of parameters and settings where possible, because sentences change.
  var words: [String] = []
  /// Whether the issuer must be a custom authorization server; nil if it does not matter.
  var isCustomServer: Bool?
  /// A text that the host must contain.
  var host: String?
  /// Whether only the first request of a sign-in counts.
  var isOnlyAtStart = false
  let explanation: String
  let remedy: String

  func fits(_ signs: SetupSigns, _ place: SetupPlace) -> Bool {
    !codes.isDisjoint(with: signs.codes)
      && (words.isEmpty || words.contains { signs.text.contains($0) })
      && (isCustomServer.map { $0 == place.isCustomServer } ?? true)
      && (host.map { place.host.contains($0) } ?? true)
      && (!isOnlyAtStart || signs.isAtStart)
  }
}

extension SetupRule {
  /// All rules; the first that fits counts.
  ///
  /// Sources: Okta's lists of OAuth errors and its support articles about
  /// them; the errors of libcurl and of URLSession.
  static let all: [SetupRule] = servers + apps + policies + computer

  private static let noServer: Set = ["http_404", "http_405", "unexpected_response"]

  private static let servers = [
    SetupRule(
      kind: .classicEngine, codes: [SetupProblem.Kind.classicEngine.rawValue],
      explanation:
        "The org {host} uses the Classic Engine, and this sign-in needs Identity Engine.",
      remedy: "Use the classic authentication API, or a browser."),
    SetupRule(
      kind: .identityEngine, codes: [SetupProblem.Kind.identityEngine.rawValue],
      explanation:
        "The org {host} uses Identity Engine, and refuses the classic authentication API.",
      remedy: "Use Identity Engine, the steps of the org's own page, or a browser."),
    SetupRule(
      kind: .adminAddress, codes: noServer.union(["refused", "unknown_host"]), host: "-admin.",
      explanation: "{host} is the address of the Admin Console, which has no authorization server.",
      remedy: "Use the address of the org as the issuer: {orgHost} in place of {host}."),
    SetupRule(
      kind: .wrongAuthorizationServer,
      codes: [
        "server_error", "access_denied", "invalid_request", "unauthorized_client", "refused",
      ],
      words: ["not enabled in this environment", "feature is not enabled"], isCustomServer: true,
      explanation: "The org may not use custom authorization servers such as {issuer}.",
      remedy:
        "Use the authorization server of the org as the issuer: {org}. Custom servers need the "
        + "feature API Access Management."),
    SetupRule(
      kind: .wrongAuthorizationServer, codes: ["http_404"], isCustomServer: true,
      isOnlyAtStart: true,
      explanation: "There is no authorization server at {issuer}.",
      remedy:
        "Copy the issuer from the Admin Console, under Security > API > Authorization Servers, "
        + "or use the authorization server of the org: {org}."),
    SetupRule(
      kind: .wrongAuthorizationServer, codes: ["http_404"], isCustomServer: false,
      isOnlyAtStart: true,
      explanation: "There is no authorization server at {issuer}.",
      remedy:
        "Check that {host} is the address of an Okta org with Identity Engine. The issuer of a "
        + "custom authorization server also has a path, such as {org}/oauth2/default."),
  ]

  private static let apps = [
    SetupRule(
      kind: .clientSecret, codes: ["invalid_client"], words: ["secret"],
      explanation: "The app {client} has a client secret, which is wrong or was not sent.",
      remedy: withoutSecret),
    SetupRule(
      kind: .wrongClientID, codes: ["invalid_client"], words: ["client_id", "no such client"],
      explanation: "The org {host} has no active app with the client ID {client}.",
      remedy:
        "In the Admin Console, open Applications > your app > General, copy the client ID, and "
        + "check that the app is active."),
    SetupRule(
      kind: .clientSecret, codes: ["invalid_client"],
      explanation:
        "The server does not accept the app {client} without a client secret, or does not "
        + "know it.",
      remedy: withoutSecret),
    SetupRule(
      kind: .clientSecret, codes: ["unauthorized_client", "invalid_request"],
      words: ["client_secret", "client authentication"],
      explanation: "The app {client} has a client secret, which was not sent.",
      remedy: withoutSecret),
    SetupRule(
      kind: .wrongRedirectURI, codes: ["invalid_request"], words: ["redirect_uri", "redirect uri"],
      explanation: "The redirect URI {redirect} is not registered for the app {client}.",
      remedy: "In the Admin Console, open Applications > your app > General, and add exactly this "
        + "address to the sign-in redirect URIs, or use one that is there."),
    SetupRule(
      kind: .grantTypeDisabled, codes: ["unauthorized_client", "unsupported_grant_type"],
      explanation: "The app {client} may not use the grant type {grant}.", remedy: grant),
    SetupRule(
      kind: .grantTypeDisabled, codes: ["access_denied", "invalid_request", "invalid_grant"],
      words: ["grant type", "grant_type", "interaction code", "interaction_code_not_enabled"],
      isOnlyAtStart: true,
      explanation: "The app {client} may not use the grant type {grant}.", remedy: grant),
    SetupRule(
      kind: .unknownScope, codes: ["invalid_scope"], isCustomServer: false,
      explanation: "The authorization server of the org does not know one of the scopes: {scopes}.",
      remedy: "Request standard scopes such as openid and profile, or use a custom authorization "
        + "server that has the scopes, such as {org}/oauth2/default."),
    SetupRule(
      kind: .unknownScope, codes: ["invalid_scope"],
      explanation: "The authorization server {issuer} does not know one of the scopes: {scopes}.",
      remedy:
        "In the Admin Console, open Security > API > Authorization Servers > {server} > Scopes "
        + "and add it, or request other scopes. For offline_access, also allow the grant type Refresh "
        + "Token for the app."),
  ]

  private static let withoutSecret =
    "Use the client ID of an app of the type Native: in the Admin Console, Applications > your app > "
    + "General > Client authentication must be None. Also check the client ID."
  static let otherGrant =
    "In the Admin Console, open Applications > your app > General > Grant type, and select {grant}."
  static let grant =
    otherGrant
    + " Interaction Code is listed if Settings > Account > Embedded widget sign-in support allows it."

  private static let policies = [
    SetupRule(
      kind: .notAssigned, codes: ["access_denied"], words: ["not assigned"],
      explanation: notAssigned, remedy: assign),
    SetupRule(
      kind: .notAssigned,
      codes: ["idx.error.code.user_not_assigned", "idx.error.user.not.assigned.to.app"],
      explanation: notAssigned, remedy: assign),
    SetupRule(
      kind: .noMatchingPolicy, codes: ["no_matching_policy", "idx.error.code.no_matching_policy"],
      isCustomServer: true, explanation: noRule, remedy: customPolicy),
    SetupRule(
      kind: .noMatchingPolicy, codes: ["no_matching_policy", "idx.error.code.no_matching_policy"],
      explanation: noRule, remedy: orgPolicy),
    SetupRule(
      kind: .noMatchingPolicy, codes: ["access_denied", "invalid_grant"], words: ["policy"],
      isCustomServer: true, explanation: noRule, remedy: customPolicy),
    SetupRule(
      kind: .noMatchingPolicy, codes: ["access_denied", "invalid_grant"], words: ["policy"],
      explanation: noRule, remedy: orgPolicy),
    // Last, because an org that says no more refuses the grant type at the first request.
    SetupRule(
      kind: .grantTypeDisabled, codes: ["access_denied"], isOnlyAtStart: true,
      explanation:
        "The app {client} may not sign in, probably because it may not use the grant type "
        + "{grant}.",
      remedy: grant),
  ]

  private static let notAssigned = "This user is not assigned to the app {client}."
  private static let assign =
    "In the Admin Console, open Applications > your app > Assignments and assign the user or a group."
  private static let noRule =
    "No policy rule allows this user to sign in to the app {client} with the scopes {scopes} and the "
    + "grant type {grant}."
  private static let customPolicy =
    "In the Admin Console, open Security > API > Authorization Servers > {server} > Access Policies, "
    + "and add a rule for the app that allows the grant type and the scopes."
  private static let orgPolicy =
    "In the Admin Console, open Applications > your app > Sign On, and check the rules of its "
    + "authentication policy."

  private static let computer = [
    SetupRule(
      kind: .wrongClock, codes: ["insecure"], words: ["expired", "not yet valid"],
      explanation:
        "The certificate of {host} is not valid at this time: the clock of this computer "
        + "may be wrong, or the certificate is too old.",
      remedy: SetupProblem.clockRemedy),
    SetupRule(
      kind: .wrongClock,
      codes: ["id_token_expired", "id_token_not_yet_valid", "id_token_issued_at"],
      // A time that cannot be read, or that contradicts another one, says nothing about this clock.
      words: ["clock"],
      explanation:
        "The times in the ID token do not fit the clock of this computer, which may be wrong.",
      remedy: SetupProblem.clockRemedy),
    SetupRule(
      kind: .untrustedCertificate, codes: ["insecure"], words: ["certificate"],
      explanation: "The certificate of {host} is not trusted, so nothing was sent.",
      remedy:
        "If your organization has a certificate authority of its own, trust the file with its "
        + "certificate. Otherwise somebody may be reading the connection: use another network."),
    SetupRule(
      kind: .notHTTPS, codes: ["insecure"], words: ["does not use https"],
      explanation: "The server at {org} does not use https, so nothing was sent.",
      remedy:
        "Check the host and the port of the address. Without a port, it is port 443."),
    SetupRule(
      kind: .proxyFailed, codes: ["proxy_refused"], words: ["username"],
      explanation: "The proxy does not connect to {host} without a valid username and password.",
      remedy: "Put them into https_proxy, as in http://user:password@proxy.example:3128."),
    SetupRule(
      kind: .proxyFailed, codes: ["proxy_refused"],
      explanation: "The proxy refuses to connect to {host}.",
      remedy: "Ask who runs the proxy to allow {host}, or add it to no_proxy."),
    SetupRule(
      kind: .proxyFailed, codes: ["unreachable", "unknown_host", "timed_out"], words: ["proxy"],
      explanation: "There is no connection to {host} through the proxy.",
      remedy: "Check the address of the proxy in https_proxy, or add {host} to no_proxy."),
    SetupRule(
      kind: .unknownHost, codes: ["unknown_host"],
      explanation: "There is no host with the name {host}, or names cannot be looked up.",
      remedy:
        "Check the name, the network connection and, if the host is on a private network, the "
        + "VPN."),
  ]
}
