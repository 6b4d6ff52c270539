import IDX
import IDXBase
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a response of the classic API means.
enum ClassicMeaning {
  /// The new transaction.
  case transaction(ClassicTransaction)
  /// The answer was wrong, and the same step is repeated.
  case refused([IDXMessage.Draft])
  /// The sign-in ended without tokens.
  case ended([IDXMessage.Draft], JSONValue?)
  /// The transaction is in another state than the client thought, so the server must be asked for it; what it says.
  case wrongState([IDXMessage.Draft])
}

/// Sends the requests of the classic API and reads their responses.
struct ClassicSender: Sendable {
  /// The path of the API, below the issuer's host.
  static let path = "/api/v1/authn"

  var http: IssuerClient

  /// Sends a body and reads the response.
  func send(
    _ body: JSONValue, to address: ClassicAction.Address, _ name: Remediation.Name,
    of configuration: FlowConfiguration
  ) async throws -> (ClassicMeaning, IssuerClient.Response) {
    let response = try await post(body, to: address, name, of: configuration)
    let json = try? JSONValue(parsing: response.body)
    if response.status < 300, let transaction = ClassicTransaction(json) {
      return (.transaction(transaction), response)
    }
    return (try refusal(response, json, name, hasStateToken: body["stateToken"] != nil), response)
  }

  /// Cancels a transaction; ignores a refusal and a lost response.
  func cancel(
    _ transaction: ClassicTransaction, of configuration: FlowConfiguration
  ) async throws {
    do {
      _ = try await post(
        transaction.addingStateToken(), to: .path("/cancel"), .cancel, of: configuration)
    } catch let error as FlowError { guard error.leavesUnknown else { throw error } }
  }

  private func post(
    _ body: JSONValue, to address: ClassicAction.Address, _ name: Remediation.Name,
    of configuration: FlowConfiguration
  ) async throws -> IssuerClient.Response {
    let url =
      switch address {
      case .link(let href): try http.address(href, for: name.rawValue, within: configuration)
      case .path(let path): try configuration.endpoint(Self.path + path)
      }
    return try await http.post(
      identifyingDevice(body).bytes, to: url, type: "application/json",
      headers: ["Origin": configuration.origin], stepName: name.rawValue)
  }

  /// A body with a password, with the ID of the person's device (`context.deviceToken`), if that is short enough.
  private func identifyingDevice(_ body: JSONValue) -> JSONValue {
    guard body["password"] != nil, let token = http.context.deviceToken?.revealed,
      token.count <= 32
    else { return body }
    return body.adding("context", ["deviceToken": .string(token)])
  }

  // MARK: Questions and images

  /// The security questions that can be chosen; nil if they cannot be fetched.
  func questions(
    at href: String, for name: Remediation.Name, of configuration: FlowConfiguration
  ) async throws -> JSONValue? {
    // Every later state contains the list.
    let maxSize = 64 * 1024
    do {
      let body = try await get(href, for: name, of: configuration)
      return body.flatMap { $0.count > maxSize ? nil : try? JSONValue(parsing: $0) }
    } catch let error as FlowError where error.code == .network { return nil }
  }

  /// The image of a QR code; nil if it cannot be fetched, because there may be other ways.
  func image(
    at href: String, of configuration: FlowConfiguration
  ) async throws -> ClassicClientState.Image? {
    let maxSize = 256 * 1024
    let pngSignature: [UInt8] = [0x89, 0x50, 0x4E, 0x47]
    do {
      let bytes = try await get(href, as: "image/png", for: .enrollPoll, of: configuration)
      guard let bytes, bytes.count <= maxSize, bytes.starts(with: pngSignature)
      else { return nil }
      let text = Data(bytes).base64EncodedString()
      return ClassicClientState.Image(href: href, dataURI: "data:image/png;base64,\(text)")
    } catch is FlowError { return nil }
  }

  private func get(
    _ href: String, as type: String = "application/json", for name: Remediation.Name,
    of configuration: FlowConfiguration
  ) async throws -> [UInt8]? {
    let response = try await http.get(
      try http.address(href, for: name.rawValue, within: configuration), ["Accept": type])
    return response.status == 200 ? response.body : nil
  }

  // MARK: Refusals

  /// The result if the server refused a request; throws if that is not about the answer.
  ///
  /// Without a state token, no transaction can have ended: an invalid token was typed, for example.
  private func refusal(
    _ response: IssuerClient.Response, _ json: JSONValue?, _ name: Remediation.Name,
    hasStateToken: Bool
  ) throws -> ClassicMeaning {
    let status = response.status
    // A code was sent too soon after another. All other requests are still possible.
    let tooSoon = ["E0000109", "E0000118", "E0000133"]
    guard (400..<500).contains(status), let code = json?["errorCode"]?.string,
      status != 429 || tooSoon.contains(code)
    else {
      throw http.failure(of: response, stepName: name.rawValue, isFirst: !hasStateToken)
    }
    let causes = (json?["errorCauses"]?.array ?? []).compactMap { Self.summary(in: $0) }
    let summary = Self.summary(in: json) ?? "The server refused the request (\(code))."
    let key: IDXMessage.Key =
      switch code {
      case "E0000004": .authenticationFailed
      case "E0000068": .passcodeInvalid
      case "E0000011" where hasStateToken: .sessionExpired
      default: IDXMessage.Key(rawValue: "errors.\(code)")
      }
    let messages = (causes.isEmpty ? [summary] : causes).map {
      IDXMessage.Draft(response.printable($0), key: key)
    }
    switch code {
    // The state token has expired, the account was locked, or access is forbidden.
    case "E0000011" where hasStateToken, "E0000069", "E0000006":
      return .ended(messages, json)
    case "E0000079" where hasStateToken: return .wrongState(messages)
    default: return .refused(messages)
    }
  }

  private static func summary(in json: JSONValue?) -> String? {
    json?["errorSummary"]?.string.flatMap { $0.isEmpty ? nil : $0 }
  }
}

// MARK: - Tokens

extension ClassicSender {
  /// Exchanges a session token for tokens, like a browser that has a session at the server.
  ///
  /// It requests an authorization code, reads the code from the redirect, and exchanges it. Source: RFC 6749,
  /// section 4.1; RFC 7636; OpenID Connect Core, section 3.1.2.
  func tokens(for sessionToken: Secret, of state: FlowState) async throws -> Tokens {
    let configuration = state.configuration
    let response = try await http.get(
      try authorizationURL(for: sessionToken, of: state), isRepeatable: false)
    let location = response.header("Location")
      .flatMap { URL(string: $0, relativeTo: configuration.endpoints["authorize"]) }?.absoluteURL
    guard let url = location, (300..<400).contains(response.status) else {
      throw response.status < 300
        ? browserNeeded(response)
        : http.failure(of: response, stepName: Remediation.Name.issue.rawValue)
    }
    let isReturn = RedirectReturn.isAddress(url, configuration.redirectURI)
    guard isReturn || Origin(url) != Origin(configuration.issuer) else {
      throw browserNeeded(response)
    }
    if isReturn, let refusal = RedirectReturn.refusal(in: url, of: state) {
      throw FlowError(
        .refused, refusal.description, remediation: .issue, status: response.status,
        requestID: response.requestID, underlying: refusal)
    }
    guard case .authorizationCode(let code) = try RedirectReturn(url, of: state) else {
      throw FlowError(
        .unexpectedResponse, "The server did not return an authorization code.",
        remediation: .issue, status: response.status, requestID: response.requestID)
    }
    let request = TokenRequest(
      authorizationCode: code, clientID: configuration.clientID,
      codeVerifier: state.pkce.verifier, redirectURI: try configuration.requiredRedirectURI)
    return try await http.redeemCode(
      request, of: configuration, stepName: Remediation.Name.issue.rawValue)
  }

  /// The error for a page of the org in place of a code: the policy of the app asks for more than that of the org.
  private func browserNeeded(_ response: IssuerClient.Response) -> FlowError {
    FlowError(
      .browserNeeded,
      "The org has accepted the sign-in, but the app asks for more, such as another factor. The classic authentication API "
        + "cannot answer that: it needs a browser.",
      remediation: .issue, status: response.status, requestID: response.requestID)
  }

  private func authorizationURL(for sessionToken: Secret, of state: FlowState) throws -> URL {
    let configuration = state.configuration
    var parameters =
      try configuration.authorizationParameters(
        state: state.redirectState, nonce: state.nonce, pkce: state.pkce)
      + [
        ("response_type", "code"), ("response_mode", "query"), ("prompt", "none"),
        ("sessionToken", sessionToken.revealed),
      ]
    if let age = state.maximumAge { parameters.append(("max_age", String(age))) }
    let endpoint = configuration.endpoints["authorize"].absoluteString
    guard let url = URL(string: "\(endpoint)?\(FormURLEncoding.encode(parameters))") else {
      throw FlowError(
        .invalidConfiguration, "The address of the authorization endpoint is not valid.")
    }
    return url
  }
}
