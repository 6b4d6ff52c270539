public import IDX
public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A sign-in at one moment: everything that is needed to continue it, here or in another process.
///
/// ``snapshot()`` writes it for another process. A snapshot contains secrets in the clear (the interaction
/// handle, the PKCE verifier, the cookies, the response with its state handle), so protect it like a
/// password, and delete it when the sign-in ends.
public struct FlowState: Sendable, Hashable {
  /// The version of the format that ``snapshot()`` writes.
  public static let formatVersion = 5

  /// The protocol of the client that continues the sign-in.
  public var signInProtocol: SignInProtocol { start.signInProtocol }
  /// The org and the app.
  public var configuration: FlowConfiguration { start.configuration }
  /// The `state` that a browser must bring back (RFC 6749, section 10.12).
  public var redirectState: Secret { start.redirectState }
  /// The `nonce` that the ID token must contain.
  public var nonce: Secret { start.nonce }
  /// The PKCE pair, which ties the tokens to this sign-in.
  public var pkce: PKCE { start.pkce }
  /// The greatest age that the ID token may name for the sign-in, in seconds (`max_age`); nil for any age.
  public var maximumAge: Int? { start.maximumAge }
  /// The handle of the sign-in at Identity Engine; empty for other protocols.
  var interactionHandle: Secret { start.interactionHandle }
  private let start: Start

  /// The last response of the server.
  public let response: IDXResponse
  /// The HTTP status of that response.
  public let status: Int
  /// Okta's ID of the last request (`X-Okta-Request-Id`); nil if the server sent none.
  public let requestID: String?

  /// What the sign-in ended with; nil until it has succeeded, or if the code is in the response.
  public let success: Success?
  /// What the client must remember about the sign-in, such as an `mfa_token`, and only the client reads; nil
  /// for Identity Engine.
  public let clientState: JSONValue?

  /// The cookies that the server has set, for the next requests of this sign-in.
  public package(set) var cookies: CookieJar

  /// When the server accepts answers again, if it has said so; nil otherwise, and after the state was saved.
  package private(set) var acceptsAfter: Date?

  /// The end of a successful sign-in: a code or session token to exchange for tokens, or the tokens.
  public indirect enum Success: Sendable, Hashable, Codable {
    /// The code that a browser brought back.
    case code(Secret)
    /// The address of the org that leads to a code.
    case redirect(Secret)
    /// The token that the authorization endpoint accepts instead of a browser's session
    /// (`sessionToken`).
    case sessionToken(Secret)
    /// The tokens themselves, unchecked.
    case tokens(Tokens)
  }

  package init(
    _ start: Start, response: IDXResponse, status: Int, requestID: String?, success: Success? = nil,
    clientState: JSONValue? = nil, cookies: CookieJar? = nil
  ) {
    self.start = start
    self.response = response
    self.status = status
    self.requestID = requestID
    self.success = success
    self.clientState = clientState
    self.cookies = cookies ?? CookieJar(issuer: start.configuration.issuer)
  }

  /// Whether the sign-in has succeeded and can be redeemed for tokens.
  public var isSignedIn: Bool { response.issue != nil || success != nil }

  /// Whether there is nothing left to answer although the sign-in has not succeeded.
  public var isAtEnd: Bool { response.isTerminal && !isSignedIn }

  /// The same sign-in after another response.
  ///
  /// `success` is what the sign-in ended with, and `clientState` what the client must remember from now on.
  /// Both replace the earlier ones, also with nil.
  public func advanced(
    to response: IDXResponse, status: Int = 200, requestID: String? = nil,
    success: Success? = nil, clientState: JSONValue? = nil
  ) -> FlowState {
    FlowState(
      start, response: response, status: status, requestID: requestID, success: success,
      clientState: clientState, cookies: cookies)
  }

  /// The same state at a server that accepts no answers before a time.
  package func accepting(after date: Date?) -> FlowState {
    var state = self
    state.acceptsAfter = date
    return state
  }

  /// Throws a ``/IDXOAuth/FlowError`` with the code `unreadableState` if the sign-in belongs to a client of
  /// another protocol.
  public func check(for client: SignInProtocol) throws {
    guard signInProtocol == client else {
      throw FlowError(
        .unreadableState,
        "This sign-in was started by a client for “\(signInProtocol)”. A client for “\(client)” cannot"
          + " continue it.")
    }
  }
}

extension FlowState {
  /// What does not change during a sign-in.
  ///
  /// It is one object, because states are copied often, and it is the largest part of them.
  package final class Start: Sendable, Hashable {
    let signInProtocol: SignInProtocol
    let configuration: FlowConfiguration
    let interactionHandle: Secret
    let pkce: PKCE
    let redirectState: Secret
    let nonce: Secret
    let maximumAge: Int?

    package init(
      _ signInProtocol: SignInProtocol, _ configuration: FlowConfiguration,
      interactionHandle: Secret,
      pkce: PKCE, redirectState: Secret, nonce: Secret, maximumAge: Int? = nil
    ) {
      self.signInProtocol = signInProtocol
      self.configuration = configuration
      self.interactionHandle = interactionHandle
      self.pkce = pkce
      self.redirectState = redirectState
      self.nonce = nonce
      self.maximumAge = maximumAge
    }

    package static func == (left: Start, right: Start) -> Bool {
      left === right
        || left.signInProtocol == right.signInProtocol && left.configuration == right.configuration
          && left.interactionHandle == right.interactionHandle && left.pkce == right.pkce
          && left.redirectState == right.redirectState && left.nonce == right.nonce
          && left.maximumAge == right.maximumAge
    }

    /// The secrets are random, so one tells sign-ins apart.
    package func hash(into hasher: inout Hasher) { hasher.combine(nonce) }
  }
}

// MARK: - States for clients of other protocols

extension FlowState {
  /// A new sign-in of a client that speaks another protocol than Identity Engine's.
  ///
  /// `random` makes the secrets that tie the tokens to this sign-in. Throws a ``/IDXOAuth/FlowError`` with
  /// the code `unexpectedResponse` if the draft cannot be read as a response.
  public init(
    signInProtocol: SignInProtocol, configuration: FlowConfiguration,
    draft: IDXResponse.Draft, clientState: JSONValue? = nil, status: Int = 200,
    requestID: String? = nil, maximumAge: Int? = nil, random: RandomBytes = .system
  ) throws {
    let start = Start(
      signInProtocol, configuration, interactionHandle: "", pkce: PKCE(random: random),
      redirectState: Secret(random.token()), nonce: Secret(random.token()), maximumAge: maximumAge)
    self.init(
      start, response: try Self.response(draft), status: status, requestID: requestID,
      clientState: clientState)
  }

  /// The same sign-in after a response that the client makes.
  ///
  /// The parameters are those for a response of the server. Throws a ``/IDXOAuth/FlowError`` with the code
  /// `unexpectedResponse` if the draft cannot be read as a response.
  public func advanced(
    to draft: IDXResponse.Draft, status: Int = 200, requestID: String? = nil,
    success: Success? = nil, clientState: JSONValue? = nil
  ) throws -> FlowState {
    advanced(
      to: try Self.response(draft), status: status, requestID: requestID, success: success,
      clientState: clientState)
  }

  private static func response(_ draft: IDXResponse.Draft) throws -> IDXResponse {
    do { return try draft.response() } catch {
      throw FlowError(
        .unexpectedResponse, "The server sent something that cannot be shown. \(error)",
        underlying: error)
    }
  }
}

extension Remediation.Field.Draft {
  /// The field for the username, with the known one as its value.
  package static func username(_ known: String?) -> Remediation.Field.Draft {
    Remediation.Field.Draft(
      "identifier", label: "Username", isRequired: true, value: known.map(JSONValue.string))
  }
}

// MARK: - Saving

extension FlowState {
  /// Writes the state as JSON, its secrets in the clear.
  ///
  /// Anyone who can read it can continue the sign-in. Anyone who can change it can decide what the person
  /// is asked for, so keep it where only your app can write, or authenticate it (for example with
  /// AES-GCM).
  public func snapshot() throws -> Data { try JSONEncoder().encode(FlowStateSnapshot(state: self)) }

  /// Reads a state that ``snapshot()`` wrote, also one with format 1, 2 or 3, which has no cookies.
  ///
  /// The state must belong to this configuration, so that a changed snapshot cannot send what the person
  /// types to another server. Throws a ``/IDXOAuth/FlowError`` with the code `unreadableState` if it does
  /// not, if a newer version wrote it, or if it is damaged.
  public init(snapshot: Data, for configuration: FlowConfiguration) throws {
    self = try FlowStateSnapshot.read(FlowStateSnapshot.self, from: snapshot).state
    try check(for: configuration)
  }

  /// Throws if the saved sign-in belongs to another configuration.
  func check(for configuration: FlowConfiguration) throws {
    guard self.configuration.signsIn(like: configuration) else {
      throw FlowError(
        .unreadableState,
        "The saved sign-in is for another org or app, or has other scopes. Sign in again.")
    }
  }
}

extension FlowError {
  /// What was saved of a sign-in cannot be read.
  package static func damagedSignIn(_ cause: (any Error)? = nil) -> FlowError {
    FlowError(.unreadableState, "The saved sign-in is damaged. Sign in again.", underlying: cause)
  }
}

/// The format of a saved state.
struct FlowStateSnapshot: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, signInProtocol = "flowProtocol", configuration, interactionHandle, pkce,
      redirectState, nonce,
      response, status, requestID, success, clientState, maximumAge, cookies
    // Members of version 1.
    case returnedCode, tokens
  }

  let state: FlowState

  init(state: FlowState) { self.state = state }

  /// Reads something that was saved; throws a ``FlowError`` if it is damaged.
  static func read<Saved: Decodable>(_ type: Saved.Type, from data: Data) throws -> Saved {
    do { return try JSONDecoder().decode(type, from: data) } catch let error
      where (error as? FlowError)?.code != .unreadableState
    {
      throw FlowError.damagedSignIn(error)
    }
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard (1...FlowState.formatVersion).contains(version) else {
      throw FlowError(
        .unreadableState,
        "The saved sign-in has format \(version), and this version reads formats 1 to "
          + "\(FlowState.formatVersion). Use the version that saved it, or sign in again.")
    }
    let text = try container.decode(String.self, forKey: .response)
    let response: IDXResponse
    do { response = try IDXResponse(parsing: text.utf8) } catch {
      throw FlowError(
        .unreadableState, "The saved sign-in is damaged. \(error)", underlying: error)
    }
    let handle = try container.decode(Secret.self, forKey: .interactionHandle)
    let clientState = try container.decodeIfPresent(String.self, forKey: .clientState)
    let success = try container.decodeIfPresent(FlowState.Success.self, forKey: .success)
    let code = try container.decodeIfPresent(Secret.self, forKey: .returnedCode)
    let tokens = try container.decodeIfPresent(Tokens.self, forKey: .tokens)
    let start = FlowState.Start(
      // Format 1 does not name the protocol. Only Identity Engine has a handle.
      try container.decodeIfPresent(SignInProtocol.self, forKey: .signInProtocol)
        ?? (handle.revealed.isEmpty ? .direct : .idx),
      try container.decode(FlowConfiguration.self, forKey: .configuration),
      interactionHandle: handle,
      pkce: try container.decode(PKCE.self, forKey: .pkce),
      redirectState: try container.decode(Secret.self, forKey: .redirectState),
      nonce: try container.decode(Secret.self, forKey: .nonce),
      maximumAge: try container.decodeIfPresent(Int.self, forKey: .maximumAge))
    state = FlowState(
      start, response: response,
      status: try container.decode(Int.self, forKey: .status),
      requestID: try container.decodeIfPresent(String.self, forKey: .requestID),
      success: success ?? code.map(FlowState.Success.code)
        ?? tokens.map(FlowState.Success.tokens),
      clientState: version < 3
        ? response.clientStateInForms : try clientState.map { try JSONValue(parsing: $0.utf8) },
      cookies: try container.decodeIfPresent(CookieJar.self, forKey: .cookies))
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(FlowState.formatVersion, forKey: .version)
    try container.encode(state.signInProtocol, forKey: .signInProtocol)
    try container.encode(state.configuration, forKey: .configuration)
    try container.encode(state.interactionHandle, forKey: .interactionHandle)
    try container.encode(state.pkce, forKey: .pkce)
    try container.encode(state.redirectState, forKey: .redirectState)
    try container.encode(state.nonce, forKey: .nonce)
    try container.encode(
      String(decoding: state.response.raw.bytes, as: UTF8.self), forKey: .response)
    try container.encode(state.status, forKey: .status)
    try container.encodeIfPresent(state.requestID, forKey: .requestID)
    try container.encodeIfPresent(state.success, forKey: .success)
    try container.encodeIfPresent(state.clientState?.text, forKey: .clientState)
    try container.encodeIfPresent(state.maximumAge, forKey: .maximumAge)
    if !state.cookies.isEmpty { try container.encode(state.cookies, forKey: .cookies) }
  }
}

extension IDXResponse {
  /// What a client had to remember before format 3: a fixed field of every form.
  fileprivate var clientStateInForms: JSONValue? {
    allForms.lazy.compactMap { $0["context"] }.first(where: \.isFixed)?.value
  }
}

extension FlowState: Redacted {
  /// The org and the names of the forms that it offers.
  public var description: String { "sign-in to \(configuration.issuer): \(response)" }
}
