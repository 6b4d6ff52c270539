import IDX
public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A mistake in the setup of the app, of the org or of this computer, because of which nobody can sign in.
///
/// An error says what the server refused; this says what to change. It is for developers and
/// administrators, not for the people who sign in.
///
///     do { state = try await client.start(configuration) } catch let error as FlowError {
///       if let setup = SetupProblem(error, of: configuration, in: .idx) {
///         print(setup.explanation, setup.remedy, error)
///       }
///       throw error
///     }
public struct SetupProblem: Sendable, Hashable {
  /// A kind of mistake; later versions may add others.
  public struct Kind: OpenSet {
    /// The name, such as `wrong_client_id`.
    public let rawValue: String
    /// Creates a kind with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The issuer is the address of the Admin Console.
    public static let adminAddress: Kind = "admin_address"
    /// There is no authorization server at the issuer, or the org may not use it.
    public static let wrongAuthorizationServer: Kind = "wrong_authorization_server"
    /// The org uses the Classic Engine, and the protocol needs Identity Engine.
    public static let classicEngine: Kind = "classic_engine"
    /// The org uses Identity Engine, and refuses the classic authentication API.
    public static let identityEngine: Kind = "identity_engine"
    /// There is no app with the client ID.
    public static let wrongClientID: Kind = "wrong_client_id"
    /// The app has a client secret, and the request had none or a wrong one.
    public static let clientSecret: Kind = "client_secret"
    /// The redirect URI is not registered for the app.
    public static let wrongRedirectURI: Kind = "wrong_redirect_uri"
    /// The app or the authorization server does not allow the grant type.
    public static let grantTypeDisabled: Kind = "grant_type_disabled"
    /// The authorization server does not know a scope, or does not allow it.
    public static let unknownScope: Kind = "unknown_scope"
    /// No rule of a policy allows the app, the person, the grant type and the scopes together.
    public static let noMatchingPolicy: Kind = "no_matching_policy"
    /// The person is not assigned to the app.
    public static let notAssigned: Kind = "not_assigned"
    /// The clocks of this computer and the server differ.
    public static let wrongClock: Kind = "wrong_clock"
    /// The certificate of the server is not trusted.
    public static let untrustedCertificate: Kind = "untrusted_certificate"
    /// The server uses plain http, or another protocol, at the port of the issuer.
    public static let notHTTPS: Kind = "not_https"
    /// There is no way through the proxy.
    public static let proxyFailed: Kind = "proxy_failed"
    /// There is no host with the name.
    public static let unknownHost: Kind = "unknown_host"
  }

  /// How to correct a wrong clock.
  package static let clockRemedy =
    "Set the clock of this computer, for example: timedatectl set-ntp true"

  /// What is set up wrongly.
  public let kind: Kind
  /// What is wrong, in one sentence.
  public var explanation: String { "\(explanationSentence)" }
  /// What to change, and where, in one or two sentences.
  public var remedy: String { "\(remedySentence)" }
  /// The explanation, for another language.
  package let explanationSentence: Sentence
  /// The remedy, for another language.
  package let remedySentence: Sentence

  /// Recognizes the cause of an error; nil if the setup may be right.
  ///
  /// - Parameters:
  ///   - error: The error of a sign-in.
  ///   - configuration: The configuration of the sign-in.
  ///   - signInProtocol: The protocol of the sign-in, from which it follows which grant type the app needs; nil to
  ///     name those of all protocols.
  public init?(
    _ error: FlowError, of configuration: FlowConfiguration,
    in signInProtocol: SignInProtocol? = nil
  ) {
    self.init(error, of: configuration, grantType: SignInProtocol.grantType(of: signInProtocol))
  }

  /// Recognizes the cause of an error; `grantType` is what the app needs, as the Admin Console calls it.
  package init?(_ error: FlowError, of configuration: FlowConfiguration, grantType: String) {
    self.init(SetupSigns(error), SetupPlace(configuration, grantType: grantType))
  }

  /// Recognizes why a request to any server failed; nil if the reason may be another one.
  package init?(_ error: FlowError, at url: URL) {
    self.init(SetupSigns(error), SetupPlace(url))
  }

  /// Recognizes why the server ended a sign-in, by the keys of its messages (`idx.error.code.no_matching_policy`);
  /// nil if the setup may be right.
  public init?(endOf state: FlowState) {
    guard state.isAtEnd else { return nil }
    let grantType = SignInProtocol.grantType(of: state.signInProtocol)
    for key in state.response.allMessages.compactMap(\.key) {
      if let problem = Self(key, of: state.configuration, grantType: grantType) {
        self = problem
        return
      }
    }
    return nil
  }

  /// The English texts of all explanations and remedies, with names in braces, for a table of another language.
  package static var templates: [String] {
    SetupRule.all.flatMap { [$0.explanation, $0.remedy] } + [SetupRule.otherGrant]
  }

  /// Asks the org whether a sign-in could not start because the org has another engine; nil if that is not the reason.
  package init?(
    startFailingWith error: any Error, in signInProtocol: SignInProtocol,
    of configuration: FlowConfiguration, _ tokens: TokenClient
  ) async {
    // Only a response of the server can be about that, and a server that knows the app has the engine.
    guard let error = error as? FlowError, error.status != nil, error.code != .rateLimited,
      signInProtocol != .classic || error.code == .unexpectedResponse,
      SetupProblem(error, of: configuration, in: signInProtocol).map({
        [.wrongAuthorizationServer, .grantTypeDisabled].contains($0.kind)
      }) ?? true,
      let engine = await tokens.engine(ofOrgAt: configuration.issuer)
    else { return nil }
    self.init(engine: engine, in: signInProtocol, of: configuration)
  }

  /// Says that an org has another engine than a protocol needs; nil if it has that engine.
  package init?(
    engine: OrgEngine, in signInProtocol: SignInProtocol, of configuration: FlowConfiguration
  ) {
    let kind: Kind
    switch (engine, signInProtocol) {
    case (.classic, .idx), (.classic, .hosted): kind = .classicEngine
    case (.identityEngine, .classic): kind = .identityEngine
    default: return nil
    }
    self.init(
      SetupSigns(codes: [kind.rawValue], text: "", isAtStart: true),
      SetupPlace(configuration.issuer))
  }

  init?(_ key: IDXMessage.Key, of configuration: FlowConfiguration, grantType: String) {
    self.init(
      SetupSigns(codes: [key.rawValue], text: "", isAtStart: false),
      SetupPlace(configuration, grantType: grantType))
  }

  private init?(_ signs: SetupSigns, _ place: SetupPlace) {
    guard let rule = SetupRule.all.first(where: { $0.fits(signs, place) }) else { return nil }
    kind = rule.kind
    explanationSentence = place.sentence(rule.explanation)
    remedySentence = place.sentence(
      rule.remedy == SetupRule.grant && !place.needsInteractionCode
        ? SetupRule.otherGrant : rule.remedy)
  }
}

/// What an error says about the setup.
struct SetupSigns {
  /// The codes of the error and of its cause.
  let codes: Set<String>
  /// The text of the cause, in lowercase, without parameters and their values (`redirect_uri=…`), and empty if it
  /// names several parameters: a server that repeats the request names all of them, and not the one that is wrong.
  let text: String
  /// Whether the first request of the sign-in failed.
  let isAtStart: Bool

  /// The parameters of the first requests of a sign-in.
  private static let parameters = [
    "client_id", "redirect_uri", "response_type", "scope", "state", "nonce", "code_challenge",
    "grant_type", "code_verifier", "client_secret",
  ]

  init(codes: Set<String>, text: String, isAtStart: Bool) {
    self.codes = codes
    let text = text.lowercased()
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    let parameters = Self.parameters.filter { text.containsBytes(of: $0) }
    let plain = words.enumerated().filter { index, word in
      let isParameter =
        ["=", "%3d", "\":"].contains { word.containsBytes(of: $0) }
        || word.hasSuffix(":") && parameters.contains { word.containsBytes(of: $0) }
      let next = words.indices.contains(index + 1) ? words[index + 1] : ""
      return !isParameter && !["=", ":", "->"].contains { next.hasPrefix($0) }
    }
    self.text = parameters.count > 2 ? "" : plain.map(\.element).joined(separator: " ")
    self.isAtStart = isAtStart
  }

  init(_ error: FlowError) {
    var codes: Set = [error.code.rawValue]
    var text = error.message
    switch error.underlying {
    case let cause as OAuthError:
      codes.insert(cause.code.rawValue)
      text = cause.explanation ?? ""
    case let cause as TransportError:
      codes.insert(cause.code.rawValue)
      text = cause.message
    case let cause as IDTokenError: codes.insert("id_token_\(cause.code.rawValue)")
    default: break
    }
    if let status = error.status { codes.insert("http_\(status)") }
    self.init(codes: codes, text: text, isAtStart: error.stepName == nil)
  }
}

/// The parts of a configuration that the sentences name.
struct SetupPlace {
  let host: String
  /// Whether the issuer is a custom authorization server.
  let isCustomServer: Bool
  /// Whether the app needs the grant type of Identity Engine.
  private(set) var needsInteractionCode = false
  private var values: [String: Sentence.Value]

  /// The parts that an address has.
  init(_ url: URL) {
    host = url.host ?? ""
    isCustomServer = url.path.containsBytes(of: "/oauth2/")
    let texts = [
      "issuer": url.absoluteString, "host": host + (url.port.map { ":\($0)" } ?? ""),
      "org": Origin(url).description,
      "orgHost": host.split(separator: "-admin.", maxSplits: 1).joined(separator: "."),
      "server": url.path.split(separator: "/").last.map(String.init) ?? "default",
    ]
    values = texts.mapValues { .text($0.shortened(to: 200)) }
  }

  init(_ configuration: FlowConfiguration, grantType: String) {
    self.init(configuration.issuer)
    needsInteractionCode = grantType == SignInProtocol.idx.grantType
    let texts = [
      "client": configuration.clientID.printable,
      "redirect": (configuration.redirectURI ?? "").printable,
      "scopes": configuration.scopes.joined(separator: " ").printable, "grant": grantType,
    ]
    values.merge(texts.mapValues { .text($0.shortened(to: 200)) }) { $1 }
  }

  /// A sentence with the values for its names.
  func sentence(_ template: String) -> Sentence { Sentence(template: template, values: values) }
}
