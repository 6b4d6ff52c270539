import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// The security token service (STS) of AWS, which gives keys of a role for an ID token.
///
/// Source: AWS STS API Reference, AssumeRoleWithWebIdentity. The request has no signature, and the response is XML.
struct SecurityTokenService: Sendable {
  let transport: any Transport
  var now: @Sendable () -> Date = { Date() }

  /// The longest time in seconds for which AWS gives keys, and a day for wrong clocks.
  private static let longestDuration: TimeInterval = 43_200 + 86_400

  /// Asks for keys; throws ``AWSRefusal`` if AWS gives none, and a ``CommandFailure`` without a response of AWS.
  func keys(for request: AWSKeyRequest, idToken: Secret) async throws -> AWSKeys {
    let response = try await send(request, idToken)
    let document = PlainXMLElement(parsing: response.body)
    guard response.status == 200 else {
      throw refusal(response, document.flatMap(Self.error(in:)), request, idToken)
    }
    let result = document?["AssumeRoleWithWebIdentityResult"]?["Credentials"]
    let receivedAt = now()
    guard document?.name == "AssumeRoleWithWebIdentityResponse",
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
    _ request: AWSKeyRequest, _ idToken: Secret
  ) async throws -> TransportResponse {
    var fields = [
      ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"),
      ("RoleArn", request.roleARN), ("RoleSessionName", request.sessionName),
      ("WebIdentityToken", idToken.revealed),
    ]
    if let duration = request.duration { fields.append(("DurationSeconds", "\(duration)")) }
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
    guard let text = element?.text.trimmed(), (1...limit).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) })
    else { return nil }
    return String(text)
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
    _ idToken: Secret
  ) -> AWSRefusal {
    // A server at a wrong address could repeat the token, or a part of it.
    let parts = idToken.revealed.split(separator: ".").map { Secret(String($0)) }
    let redactor = SecretRedactor([idToken] + parts)
    func clean(_ name: String, _ limit: Int) -> String {
      let text = redactor.removed(from: error?[name]?.text ?? "").shortened(to: limit)
      return Self.repeats(idToken.revealed, text) ? "" : text.sanitized
    }
    return AWSRefusal(
      code: clean("Code", 100), message: clean("Message", 400),
      status: response.status, endpoint: request.endpoint)
  }

  /// Whether a text has a piece of a secret, which may be much longer than the text.
  private static func repeats(_ secret: String, _ text: String) -> Bool {
    func pieces(_ text: String) -> some Sequence<ArraySlice<UInt8>> {
      let bytes = Array(text.utf8)
      return (0..<max(bytes.count - piece + 1, 0)).lazy.map { bytes[$0..<$0 + piece] }
    }
    let own = Set(pieces(text))
    return pieces(secret).contains(where: own.contains)
  }

  /// How many characters in a row of a token are a piece of it: no sentence of AWS has them by chance.
  private static let piece = 12
}

/// Why AWS gave no keys.
struct AWSRefusal: Error {
  /// The code, such as `AccessDenied`; empty if the response is not one of AWS.
  let code: String
  /// The sentence of AWS; it may be empty.
  let message: String
  /// The status of the response.
  let status: Int
  let endpoint: URL

  /// What it means, and what to do about it.
  ///
  /// The values that have to be in the configuration of AWS are named, because a person has to compare them.
  func failure(_ role: AWSRole, _ credential: Credential, signIn: String) -> CommandFailure {
    let explanation = explanation(role, credential, signIn)
    let said = [code, message].filter { !$0.isEmpty }.joined(separator: ": ")
    let quote: Sentence = said.isEmpty ? "" : " AWS says: \(said)"
    return CommandFailure(
      explanation.exitCode, "\(explanation.sentence)\(quote)",
      code: code.isEmpty ? "aws_response" : "aws_\(code)", remedy: explanation.remedy)
  }

  private typealias Explanation = (exitCode: ExitCode, sentence: Sentence, remedy: Sentence?)

  private func explanation(
    _ role: AWSRole, _ credential: Credential, _ signIn: String
  ) -> Explanation {
    let id = credential.id
    switch code {
    case "InvalidIdentityToken": return identityToken(role, id)
    case "ExpiredTokenException", "ExpiredToken":
      return (
        .refused, "For AWS, the ID token has expired.",
        "Run idx-flow refresh. If that does not help: \(Sentence(template: SetupProblem.clockRemedy))"
      )
    case "AccessDenied", "AccessDeniedException":
      let name = AWSRole.providerName(of: id.issuer)
      let subject = id.subject.map { subject -> Sentence in
        ", and if it has a condition for \(name):sub, that must accept \(subject)"
      }
      return (
        .refused,
        "The role \(role.arn) does not exist, or its trust policy does not accept this sign-in.",
        "In the trust policy of the role, the principal must be Federated \(role.provider(for: id.issuer)), "
          + "the action sts:AssumeRoleWithWebIdentity, the condition for \(name):aud must accept "
          + "\(id.clientID)\(subject ?? Sentence(text: ""))."
      )
    case "ValidationError": return validation(role)
    case "IDPRejectedClaim":
      return (
        .refused,
        "AWS asked \(id.issuer.absoluteString), which does not accept the ID token any more.",
        "Sign in again: \(signIn)"
      )
    case "IDPCommunicationError":
      return (
        .network, "AWS could not reach \(id.issuer.absoluteString) to check the ID token.",
        "Try again. AWS must reach the issuer from the internet."
      )
    case "RegionDisabledException":
      return (
        .usage,
        "The account \(role.account) does not use AWS STS in the region of \(Origin(endpoint)).",
        "Use another one with --region, or activate it in the account settings of IAM."
      )
    case "Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException":
      return (.rateLimited, "AWS gets too many requests.", "Try again in a minute.")
    case "PackedPolicyTooLarge", "MalformedPolicyDocument":
      return (
        .refused, "AWS cannot use the policies or the tags of the session.",
        "Ask the administrator of the app which claims about tags the ID token has."
      )
    default: return other
    }
  }

  private func identityToken(_ role: AWSRole, _ id: Credential.ID) -> Explanation {
    let issuer = id.issuer.absoluteString
    let text = message.lowercased()
    if text.contains("no openidconnect provider found") {
      return (
        .refused, "The account \(role.account) of AWS has no identity provider for \(issuer).",
        """
        In this account, an administrator runs
        aws iam create-open-id-connect-provider --url \(issuer.shellWord) --client-id-list \
        \(id.clientID.shellWord)
        """
      )
    }
    if text.contains("audience") {
      return (
        .refused,
        "The identity provider \(role.provider(for: id.issuer)) does not have the audience \(id.clientID).",
        """
        In this account, an administrator runs
        aws iam add-client-id-to-open-id-connect-provider --client-id \(id.clientID.shellWord) \
        --open-id-connect-provider-arn \(role.provider(for: id.issuer).shellWord)
        """
      )
    }
    if text.contains("verification key") || text.contains("thumbprint")
      || text.contains("certificate")
    {
      return (
        .refused, "AWS cannot get the keys of \(issuer), with which it checks the ID token.",
        "AWS must reach the issuer from the internet, with a certificate that it trusts. The identity "
          + "provider in IAM must have the issuer exactly as it is here."
      )
    }
    return (
      .refused, "AWS does not accept the ID token of \(issuer).",
      "Check that the identity provider in IAM is for exactly this issuer, with the audience "
        + "\(id.clientID). If the keys of the issuer were changed just now, try again later."
    )
  }

  private func validation(_ role: AWSRole) -> Explanation {
    let text = message.lowercased()
    if text.contains("maxsessionduration") {
      return (
        .usage, "--duration is longer than the maximum session duration of the role \(role.arn).",
        "Use a shorter one, or raise the maximum in the settings of the role."
      )
    }
    return (
      .usage, "AWS does not accept a value of the request.",
      "Check --role-arn, --session-name and --duration."
    )
  }

  private var other: Explanation {
    let place = Origin(endpoint).description.sanitized
    if code.isEmpty {
      return (
        status >= 500 ? .network : .unexpected,
        "\(place) responded with HTTP status \(status), and not as AWS STS does.",
        "Check --region, --endpoint, the proxy and the variables of AWS."
      )
    }
    return status >= 500
      ? (.network, "AWS failed for a moment.", "Try again.")
      : (.refused, "AWS refused to give keys.", nil)
  }
}
