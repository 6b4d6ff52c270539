import Expectations
import Foundation
import IDXBase
import IDXOAuth
import Testing

@testable import idx_flow

/// The security token service of AWS.
struct SecurityTokenServiceTests {
  private static let token =
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIwMHUxIn0.c2lnbmF0dXJlLW9mLXRoZS10b2tlbg"
  private static let start = Date(timeIntervalSince1970: 1_900_000_000)
  private static let arn = "arn:aws:iam::123456789012:role/NAME"
  private static let provider =
    "arn:aws:iam::123456789012:oidc-provider/dev-1234.okta.com/oauth2/default"

  private static let samlProvider = "arn:aws:iam::123456789012:saml-provider/Okta"
  private static let samlResponse = String(repeating: "PFJlc3BvbnNlPg", count: 40)

  private let requests = Locked<[TransportRequest]>([])

  /// Asks for keys; the service has these results, one after the other.
  private func ask(
    _ results: [Result<TransportResponse, TransportError>], _ identity: AWSIdentity,
    sessionName: String? = nil, duration: Int? = nil, samlApp: URL? = nil,
    retryTime: Duration = .zero, clock: TestClock = TestClock()
  ) async throws -> AWSKeys {
    let request = AWSKeyRequest(
      roleARN: Self.arn, sessionName: sessionName, duration: duration,
      endpoint: try require(URL(string: "https://sts.eu-west-1.amazonaws.com/")), samlApp: samlApp)
    let service = SecurityTokenService(
      transport: Results(results: Locked(results), requests: requests), retryTime: retryTime,
      sleep: { try await clock.sleep(for: $0) }, now: { Self.start })
    return try await service.keys(for: request, with: identity)
  }

  private func ask(
    _ result: Result<TransportResponse, TransportError>, duration: Int? = nil,
    token: String = token
  ) async throws -> AWSKeys {
    try await ask(
      [result], .idToken(Secret(token)), sessionName: "ada@example.com", duration: duration)
  }

  private func askWithSAML(
    _ responses: [TransportResponse], duration: Int? = nil, suggested: Int? = nil,
    response: String = samlResponse, retryTime: Duration = .seconds(10),
    clock: TestClock = TestClock()
  ) async throws -> AWSKeys {
    try await ask(
      responses.map { .success($0) },
      .saml(Secret(response), provider: Self.samlProvider, duration: suggested),
      duration: duration, samlApp: URL(string: "https://dev-1234.okta.com/app/a/b/sso/saml"),
      retryTime: retryTime, clock: clock)
  }

  /// The failure that a person sees after a response.
  private func failure(
    _ response: TransportResponse, token: String = token
  ) async throws -> CommandFailure {
    let error = await #expect(throws: (any Error).self) {
      try await ask(.success(response), token: token)
    }
    if let failure = error as? CommandFailure { return failure }
    let role = try require(AWSRole(Self.arn))
    let issuer = try require(URL(string: "https://dev-1234.okta.com/oauth2/default"))
    let credential = Credential(
      id: Credential.ID(issuer: issuer, clientID: "0oa1", subject: "00u1"),
      tokens: Tokens(accessToken: "a"), receivedAt: Self.start)
    return try require(error as? AWSRefusal).failure(role, credential, signIn: "idx-flow signin")
  }

  private func forms() -> [[String: String]] {
    requests.withLock { $0 }.map { request in
      Dictionary(FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? []) { $1 }
    }
  }

  private static func keys(
    id: String = "ASIA1", key: String = "a+b/c", token: String = "d=",
    expiration: String = "2030-03-17T18:46:40Z", action: String = "AssumeRoleWithWebIdentity"
  ) -> TransportResponse {
    STSServer.xml(
      200,
      "<\(action)Response><\(action)Result><Credentials><AccessKeyId>\(id)</AccessKeyId>"
        + "<SecretAccessKey>\(key)</SecretAccessKey><SessionToken>\(token)</SessionToken>"
        + "<Expiration>\(expiration)</Expiration></Credentials></\(action)Result></\(action)Response>"
    )
  }

  private static let samlKeys = keys(action: "AssumeRoleWithSAML")

  @Test(
    "The request is a form without a signature, and the token is only in its body",
    .promise("aws-token"))
  func request() async throws {
    let keys = try await ask(.success(Self.keys()), duration: 900)
    expect(keys.accessKeyID == "ASIA1" && keys.secretAccessKey == "a+b/c")
    expectEqual(keys.expiresAt, Self.start.addingTimeInterval(3600))
    let request = try require(requests.withLock { $0.first })
    expectEqual(request.method, "POST")
    expectEqual(request.url.absoluteString, "https://sts.eu-west-1.amazonaws.com/")
    expect(!request.headers.description.contains("eyJ") && request.headers["Authorization"] == nil)
    expectEqual(
      forms(),
      [
        [
          "Action": "AssumeRoleWithWebIdentity", "Version": "2011-06-15", "RoleArn": Self.arn,
          "RoleSessionName": "ada@example.com", "WebIdentityToken": Self.token,
          "DurationSeconds": "900",
        ]
      ])
  }

  @Test(
    "A SAML response is sent with its provider, only in the body, and not at all if AWS would refuse its size",
    .promise("aws-token"))
  func saml() async throws {
    let keys = try await askWithSAML([Self.samlKeys], suggested: 7200)
    expectEqual(keys.accessKeyID, "ASIA1")
    expectEqual(
      forms(),
      [
        [
          "Action": "AssumeRoleWithSAML", "Version": "2011-06-15", "RoleArn": Self.arn,
          "PrincipalArn": Self.samlProvider, "SAMLAssertion": Self.samlResponse,
          "DurationSeconds": "7200",
        ]
      ])
    let request = try require(requests.withLock { $0.first })
    expect(!"\(request.headers)\(request.url)".contains("PFJl"))
    // Keys of the other action are none.
    await #expect(throws: CommandFailure.self) { try await askWithSAML([Self.keys()]) }
    let failure = await #expect(throws: CommandFailure.self) {
      try await askWithSAML([], response: String(repeating: "A", count: 100_001))
    }
    expectEqual(failure?.code, "aws_saml_size")
    expectEqual(failure?.message.contains("100000"), true)
  }

  @Test("A time that only the org suggests is left out if the role does not allow it")
  func suggestedDuration() async throws {
    let tooLong = STSServer.refusal(
      "ValidationError",
      "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.")
    _ = try await askWithSAML([tooLong, Self.samlKeys], suggested: 43200)
    expectEqual(forms().map { $0["DurationSeconds"] }, ["43200", nil])
    let refusal = await #expect(throws: AWSRefusal.self) {
      try await askWithSAML([tooLong], duration: 7200, suggested: 43200)
    }
    expectEqual(refusal?.isAboutDuration, true)
    expectEqual(forms().last?["DurationSeconds"], "7200")
  }

  @Test(
    "A refusal that may be over in a moment is asked again, for a limited time, and others are final",
    arguments: [
      ("IDPCommunicationError", "Could not be reached"), ("Throttling", "Rate exceeded"),
      ("InvalidIdentityToken", "Couldn&apos;t retrieve verification key from your provider"),
    ])
  func transient(code: String, message: String) async throws {
    let refusal = STSServer.refusal(code, message)
    let clock = TestClock()
    _ = try await askWithSAML([refusal, refusal, Self.samlKeys], clock: clock)
    expectEqual(clock.pauses.withLock { $0 }, [.milliseconds(500), .seconds(1)])
    let other = TestClock()
    await #expect(throws: AWSRefusal.self) {
      try await askWithSAML(Array(repeating: refusal, count: 9), clock: other)
    }
    expectEqual(other.pauses.withLock { $0.reduce(.zero, +) }, .milliseconds(7500))
    await #expect(throws: AWSRefusal.self) { try await askWithSAML([refusal], retryTime: .zero) }
    expectEqual(forms().count, 3 + 5 + 1)
    let final = TestClock()
    for (code, message) in [("AccessDenied", ""), ("InvalidIdentityToken", "Bad signature")] {
      await #expect(throws: AWSRefusal.self) {
        try await askWithSAML([STSServer.refusal(code, message)], clock: final)
      }
    }
    expectEmpty(final.pauses.withLock { $0 })
  }

  struct Refusal: Sendable {
    private let code: String
    private let message: String
    private let status: Int
    private let exitCode: ExitCode
    /// Parts of the message and of the remedy.
    private let words: [String]

    init(
      _ code: String, _ message: String, status: Int = 400, _ exitCode: ExitCode, _ words: String...
    ) {
      (self.code, self.message, self.status) = (code, message, status)
      (self.exitCode, self.words) = (exitCode, words)
    }

    var response: TransportResponse {
      STSServer.refusal(code, message.replacing("'", with: "&apos;"), status: status)
    }

    func expectExplanation(in failure: CommandFailure) {
      expectEqual(failure.exitCode, exitCode)
      expectEqual(failure.code, "aws_\(code)")
      let text = failure.message + "\n" + (failure.remedy ?? "")
      for part in words + ["AWS says: \(code)", message] where !part.isEmpty {
        expectContains(text, part)
      }
    }
  }

  static let refusals = [
    Refusal(
      "InvalidIdentityToken",
      "No OpenIDConnect provider found in your account for https://dev-1234.okta.com/oauth2/default",
      .refused,
      "The account 123456789012 of AWS has no identity provider for https://dev-1234.okta.com/oauth2/default.",
      "create-open-id-connect-provider --url https://dev-1234.okta.com/oauth2/default --client-id-list 0oa1"
    ),
    Refusal(
      "InvalidIdentityToken", "Incorrect token audience", .refused,
      "\(provider) does not have the audience 0oa1",
      "add-client-id-to-open-id-connect-provider --client-id 0oa1 --open-id-connect-provider-arn \(provider)"
    ),
    Refusal(
      "InvalidIdentityToken",
      "Couldn't retrieve verification key from your identity provider, please reference "
        + "AssumeRoleWithWebIdentity documentation for requirements",
      .refused, "cannot get the keys of https://dev-1234.okta.com", "internet"),
    Refusal(
      "InvalidIdentityToken",
      "OpenIDConnect provider's HTTPS certificate doesn't match configured thumbprint", .refused,
      "cannot get the keys", "certificate that it trusts"),
    Refusal(
      "InvalidIdentityToken", "The token signature is invalid", .refused,
      "does not accept the ID token of https://dev-1234.okta.com/oauth2/default", "0oa1"),
    Refusal(
      "ExpiredTokenException", "Token expired: current date/time 1900000000", .refused,
      "has expired", "idx-flow refresh", "clock"),
    Refusal(
      "AccessDenied", "Not authorized to perform sts:AssumeRoleWithWebIdentity", status: 403,
      .refused, "\(arn) does not exist, or its trust policy", "Federated \(provider)",
      "dev-1234.okta.com/oauth2/default:aud must accept 0oa1",
      "dev-1234.okta.com/oauth2/default:sub, that must accept 00u1"),
    Refusal(
      "ValidationError",
      "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.", .usage,
      "--duration is longer", arn),
    Refusal("ValidationError", "Request ARN is invalid", .usage, "--role-arn"),
    Refusal(
      "IDPRejectedClaim", "Revoked", status: 403, .refused,
      "https://dev-1234.okta.com/oauth2/default", "idx-flow signin"),
    Refusal(
      "IDPCommunicationError", "", .network,
      "could not reach https://dev-1234.okta.com/oauth2/default", "Try again"),
    Refusal(
      "RegionDisabledException", "STS is not activated in this region", status: 403, .usage,
      "https://sts.eu-west-1.amazonaws.com", "--region"),
    Refusal("Throttling", "Rate exceeded", .rateLimited, "Try again"),
    Refusal("PackedPolicyTooLarge", "Packed size", .refused, "tags"),
    Refusal("InternalFailure", "", status: 500, .network, "Try again"),
    Refusal("NewCode", "Something new", .refused, "AWS refused", "NewCode: Something new"),
  ]

  @Test("Each refusal says what it means, what to do, and what AWS says", arguments: refusals)
  func refusal(_ refusal: Refusal) async throws {
    try await refusal.expectExplanation(in: failure(refusal.response))
  }

  static let samlRefusals = [
    Refusal(
      "InvalidIdentityToken", "Specified provider doesn't exist", .refused,
      "has no provider \(samlProvider)", "metadata"),
    Refusal(
      "InvalidIdentityToken", "Response signature invalid", .refused,
      "https://dev-1234.okta.com/app/a/b/sso/saml", samlProvider, "certificate"),
    Refusal(
      "ExpiredTokenException", "Token must be redeemed within 5 minutes of issuance", .refused,
      "has expired", "clock"),
    Refusal(
      "AccessDenied", "Not authorized to perform sts:AssumeRoleWithSAML", status: 403, .refused,
      arn, "Federated \(samlProvider)", "sts:AssumeRoleWithSAML", "SAML:aud"),
    Refusal("IDPRejectedClaim", "", status: 403, .refused, samlProvider),
    Refusal("Throttling", "", .rateLimited, "Try again"),
    Refusal("ValidationError", "Request ARN is invalid", .usage, "--role-arn"),
  ]

  @Test("Each refusal of a SAML response says what to do", arguments: samlRefusals)
  func samlRefusal(_ refusal: Refusal) async throws {
    let error = await #expect(throws: AWSRefusal.self) {
      try await askWithSAML([refusal.response], retryTime: .zero)
    }
    let role = try require(AWSSAMLRole("\(Self.arn), \(Self.samlProvider)"))
    let app = try SAMLAppAddress("https://dev-1234.okta.com/app/a/b/sso/saml", from: "--saml")
    try refusal.expectExplanation(in: require(error).failure(role, of: app))
  }

  @Test(
    "A response that AWS does not send is no success, and names the address",
    .promise("aws-response"),
    arguments: [
      TransportResponse(status: 200), STSServer.xml(200, "<html><p>Welcome</p></html>"),
      STSServer.xml(200, "<!DOCTYPE a [<!ENTITY b \"bb\">]>"), STSServer.xml(200, "{}"),
      STSServer.xml(302, ""), STSServer.xml(403, "<html><body>Blocked<br></body></html>"),
      STSServer.xml(200, String(repeating: "<a>", count: 300_000)),
      STSServer.refusal("AccessDenied", "but with status 200", status: 200),
      keys(id: ""), keys(key: ""), keys(token: ""), keys(id: "ASIA1\nexport X=1"),
      keys(key: "a&#10;b"), keys(token: "d&#27;[31m"), keys(token: "é"), keys(key: "a b"),
      keys(id: String(repeating: "A", count: 129)), keys(key: String(repeating: "A", count: 257)),
      keys(token: String(repeating: "A", count: 16385)), keys(expiration: ""),
      keys(expiration: "-1"), keys(expiration: "1900003600"),
      keys(expiration: "2030-03-17T18:46:40"), keys(expiration: "2030-03-19T17:46:40Z"),
      keys(expiration: "9999-12-31T23:59:59Z"),
    ])
  func hostile(response: TransportResponse) async throws {
    let failure = try await failure(response)
    expectEqual(failure.exitCode, .unexpected)
    expectEqual(failure.code, "aws_response")
    expectContains(failure.message, "https://sts.eu-west-1.amazonaws.com")
    expect(failure.message.count < 1000)
  }

  @Test(
    "A failure of the network, or of a server in between, is one of the network, and names AWS and not the issuer"
  )
  func network() async throws {
    let gateway = try await failure(STSServer.xml(502, "<html>Bad gateway"))
    expectEqual(gateway.exitCode, .network)
    expectContains(gateway.message, "HTTP status 502")
    let error = TransportError(
      .unknownHost, message: "There is no host sts.eu-west-1.amazonaws.com.", mayHaveArrived: false)
    let failure = await #expect(throws: CommandFailure.self) { try await ask(.failure(error)) }
    expectEqual(failure?.exitCode, .network)
    expectEqual(
      failure?.message, "AWS cannot be asked: There is no host sts.eu-west-1.amazonaws.com.")
    expectEqual(failure?.remedy?.contains("--region"), true)
  }

  @Test(
    "Keys that have expired already mean a wrong clock",
    arguments: ["2030-03-17T17:46:40Z", "0001-01-01T00:00:00Z"])
  func expired(expiration: String) async throws {
    let failure = try await failure(Self.keys(expiration: expiration))
    expectEqual(failure.code, "aws_clock")
    expectEqual(failure.remedy?.contains("clock"), true)
  }

  @Test(
    "A server that repeats the token, or sends control characters, does not get them shown",
    .promise("aws-token"))
  func repeated() async throws {
    let failure = try await failure(
      STSServer.refusal(
        "InvalidIdentityToken", "Bad\u{1B}[2J \(Self.token)\n\(Self.token.dropFirst(3))"))
    let text = printedTexts(of: failure)
    expect(!text.contains("c2lnbmF0dXJl") && !text.contains("\u{1B}"))
    // A piece of a very long token is one of it too, and a document that is not of AWS is not quoted at all.
    let token = String(repeating: "QWxsIHRoYXQgaXMgc2VjcmV0", count: 8500)
    let denied =
      "<Denied><Error><Code>X</Code><Message>\(token.prefix(90))</Message></Error></Denied>"
    for response in [
      STSServer.refusal("InvalidIdentityToken", "Not \(token.prefix(60_000))"),
      STSServer.refusal("InvalidIdentityToken", "Not \(token.dropFirst(7).prefix(90)) good"),
      STSServer.refusal(String(token.prefix(90)), "No"), STSServer.xml(403, denied),
      STSServer.refusal(
        "InvalidIdentityToken", token.prefix(90).map { "\($0)\u{200B}" }.joined()),
      STSServer.refusal(
        "InvalidIdentityToken", token.prefix(90).map(String.init).joined(separator: " ")),
    ] {
      let text = printedTexts(of: try await self.failure(response, token: token))
      let letters = text.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
      expect(!letters.contains("QWxsIHRo") && !letters.contains("IHRoYXQg"), "\(text)")
    }
    let other = try await self.failure(STSServer.xml(403, denied))
    expectContains("\(other)", "and not as AWS STS does")
    let long = try await self.failure(
      STSServer.refusal("X", String(repeating: "long ", count: 10_000)))
    expect(long.message.count < 1000)
  }
}

/// A service with these results, one after the other.
private struct Results: Transport {
  let results: Locked<[Result<TransportResponse, TransportError>]>
  let requests: Locked<[TransportRequest]>

  func send(_ request: TransportRequest) throws -> TransportResponse {
    requests.withLock { $0.append(request) }
    return try require(results.withLock { $0.isEmpty ? nil : $0.removeFirst() }).get()
  }
}
