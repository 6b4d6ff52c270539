import Expectations
import IDX
import IDXBase
import IDXOAuth
import Testing

@testable import IDXFlow

/// Mistakes in the setup.
struct SetupProblemTests {
  private func configuration(
    issuer: String = "https://dev-1234.okta.example/oauth2/default"
  ) throws -> FlowConfiguration {
    try FlowConfiguration(
      issuer: issuer, clientID: "0oaShop", redirectURI: "com.example.shop:/callback",
      scopes: ["openid", "shop:buy"])
  }

  private func refusal(_ code: OAuthError.Code, _ text: String?, step: String? = nil) -> FlowError {
    FlowError(
      .refused, "The place refused.", stepName: step, status: 400,
      underlying: OAuthError(code, description: text))
  }

  @Test(
    "What the server answers to the first request names the mistake",
    arguments: [
      ("invalid_client", "Invalid value for 'client_id' parameter.", .wrongClientID),
      (
        "invalid_client", "The client secret supplied for a confidential client is invalid.",
        .clientSecret
      ),
      ("invalid_client", "Client authentication failed.", .clientSecret),
      ("invalid_client", nil, .clientSecret),
      (
        "invalid_request", "The 'redirect_uri' parameter must be a Login redirect URI.",
        .wrongRedirectURI
      ),
      ("unauthorized_client", "The client may not use the grant type.", .grantTypeDisabled),
      ("unsupported_grant_type", nil, .grantTypeDisabled),
      ("access_denied", nil, .grantTypeDisabled),
      ("access_denied", "Policy evaluation failed for this request.", .noMatchingPolicy),
      ("access_denied", "User is not assigned to the client application.", .notAssigned),
      ("invalid_scope", "One or more scopes are not configured.", .unknownScope),
      (
        "server_error", "The requested feature is not enabled in this environment.",
        .wrongAuthorizationServer
      ),
    ] as [(OAuthError.Code, String?, SetupProblem.Kind)])
  func answers(code: OAuthError.Code, text: String?, kind: SetupProblem.Kind) throws {
    let problem = try require(SetupProblem(refusal(code, text), of: try configuration()))
    expectEqual(problem.kind, kind)
    expect(problem.explanation.hasSuffix(".") && !problem.explanation.contains("{"))
    expect(!problem.remedy.isEmpty && !problem.remedy.contains("{"))
  }

  @Test(
    "The person's decision, a wrong answer, and an error that repeats the request are no mistake",
    .promise("repeated-request"))
  func repeatedRequest() throws {
    for (code, text) in [
      ("access_denied", nil), ("invalid_grant", "The code is wrong."), ("slow_down", nil),
    ] as [(OAuthError.Code, String?)] {
      expectEqual(SetupProblem(refusal(code, text, step: "issue"), of: try configuration()), nil)
    }
    expectEqual(SetupProblem(FlowError(.rateLimited, "Wait."), of: try configuration()), nil)
    let request = """
      POST /oauth2/default/v1/token HTTP/1.1
      Host: dev-1234.okta.example

      grant_type=interaction_code&client_id=0oaShop&redirect_uri=com.example.shop%3A%2Fcallback
      """
    let texts = [
      request, "Bad request: client_id=0oaShop&redirect_uri=…",
      "Bad request: redirect_uri = com.example.shop:/callback",
      "Bad request: redirect_uri%3Dcom.example.shop%3A%2Fcallback",
      #"Bad request: {"redirect_uri":"com.example.shop:/callback"}"#,
      #"Bad request: {"redirect_uri" : "com.example.shop:/callback"}"#,
      "You sent redirect_uri: com.example.shop:/callback",
      "You sent redirect_uri -> com.example.shop:/callback",
      "You sent redirect_uri => com.example.shop:/callback",
      "Bad request with client_id: 0oaShop, redirect_uri: com.example.shop:/callback, scope: openid",
    ]
    for text in texts {
      let error = refusal(.invalidRequest, text, step: "issue")
      expectEqual(SetupProblem(error, of: try configuration()), nil)
    }
  }

  @Test("The sentences name the values of the configuration, and a value cannot insert another one")
  func values() throws {
    let redirect = try require(
      SetupProblem(refusal(.invalidRequest, "'redirect_uri'"), of: try configuration()))
    expectEqual(
      redirect.explanation,
      "The redirect URI com.example.shop:/callback is not registered for the app 0oaShop.")
    let grant = try require(
      SetupProblem(refusal(.unauthorizedClient, nil), of: try configuration(), grantType: "OTP"))
    expectEqual(grant.explanation, "The app 0oaShop may not use the grant type OTP.")
    expectContains(grant.remedy, "Grant type, and select OTP.")
    expect(!grant.remedy.contains("Interaction Code"))

    let inserting = try FlowConfiguration(
      issuer: "https://a.example", clientID: "{issuer}", redirectURI: "a:/b")
    let problem = try require(
      SetupProblem(refusal(.invalidClient, "client_id"), of: inserting))
    expectContains(problem.explanation, "the client ID {issuer}")
  }

  @Test("The remedy depends on the protocol, or names all, and on the kind of authorization server")
  func remedies() throws {
    let grant = refusal(.unauthorizedClient, nil)
    func problem(_ signInProtocol: SignInProtocol?) throws -> SetupProblem {
      try require(SetupProblem(grant, of: configuration(), in: signInProtocol))
    }
    let direct = try problem(.direct)
    expectContains(direct.remedy, "Resource Owner Password")
    expect(!"\(direct.explanation) \(direct.remedy)".contains("Interaction Code"))
    try expectContains(problem(.idx).remedy, "Embedded widget sign-in support")
    let unknown = try problem(nil).remedy
    expect(unknown.contains("Interaction Code") && unknown.contains("DirectAuth"))

    let org = try configuration(issuer: "https://dev-1234.okta.example")
    let custom = try configuration(issuer: "https://dev-1234.okta.example/oauth2/aus1")
    let scope = refusal(.invalidScope, "Custom scopes are not allowed for this request.")
    expectEqual(
      SetupProblem(scope, of: org)?.remedy.contains("https://dev-1234.okta.example/oauth2/default"),
      true)
    expectEqual(SetupProblem(scope, of: custom)?.remedy.contains("Servers > aus1 > Scopes"), true)
    let key: IDXMessage.Key = "idx.error.code.no_matching_policy"
    expectEqual(
      SetupProblem(key, of: custom, grantType: "Interaction Code")?.remedy.contains(
        "aus1 > Access Policies"), true)
    expectEqual(
      SetupProblem(key, of: org, grantType: "Interaction Code")?.remedy.contains("Sign On"), true)
    let missing = FlowError(.unexpectedResponse, "No.", status: 404)
    expectEqual(SetupProblem(missing, of: org)?.kind, .wrongAuthorizationServer)
    let later = FlowError(.unexpectedResponse, "No.", stepName: "identify", status: 404)
    expectEqual(SetupProblem(later, of: org), nil)
    let console = try configuration(issuer: "https://dev-1234-admin.okta.example")
    let admin = try require(SetupProblem(missing, of: console))
    expect(admin.kind == .adminAddress && admin.remedy.contains(": dev-1234.okta.example in"))
  }

  @Test("The clock is blamed for times of an ID token only if another clock would mend it")
  func clock() throws {
    let place = SetupPlace(try configuration(), grantType: "")
    func kind(_ text: String) -> SetupProblem.Kind? {
      let signs = SetupSigns(codes: ["id_token_expired"], text: text, isAtStart: false)
      return SetupRule.all.first { $0.fits(signs, place) }?.kind
    }
    expectEqual(kind("It expired 90 s ago. Set the clock, then sign in again."), .wrongClock)
    expectEqual(kind("The ID token has no readable expiration time (exp)."), nil)
  }

  @Test(
    "Failures of this computer name what to set",
    arguments: [
      (.insecure, "SSL certificate problem: unable to get local issuer", .untrustedCertificate),
      (.insecure, "SSL certificate problem: certificate is not yet valid", .wrongClock),
      (.insecure, "the server does not use https at this port, but perhaps plain http", .notHTTPS),
      (.unreachable, "POST a through the proxy b failed", .proxyFailed),
      (.unknownHost, "the host name was not found", .unknownHost),
      (.unreachable, "the connection was refused", nil),
    ] as [(TransportError.Code, String, SetupProblem.Kind?)])
  func computer(code: TransportError.Code, text: String, kind: SetupProblem.Kind?) throws {
    let cause = TransportError(code, message: text, mayHaveArrived: false)
    let error = FlowError(.network, text, underlying: cause)
    expectEqual(SetupProblem(error, of: try configuration())?.kind, kind)
  }
}
