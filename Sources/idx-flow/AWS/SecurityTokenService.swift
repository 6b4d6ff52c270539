import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// What AWS gives keys for.
enum AWSIdentity: Sendable {
  case idToken(Secret)
  /// A SAML response in Base64, the ARN of the provider in IAM that AWS checks it with, and for how many seconds the
  /// org wants the keys to be valid; nil if it does not say.
  case saml(Secret, provider: String, duration: Int?)

  /// The action of STS.
  var action: String {
    switch self {
    case .idToken: "AssumeRoleWithWebIdentity"
    case .saml: "AssumeRoleWithSAML"
    }
  }

  fileprivate var secret: Secret {
    switch self {
    case .idToken(let secret), .saml(let secret, _, _): secret
    }
  }
}

/// The security token service (STS) of AWS, which gives keys of a role for an ID token or a SAML response.
///
/// Source: AWS STS API Reference, AssumeRoleWithWebIdentity and AssumeRoleWithSAML. The request has no signature, and
/// the response is XML.
struct SecurityTokenService: Sendable {
  let transport: any Transport
  /// For how long a refusal that may be over in a moment is asked again.
  var retryTime: Duration = .seconds(10)
  var sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  var now: @Sendable () -> Date = { Date() }

  /// The longest time in seconds for which AWS gives keys, and a day for wrong clocks.
  private static let longestDuration: TimeInterval = 43_200 + 86_400

  /// The largest SAML response that AWS accepts, in characters of Base64.
  private static let longestAssertion = 100_000

  /// Asks for keys, again if AWS refuses them for a moment; throws ``AWSRefusal`` if it gives none, and a
  /// ``CommandFailure`` without a response of AWS.
  func keys(for request: AWSKeyRequest, with identity: AWSIdentity) async throws -> AWSKeys {
    if case .saml(let assertion, _, _) = identity,
      assertion.revealed.utf8.count > Self.longestAssertion
    {
      throw CommandFailure(
        .refused,
        "The SAML response has \(assertion.revealed.utf8.count) characters, and AWS accepts at most \(Self.longestAssertion).",
        code: "aws_saml_size",
        remedy: "Ask the administrator of the app for fewer roles.")
    }
    do { return try await persistently(request, identity) } catch let error as AWSRefusal {
      // The org does not know how long the role allows. AWS has a default that each role allows.
      guard case .saml(let assertion, let provider, .some) = identity, request.duration == nil,
        error.isAboutDuration
      else { throw error }
      let identity = AWSIdentity.saml(assertion, provider: provider, duration: nil)
      return try await persistently(request, identity)
    }
  }

  /// Asks for keys until AWS gives them, refuses them for good, or the time is over.
  private func persistently(
    _ request: AWSKeyRequest, _ identity: AWSIdentity
  ) async throws -> AWSKeys {
    var pause: Duration = .milliseconds(500)
    var waited: Duration = .zero
    while true {
      do { return try await once(request, identity) } catch let error as AWSRefusal {
        guard error.isTransient, waited + pause <= retryTime else { throw error }
        try await sleep(pause)
        waited += pause
        pause *= 2
      }
    }
  }

  private func once(_ request: AWSKeyRequest, _ identity: AWSIdentity) async throws -> AWSKeys {
    let response = try await send(request, identity)
    let document = PlainXMLElement(parsing: response.body)
    guard response.status == 200 else {
      throw refusal(response, document.flatMap(Self.error(in:)), request, identity.secret)
    }
    let result = document?["\(identity.action)Result"]?["Credentials"]
    let receivedAt = now()
    guard document?.name == "\(identity.action)Response",
      let id = Self.value(result?["AccessKeyId"], atMost: 128),
      let key = Self.value(result?["SecretAccessKey"], atMost: 256),
      let token = Self.value(result?["SessionToken"], atMost: 16 << 10),
      let expiration = result?["Expiration"]?.text.trimmed(),
      let end = Date(timestamp: String(expiration)),
      end.timeIntervalSince(receivedAt) < Self.longestDuration
    else {
      throw CommandFailure(
        .unexpected,
        "The response of \("\(Origin(request.endpoint))".sanitized) does not contain keys as AWS sends them.",
        code: "aws_response", remedy: Self.endpointRemedy)
    }
    guard end > receivedAt else {
      throw CommandFailure(
        .usage, "AWS gave keys that have expired already, so the clock of this computer is wrong.",
        code: "aws_clock", remedy: Sentence(template: SetupProblem.clockRemedy))
    }
    return AWSKeys(
      request: request, accessKeyID: id, secretAccessKey: Secret(key), sessionToken: Secret(token),
      receivedAt: receivedAt, expiresAt: end)
  }

  private func send(
    _ request: AWSKeyRequest, _ identity: AWSIdentity
  ) async throws -> TransportResponse {
    var fields = [
      ("Action", identity.action), ("Version", "2011-06-15"), ("RoleArn", request.roleARN),
    ]
    var duration = request.duration
    switch identity {
    case .idToken(let token):
      fields += [
        ("RoleSessionName", request.sessionName ?? ""), ("WebIdentityToken", token.revealed),
      ]
    case .saml(let assertion, let provider, let suggested):
      fields += [("PrincipalArn", provider), ("SAMLAssertion", assertion.revealed)]
      duration = duration ?? suggested
    }
    if let duration { fields.append(("DurationSeconds", "\(duration)")) }
    let message = TransportRequest(
      method: "POST", url: request.endpoint,
      headers: ["Content-Type": FormURLEncoding.contentType, "Accept": "text/xml"],
      body: Array(FormURLEncoding.encode(fields).utf8),
      // A second response has other keys, and the first ones do no harm.
      isRepeatable: true)
    do { return try await transport.send(message) } catch let error as TransportError {
      throw CommandFailure(
        error.code == .responseTooLarge ? .unexpected : .network,
        "AWS cannot be asked: \(error.message.sanitized)", code: "aws_network",
        remedy: "Check the network connection and the proxy. \(Self.endpointRemedy)")
    }
  }

  private static let endpointRemedy: Sentence =
    "Check --region, --endpoint and the variables of AWS."

  /// A text of a response without spaces and control characters, which no keys contain; nil if it is another one.
  private static func value(_ element: PlainXMLElement?, atMost limit: Int) -> String? {
    guard let text = (element?.text.trimmed()).map({ String($0) }), text.isVisibleASCII,
      (1...limit).contains(text.utf8.count)
    else { return nil }
    return text
  }

  /// The error in a document of AWS; nil in any other, which is not quoted, because nobody knows what it repeats.
  private static func error(in document: PlainXMLElement) -> PlainXMLElement? {
    let error =
      switch document.name {
      case "ErrorResponse": document["Error"]
      case "Response": document["Errors"]?["Error"]
      default: PlainXMLElement?.none
      }
    return error.flatMap { error in
      error["Code"].map { isCode(Substring($0.text.trimmed())) } == true ? error : nil
    }
  }

  /// Whether a text can be a code of AWS, such as `AccessDenied` or `Client.InternalError`.
  private static func isCode(_ text: Substring) -> Bool {
    (1...100).contains(text.utf8.count)
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0 & ~0x20) || $0 == 0x2E
      }
  }

  private func refusal(
    _ response: TransportResponse, _ error: PlainXMLElement?, _ request: AWSKeyRequest,
    _ secret: Secret
  ) -> AWSRefusal {
    // A server at a wrong address could repeat the token or the response, or a part of it, also with other characters
    // between.
    func clean(_ name: String, _ limit: Int) -> String {
      let text = (error?[name]?.text ?? "").sanitized.shortened(to: limit)
      return Self.repeats(secret.revealed, text) ? "" : text
    }
    return AWSRefusal(
      code: clean("Code", 100), message: clean("Message", 400),
      status: response.status, endpoint: request.endpoint)
  }

  /// Whether a text has a piece of a secret, which may be much longer than the text.
  private static func repeats(_ secret: String, _ text: String) -> Bool {
    func pieces(_ text: String) -> some Sequence<ArraySlice<UInt8>> {
      let bytes = text.utf8.filter { $0.isASCIIAlphanumeric }
      return (0..<max(bytes.count - piece + 1, 0)).lazy.map { bytes[$0..<$0 + piece] }
    }
    let own = Set(pieces(text))
    return !own.isEmpty && pieces(secret).contains(where: own.contains)
  }

  /// How many characters in a row of a token are a piece of it: no sentence of AWS has them by chance.
  private static let piece = 12
}

extension SecurityTokenService {
  /// The service over the network of a command line.
  init(_ call: CommandCall) throws {
    self.init(transport: try call.retrying(call.transport()), retryTime: try call.retryTime())
  }
}
