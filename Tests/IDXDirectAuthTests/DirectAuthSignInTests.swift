import Expectations
import Foundation
import IDX
import IDXDirectAuth
import IDXFlow
import IDXOAuth
import Testing

/// DirectAuth sign-in.
struct DirectAuthSignInTests {
  @Test("A password alone signs in with one request")
  func password() async throws {
    var signIn = try await DirectAuthSignIn([.tokens])
    expectEqual(signIn.names, [.identify])
    try await signIn.enterUsername()
    expectEqual(signIn.names, [.challengeAuthenticator])
    expectEqual(signIn.state.response.currentAuthenticator?.key, .password)
    expectEqual(signIn.state.response.user?.identifier, "ada@shop.example")
    try await signIn.enter("secret-1")
    expect(signIn.state.isSignedIn && !signIn.state.isAtEnd)
    let credential = try await signIn.client.redeem(signIn.state)
    expectEqual(credential.tokens.accessToken.revealed, "at-1")
    expectEqual(credential.username, "ada@shop.example")
    let sent = await signIn.server.requests
    expectEqual(sent.map(\.endpoint), ["token"])
    expectEqual(
      sent.first?.parameters,
      [
        "client_id": "app", "grant_type": "password", "username": "ada@shop.example",
        "password": "secret-1", "scope": "profile",
        "grant_types_supported":
          "\(DirectAuthSignIn.otp) \(DirectAuthSignIn.oob) \(DirectAuthSignIn.webAuthn)",
      ])
  }

  @Test("After a wrong password, the server's message is shown and the password asked for again")
  func wrongPassword() async throws {
    var signIn = try await DirectAuthSignIn.afterPassword(
      .error("invalid_grant", #","error_description":"ada@shop.example: secret-1""#), .tokens)
    expect(signIn.state.status == 400 && !signIn.state.isSignedIn)
    expect(signIn.state.response.says(.authenticationFailed))
    // The password in the server's message is removed, and the username is not.
    expectEqual(signIn.state.response.messages.first?.text, "ada@shop.example: ‹secret›")
    try await signIn.enter("secret-2")
    expect(signIn.state.isSignedIn)
  }

  @Test("The code of an app can be the second factor")
  func oneTimeCode() async throws {
    var signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired(DirectAuthSignIn.otp), .error("invalid_otp"), .tokens)
    expectEqual(signIn.names.first, .challengeAuthenticator)
    expectEqual(signIn.state.response.currentAuthenticator?.key, .googleAuthenticator)
    try await signIn.enter("000000")
    expect(signIn.state.response.says(.passcodeInvalid))
    try await signIn.enter("123456")
    expect(signIn.state.isSignedIn)
    let sent = await signIn.server.requests
    expectEqual(sent.last?.parameters["mfa_token"], "mfa-token-1")
    expectEqual(sent.last?.parameters["otp"], "123456")
    expectEqual(sent.last?.parameters["grant_type"], DirectAuthSignIn.otp)
  }

  @Test("With several first factors, the person chooses a code or a push")
  func firstFactors() async throws {
    var signIn = try await DirectAuthSignIn(
      [.tokens, .json(#"{"oob_code":"o","binding_method":"none","interval":1}"#), .tokens],
      factors: [.password, .otp, .push])
    try await signIn.enterUsername()
    expectEqual(signIn.names, [.selectAuthenticatorAuthenticate])
    let choice = signIn.state
    try await signIn.choose(.authenticator(.googleAuthenticator))
    try await signIn.enter("123456")
    expect(signIn.state.isSignedIn)
    signIn.state = choice
    try await signIn.choose(.authenticator(.oktaVerify))
    try await signIn.poll()
    expect(signIn.state.isSignedIn)
    let requests = await signIn.server.requests
    expectEqual(requests.map(\.endpoint), ["token", "primary-authenticate", "token"])
    let sent = requests.map(\.parameters)
    let grant = "urn:okta:params:oauth:grant-type:"
    expect(sent[0]["login_hint"] == "ada@shop.example" && sent[0]["otp"] == "123456")
    expectEqual(sent[0]["grant_type"], grant + "otp")
    expect(sent[1]["login_hint"] == "ada@shop.example" && sent[1]["channel_hint"] == "push")
    expectEqual(sent[1]["challenge_hint"], grant + "oob")
    expect(sent[2]["grant_type"] == grant + "oob" && sent[2]["oob_code"] == "o")
  }

  @Test("A state can be saved and restored at every step, also with tokens, and hides its secrets")
  func savedStates() async throws {
    var signIn = try await DirectAuthSignIn.afterPassword(
      .mfaRequired("\(DirectAuthSignIn.otp) \(DirectAuthSignIn.oob)"), .tokens)
    let choice = signIn.state
    func restored(_ state: FlowState) throws -> FlowState {
      try FlowState(snapshot: state.snapshot(), for: state.configuration)
    }
    signIn.state = try restored(choice)
    try await signIn.choose(.authenticator(.googleAuthenticator))
    signIn.state = try restored(signIn.state)
    try await signIn.enter("123456")
    let state = signIn.state
    let credential = try await signIn.client.redeem(try restored(state))
    expectEqual(credential.tokens.accessToken.revealed, "at-1")
    for text in ["\(state)", String(reflecting: state), "\(choice.response.remediations)"] {
      expect(!text.contains("at-1") && !text.contains("mfa-token-1") && !text.contains("secret-1"))
    }
  }

  @Test("Cancelling starts over without a request")
  func cancel() async throws {
    let signIn = try await DirectAuthSignIn.afterPassword(.mfaRequired(DirectAuthSignIn.oob))
    let state = try await signIn.client.startOver(signIn.state)
    expectEqual(state.response.remediations.map(\.name), [.identify])
    await expectEqual(signIn.server.requests.count, 1)
  }

  @Test("The login hint is the value of the field for the username and can be changed")
  func loginHint() async throws {
    var options = StartOptions()
    options.loginHint = "ada@shop.example"
    let signIn = try await DirectAuthSignIn([], options)
    let form = try require(signIn.state.response[.identify])
    expectEqual(form["identifier"]?.value, "ada@shop.example")
    let kept = try await signIn.client.proceed(.identify, from: signIn.state)
    expectEqual(kept.response.user?.identifier, "ada@shop.example")
    let other = try await signIn.client.proceed(
      .identify, ["identifier": "eve"], from: signIn.state)
    expectEqual(other.response.user?.identifier, "eve")
  }

  @Test("Options that DirectAuth does not have are refused")
  func unsupportedOptions() async throws {
    let changes: [(inout StartOptions) -> Void] = [
      { $0.recoveryToken = "token-1" }, { $0.activationToken = "token-1" },
      { $0.acrValues = ["urn:okta:loa:2fa:any"] },
    ]
    for change in changes {
      var options = StartOptions()
      change(&options)
      let error = try await requireError(FlowError.self) { try await DirectAuthSignIn([], options) }
      expect(error.code == .invalidConfiguration && !error.message.contains("token-1"))
    }
  }
}
