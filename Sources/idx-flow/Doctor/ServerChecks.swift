import Foundation
import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXNetwork
import IDXOAuth

/// The checks of the connection, the org and the app.
struct ServerChecks: Sendable {
  /// Nil if the settings cannot be used.
  let setup: DoctorSetup?
  let limit: Duration

  private static let names = [
    "proxy", "dns", "connection", "tls", "discovery", "engine", "clock", "keys", "grant",
    "dpop",
  ]

  /// Adds the checks in order, each as soon as it is known; returns why the server refuses the redirect URI, nil if
  /// it does not.
  func run(_ add: (DoctorCheck) throws -> Void) async throws -> CommandFailure? {
    guard let setup else {
      try Self.names.forEach { try add(.skipped($0, "the configuration cannot be used")) }
      return nil
    }
    let issuer = setup.configuration.issuer
    let proxy = NetworkEnvironment.proxy(for: issuer)
    try add(.ok("proxy", proxy ?? "none is used"))
    try add(await lookUp(issuer.host ?? "", isByProxy: proxy != nil))

    let tokens = TokenClient(transport: setup.transport)
    let metadata = await result { try await tokens.metadata(of: issuer) }
    let connection = connection(metadata, setup)
    try add(connection)
    let tls = tls(metadata, setup)
    try add(tls)
    guard connection.verdict == .ok, tls.verdict != .failed else {
      for name in Self.names.suffix(6) {
        try add(.skipped(name, "there is no secure connection to the server"))
      }
      return nil
    }
    guard setup.onlySAMLApp == nil else {
      let reason = "the app uses SAML"
      try add(.skipped("discovery", reason))
      try add(await engine(tokens, setup))
      try add(clock(metadata))
      for name in Self.names.suffix(3) { try add(.skipped(name, reason)) }
      return nil
    }
    let discovery = discovery(metadata, setup)
    try add(discovery)
    let engine = await engine(tokens, setup)
    try add(engine)
    try add(clock(metadata))
    guard discovery.verdict == .ok else {
      for name in Self.names.suffix(3) {
        try add(.skipped(name, "the issuer is not an authorization server that can be used"))
      }
      return nil
    }
    try add(await keys(tokens, setup))
    guard engine.verdict != .failed else {
      for name in Self.names.suffix(2) {
        try add(.skipped(name, "the org does not use the engine that this protocol needs"))
      }
      return nil
    }
    let (grant, refusal) = await grant(metadata, setup)
    try add(grant)
    try add(await dpop(metadata, tokens, setup, isAppKnown: grant.verdict == .ok))
    return refusal
  }

  // MARK: Connection

  private func lookUp(_ host: String, isByProxy: Bool) async -> DoctorCheck {
    if isByProxy { return .skipped("dns", "the proxy looks up names") }
    if HostLookup.isAddress(host) {
      return .skipped("dns", "the issuer has an IP address in place of a name")
    }
    guard let lookup = await limited(to: limit, { await HostLookup.addresses(of: host) }) else {
      return .failed("dns", "\(host) was not looked up in time", Self.dnsRemedy, .network)
    }
    switch lookup {
    case .success(let addresses):
      return .ok("dns", "\(host) is \(addresses.prefix(3).joined(separator: ", "))")
    case .failure(let error):
      return .failed(
        "dns", "\(host) cannot be looked up: \(error.reason)", Self.dnsRemedy, .network)
    }
  }

  private static let dnsRemedy =
    "Check the spelling of the issuer, the network connection and, for a private network, the VPN."

  private func connection(
    _ metadata: Result<ServerMetadata, FlowError>, _ setup: DoctorSetup
  ) -> DoctorCheck {
    let host = setup.configuration.issuer.host ?? ""
    guard case .failure(let error) = metadata, error.code == .network else {
      return .ok("connection", "\(host) responds")
    }
    switch (error.underlying as? TransportError)?.code {
    case .insecure: return .ok("connection", "\(host) responds")
    // These are not about the connection.
    case nil, .requestRefused, .schemeRefused, .noDescriptors:
      return failed("connection", error, setup)
    default: break
    }
    let problem = SetupProblem(error, of: setup.configuration)
    return .failed(
      "connection", (error.underlying as? TransportError)?.message ?? error.message,
      problem?.remedy ?? "Check the network connection, the firewall and the proxy.", .network)
  }

  private func tls(
    _ metadata: Result<ServerMetadata, FlowError>, _ setup: DoctorSetup
  ) -> DoctorCheck {
    guard setup.configuration.issuer.scheme == "https" else {
      return .skipped("tls", "the issuer is on this computer and uses plain http")
    }
    guard case .failure(let error) = metadata, error.code == .network else {
      return .ok("tls", "the certificate is trusted")
    }
    guard let cause = error.underlying as? TransportError, cause.code == .insecure else {
      return .skipped("tls", "there is no connection to the server")
    }
    let problem = SetupProblem(error, of: setup.configuration)
    return .failed(
      "tls", cause.message,
      problem?.remedyWithOptions.description
        ?? "Check the proxy and the TLS settings of the server.",
      .network)
  }

  // MARK: The org

  private func discovery(
    _ metadata: Result<ServerMetadata, FlowError>, _ setup: DoctorSetup
  ) -> DoctorCheck {
    let issuer = setup.configuration.issuer.absoluteString
    switch metadata {
    case .failure(let error): return failed("discovery", error, setup)
    case .success(let metadata) where !setup.configuration.isIssuer(metadata.issuer):
      return .failed(
        "discovery", "the server says that its issuer is \(metadata.issuer), not \(issuer)",
        "Use \(metadata.issuer) as the issuer if you trust it.")
    case .success(let metadata):
      guard let place = metadata.foreignEndpoint(of: setup.configuration.issuer) else {
        return .ok("discovery", "\(issuer) is an authorization server")
      }
      return .failed(
        "discovery", "the server has an endpoint at \(place), which is another origin",
        "Use a server whose endpoints are all at the origin of the issuer.")
    }
  }

  private func engine(_ tokens: TokenClient, _ setup: DoctorSetup) async -> DoctorCheck {
    let issuer = setup.configuration.issuer
    let found = await limited(to: limit) { await tokens.engine(ofOrgAt: issuer) }
    guard let engine = found.flatMap(\.self) else {
      return .skipped("engine", "the org does not say which engine it uses")
    }
    if let problem = SetupProblem(
      engine: engine, in: setup.flow.signInProtocol, of: setup.configuration)
    {
      guard problem.kind == .identityEngine else {
        return .failed("engine", CommandFailure(problem))
      }
      return .warning(
        "engine", "the org uses Identity Engine, and may refuse the classic authentication API",
        problem.remedyWithOptions.description)
    }
    return .ok(
      "engine",
      engine == .classic
        ? "the org uses the Classic Engine" : "the org uses Identity Engine")
  }

  private func clock(_ metadata: Result<ServerMetadata, FlowError>) -> DoctorCheck {
    guard let date = try? metadata.get().date else {
      return .skipped("clock", "the server did not send its time")
    }
    // The time of the server is a whole number of seconds, and the response took a moment.
    let difference = Int((-date.timeIntervalSinceNow).rounded())
    let message = Self.clockMessage(secondsAhead: difference)
    let remedy = SetupProblem.clockRemedy
    switch abs(difference) {
    case ..<30: return .ok("clock", message)
    case ..<300:
      return .warning("clock", "\(message), so codes of authenticator apps may be wrong", remedy)
    default: return .failed("clock", "\(message), so ID tokens would be refused", remedy)
    }
  }

  /// How far this clock is ahead of the server's, or behind it, as people say it.
  static func clockMessage(secondsAhead: Int) -> String {
    guard secondsAhead != 0 else { return "this clock agrees with the server's" }
    let time = Duration.seconds(abs(secondsAhead)).spoken
    return "this clock is \(time) \(secondsAhead > 0 ? "ahead of" : "behind") the server's"
  }

  private func keys(_ tokens: TokenClient, _ setup: DoctorSetup) async -> DoctorCheck {
    switch await result({ try await tokens.fetchKeys(of: setup.configuration.issuer) }) {
    case .failure(let error): failed("keys", error, setup)
    case .success(0):
      .failed(
        "keys", "the server has no key for RS256 or ES256, with which ID tokens must be signed",
        "Ask the administrator to sign ID tokens with RS256.")
    case .success(let count): .ok("keys", "\(count) to check ID tokens with")
    }
  }

  // MARK: The app

  /// The check of the grant type, and why the server refuses the redirect URI, which has a check of its own.
  private func grant(
    _ metadata: Result<ServerMetadata, FlowError>, _ setup: DoctorSetup
  ) async -> (DoctorCheck, refusal: CommandFailure?) {
    if let listed = listedGrant(metadata, setup) { return (listed, nil) }
    let tokens = TokenClient(transport: setup.transport)
    switch setup.flow {
    case .browser, .classic:
      // With the classic API, the code comes from the same endpoint after the password.
      let client = BrowserClient(transport: setup.transport, tokens: tokens)
      switch await result({ try await client.isAppAccepted(setup.configuration) }) {
      case .failure(let error): return refused(error, setup)
      case .success(true):
        return (
          .ok("grant", "the authorization endpoint accepts the app and the redirect URI"), nil
        )
      case .success(false):
        let reason =
          "the server shows its sign-in page, so only a sign-in shows whether the app works"
        return (.warning("grant", reason, nil), nil)
      }
    case .direct, .device, .idx, .hosted: break
    }
    let client = setup.flow.client(over: setup.transport, tokens)
    let start = await result { try await client.start(setup.configuration) }
    if case .failure(let error) = start { return refused(error, setup) }
    return (started(start, setup), nil)
  }

  private func refused(
    _ error: FlowError, _ setup: DoctorSetup
  ) -> (DoctorCheck, refusal: CommandFailure?) {
    let failure = CommandFailure(
      error, signingInTo: setup.configuration, grantType: setup.flow.grantType)
    return failure.setup?.kind == .wrongRedirectURI
      ? (.skipped("grant", "the server refuses the redirect URI"), failure)
      : (failed("grant", error, setup), nil)
  }

  /// The check of the grant type by the list of the server; nil if the start of a sign-in says more.
  private func listedGrant(
    _ metadata: Result<ServerMetadata, FlowError>, _ setup: DoctorSetup
  ) -> DoctorCheck? {
    let flow = setup.flow
    let supported = (try? metadata.get().grantTypes) ?? []
    let missing = supported.isEmpty ? [] : flow.grants.filter { !supported.contains($0) }
    switch flow {
    case .classic:
      return setup.configuration.redirectURI == nil
        ? .skipped("grant", "the classic API responds only after a password") : nil
    case .browser, .device:
      return missing.isEmpty
        ? nil
        : .failed(
          "grant", "the server does not have the grant type \(flow.grantType)",
          "Use another protocol, such as --flow \(flow.name == "device" ? "browser" : "idx").")
    case .direct:
      guard !supported.isEmpty else {
        return .skipped("grant", "the server does not list its grant types")
      }
      return missing.isEmpty
        ? .warning(
          "grant", "the server has the grant types; only a sign-in shows whether the app has them",
          nil)
        : .failed(
          "grant", "the server does not have the grant type \(missing.joined(separator: ", "))",
          "In the Admin Console, enable direct authentication for the authorization server and the "
            + "app, or choose other factors with --first-factor.")
    case .idx, .hosted: return nil
    }
  }

  /// The check of the grant type by the start of a sign-in.
  private func started(_ start: Result<FlowState, FlowError>, _ setup: DoctorSetup) -> DoctorCheck {
    switch start {
    case .failure(let error): return failed("grant", error, setup)
    case .success(let state):
      if let problem = SetupProblem(endOf: state) {
        return failed("grant", CommandFailure(problem), setup)
      }
      guard !state.isAtEnd else {
        let text = state.response.allMessages.first?.text.map(\.sanitized) ?? "without a reason"
        return .failed("grant", "the server ends the sign-in at once: \(text)", nil, .refused)
      }
      let step = state.response.remediations.first?.name.rawValue ?? "none"
      return .ok("grant", "the app can sign in; the first step is \(step.sanitized)")
    }
  }

  /// Whether the server supports tokens that are bound to a key, and the app requires them.
  private func dpop(
    _ metadata: Result<ServerMetadata, FlowError>, _ tokens: TokenClient, _ setup: DoctorSetup,
    isAppKnown: Bool
  ) async -> DoctorCheck {
    let configuration = setup.configuration
    let algorithms = (try? metadata.get().proofAlgorithms) ?? []
    let isSupported = algorithms.contains("ES256")
    // Only the response to a request for tokens says whether the app requires it.
    guard !algorithms.isEmpty else {
      return configuration.dpop == .always
        ? .warning(
          "dpop", "the server does not list DPoP, so it may not bind tokens to a key",
          "If a sign-in is refused because of that, use --dpop when-required.")
        : .ok("dpop", "the server does not bind tokens to a key")
    }
    switch await result({ try await tokens.requiresProof(configuration) }) {
    case .failure(let error)
    where isAppKnown && (error.underlying as? OAuthError)?.code == .invalidClient:
      // The app needs a secret for tokens, which only a program on a server can keep.
      return failed("dpop", error, setup)
    case .failure:
      return .skipped("dpop", "the server does not say whether the app requires tokens with a key")
    case .success(true) where configuration.dpop == .never:
      return .failed(
        "dpop", "the app requires tokens that are bound to a key (DPoP)",
        "Use --dpop when-required, which is the default.")
    case .success(true) where !isSupported:
      return .failed(
        "dpop",
        "the app requires tokens that are bound to a key (DPoP), but the server does not accept ES256",
        "Ask the administrator to allow ES256.")
    case .success(true): return .ok("dpop", "the app requires tokens that are bound to a key")
    case .success(false):
      return .ok(
        "dpop", "the server can bind tokens to a key, and accepts requests of the app without one")
    }
  }

  // MARK: Requests

  /// The result of requests to the server.
  private func result<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async -> Result<Value, FlowError> {
    let late = FlowError(
      .network, "No response came in time.",
      underlying: TransportError(
        .timedOut, message: "No response came within \(limit / .seconds(1)) s",
        mayHaveArrived: true))
    return await limited(to: limit) {
      do { return .success(try await body()) } catch let error as FlowError {
        return .failure(error)
      } catch { return .failure(FlowError(.network, "\(error)")) }
    } ?? .failure(late)
  }

  private func failed(
    _ name: String, _ error: FlowError, _ setup: DoctorSetup
  ) -> DoctorCheck {
    failed(
      name,
      CommandFailure(
        error, signingInTo: setup.configuration, grantType: setup.flow.grantType), setup)
  }

  private func failed(
    _ name: String, _ failure: CommandFailure, _ setup: DoctorSetup
  ) -> DoctorCheck {
    .failed(name, failure, or: failure.otherWaysRemedy(insteadOf: setup.flow))
  }
}
