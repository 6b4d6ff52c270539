public import IDX
public import OAuth

/// A sign-in at one moment: all that is needed to go on, here or in another process.
///
/// It can be encoded and decoded. The encoded form holds secrets in the clear (the interaction handle,
/// the PKCE verifier, the response with its state handle): whoever has it can go on with the sign-in,
/// so it belongs where a password would be kept, and no longer than the sign-in lasts.
public struct FlowState: Sendable, Hashable {
  /// The version of the encoded form that this package writes.
  public static let formatVersion = 1

  /// The org and the app.
  public let configuration: FlowConfiguration
  /// What a redirect back from a browser must carry as `state` (RFC 6749, section 10.12).
  public let redirectState: Secret
  /// What the ID token must carry as `nonce`.
  public let nonce: Secret
  /// What the server said last.
  public let response: Response
  /// The HTTP status of that response.
  public let status: Int
  /// Okta's id of the request that it answered; nil where it sent none.
  public let requestID: String?

  /// What the server knows the sign-in by; empty where the protocol has no such thing.
  let interactionHandle: Secret
  let pkce: PKCE
  /// The code that a browser brought back, which ends the sign-in.
  let returnedCode: Secret?
  /// The tokens, where the server gave them without a code; they have not been checked.
  package let tokens: Tokens?
  /// How old the sign-in may be that the ID token tells of, in seconds; nil for any age.
  let maximumAge: Int?

  init(
    configuration: FlowConfiguration, interactionHandle: Secret, pkce: PKCE, redirectState: Secret,
    nonce: Secret, response: Response, status: Int, requestID: String?,
    returnedCode: Secret? = nil, tokens: Tokens? = nil, maximumAge: Int? = nil
  ) {
    self.configuration = configuration
    self.interactionHandle = interactionHandle
    self.pkce = pkce
    self.redirectState = redirectState
    self.nonce = nonce
    self.response = response
    self.status = status
    self.requestID = requestID
    self.returnedCode = returnedCode
    self.tokens = tokens
    self.maximumAge = maximumAge
  }

  /// Whether the sign-in has succeeded, so that it can be redeemed for tokens.
  public var isSignedIn: Bool { response.issue != nil || returnedCode != nil || tokens != nil }

  /// Whether nothing is left to answer and the sign-in has not succeeded.
  public var isAtEnd: Bool { response.isTerminal && !isSignedIn }

  /// A sign-in with a server that is told everything with each answer.
  package init(
    configuration: FlowConfiguration, response: Response, status: Int = 200,
    requestID: String? = nil, tokens: Tokens? = nil
  ) {
    self.init(
      configuration: configuration, interactionHandle: "", pkce: PKCE(), redirectState: "",
      nonce: "", response: response, status: status, requestID: requestID, tokens: tokens)
  }

  /// The same sign-in after another response.
  func advanced(to response: Response, status: Int, requestID: String?) -> FlowState {
    FlowState(
      configuration: configuration, interactionHandle: interactionHandle, pkce: pkce,
      redirectState: redirectState, nonce: nonce, response: response, status: status,
      requestID: requestID, maximumAge: maximumAge)
  }

  /// The same sign-in, done: a browser brought the code.
  func finished(by code: Secret) -> FlowState {
    FlowState(
      configuration: configuration, interactionHandle: interactionHandle, pkce: pkce,
      redirectState: redirectState, nonce: nonce, response: response, status: status,
      requestID: requestID, returnedCode: code, maximumAge: maximumAge)
  }
}

extension FlowState: Codable {
  private enum CodingKeys: String, CodingKey {
    case version, configuration, interactionHandle, pkce, redirectState, nonce, response, status,
      requestID, returnedCode, tokens, maximumAge
  }

  /// Reads a saved state.
  ///
  /// Throws a ``FlowError`` where it was made by a newer version or is damaged.
  public init(from decoder: any Decoder) throws {
    do { try self.init(reading: decoder) } catch let error as DecodingError {
      throw FlowError(
        .unreadableState, "The saved sign-in is damaged. Sign in anew.", underlying: error)
    }
  }

  private init(reading decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let version = try container.decode(Int.self, forKey: .version)
    guard version == Self.formatVersion else {
      throw FlowError(
        .unreadableState,
        "The saved sign-in has format \(version), and this version reads format "
          + "\(Self.formatVersion). Use the version that saved it, or sign in anew.")
    }
    let text = try container.decode(String.self, forKey: .response)
    let response: Response
    do { response = try Response(parsing: text.utf8) } catch {
      throw FlowError(
        .unreadableState, "The saved sign-in is damaged. \(error)", underlying: error)
    }
    self.init(
      configuration: try container.decode(FlowConfiguration.self, forKey: .configuration),
      interactionHandle: try container.decode(Secret.self, forKey: .interactionHandle),
      pkce: try container.decode(PKCE.self, forKey: .pkce),
      redirectState: try container.decode(Secret.self, forKey: .redirectState),
      nonce: try container.decode(Secret.self, forKey: .nonce), response: response,
      status: try container.decode(Int.self, forKey: .status),
      requestID: try container.decodeIfPresent(String.self, forKey: .requestID),
      returnedCode: try container.decodeIfPresent(Secret.self, forKey: .returnedCode),
      tokens: try container.decodeIfPresent(Tokens.self, forKey: .tokens),
      maximumAge: try container.decodeIfPresent(Int.self, forKey: .maximumAge))
  }

  /// Writes the state, its secrets in the clear.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(Self.formatVersion, forKey: .version)
    try container.encode(configuration, forKey: .configuration)
    try container.encode(interactionHandle, forKey: .interactionHandle)
    try container.encode(pkce, forKey: .pkce)
    try container.encode(redirectState, forKey: .redirectState)
    try container.encode(nonce, forKey: .nonce)
    try container.encode(String(decoding: response.raw.bytes, as: UTF8.self), forKey: .response)
    try container.encode(status, forKey: .status)
    try container.encodeIfPresent(requestID, forKey: .requestID)
    try container.encodeIfPresent(returnedCode, forKey: .returnedCode)
    try container.encodeIfPresent(tokens, forKey: .tokens)
    try container.encodeIfPresent(maximumAge, forKey: .maximumAge)
  }
}

extension FlowState: CustomStringConvertible, CustomReflectable {
  /// The org and what it offers, nothing that is secret.
  public var description: String { "sign-in to \(configuration.issuer): \(response)" }
  /// The response, which hides what is secret.
  public var customMirror: Mirror { Mirror(self, children: ["response": response]) }
}
