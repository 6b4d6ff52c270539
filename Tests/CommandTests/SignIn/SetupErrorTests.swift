import Expectations
import IDXBase
import IDXSimulatedOrg
import Testing

@testable import idx_flow

@Suite("Mistakes in the setup, seen by the person", .tags(.startsPrograms), .fewPrograms)
struct SetupErrorTests {
  private func signIn(
    to server: OrgServer, _ words: String..., scopes: String = "openid profile"
  ) throws -> (end: Program.End, result: JSONValue) {
    let end = try Program.run(
      ["signin", "--scope", scopes, "--no-input", "--json"] + server.options + words)
    return (end, try end.json)
  }

  private func expectProblem(
    _ kind: String, _ answer: (end: Program.End, result: JSONValue), quoting text: String
  ) {
    expectEqual(answer.end.status, 2, "\(answer.end.errors)")
    expectEqual(answer.result["setup_problem"]?.string, kind)
    expectEqual(answer.result["remedy"]?.string?.isEmpty, false)
    expectEqual(answer.result["message"]?.string?.contains(text), true)
    expectContains(answer.end.errors, "\nWhat to do: ")
  }

  @Test(
    "A wrong client ID, redirect URI or scope is named, with the server's own text and a remedy for everybody"
  )
  func request() async throws {
    let server = try OrgServer()
    let wrongID = try signIn(to: server, "--client-id", "0oaWrong")
    expectProblem(
      "wrong_client_id", wrongID, quoting: "The value of the parameter client_id is invalid.")
    expectEqual(
      wrongID.result["remedy"]?.string?.hasSuffix("ask the person who gave you this value."), true)
    expectProblem(
      "wrong_redirect_uri", try signIn(to: server, "--redirect-uri", "a:/b"),
      quoting: "The redirect_uri is not registered.")
    expectProblem(
      "unknown_scope", try signIn(to: server, scopes: "openid shop"),
      quoting: "A scope is missing or unknown.")
    await server.org.misconfigure(.noMatchingPolicy)
    let policy = try signIn(to: server)
    expectEqual(policy.result["remedy"]?.string?.contains("send this message to one."), true)
  }

  @Test("A mistake in the org, or an address without an authorization server, is named")
  func org() async throws {
    for (mistake, kind) in [
      (.grantTypeDisabled, "grant_type_disabled"), (.noMatchingPolicy, "no_matching_policy"),
      (.customServersDisabled, "wrong_authorization_server"),
    ] as [(SetupMistake, String)] {
      let server = try OrgServer()
      await server.org.misconfigure(mistake)
      expectProblem(kind, try signIn(to: server), quoting: " ")
    }
    let server = try FixedServer([:])
    let end = try Program.run([
      "signin", "--issuer", server.issuer, "--client-id", "c", "--redirect-uri", "a:/b",
      "--no-input",
    ])
    end.expect(status: 2)
    expectContains(end.errors, "There is no authorization server at \(server.issuer).")
  }
}
