import Expectations
import IDX
import IDXBase
import Testing

@testable import idx_flow

@Suite(.tags(.startsPrograms), .fewPrograms) struct ServerTests {
  private static let interact = "/oauth2/default/v1/interact"
  private static let introspect = "/idp/idx/introspect"
  private static let started = FixedServer.response(
    "200 OK", #"{"interaction_handle": "ih-hidden"}"#)

  private func run(
    _ responses: [String: String], options: [String] = ["--no-input"]
  ) async throws -> Program.End {
    let server = try FixedServer(responses)
    return try await Program.run(
      ["signin", "--issuer", server.issuer, "--client-id", "c", "--redirect-uri", "a:/b"]
        + options)
  }

  private func terminal(_ key: String, _ text: String) -> String {
    """
    {"version": "1.0.0", "stateHandle": "02.hidden", "messages": {"value": [
      {"class": "ERROR", "message": "\(text)", "i18n": {"key": "\(key)"}}]}}
    """
  }

  @Test("An expired session has status 5, and the server's message is shown first")
  func expired() async throws {
    let end = try await run([
      Self.interact: Self.started,
      Self.introspect: FixedServer.response(
        "401 Unauthorized", terminal("idx.session.expired", "Too \\u001b[2Jlate.")),
    ])
    expect(end.status == 5 && end.output.isEmpty)
    expectSuffix(end.errors, "Too late.\nidx-flow: The sign-in expired. Start again.\n")
  }

  @Test(
    "Too many requests have status 7, in each form that the server uses",
    arguments: [
      ("200 OK", "tooManyRequests"), ("403 Forbidden", "oie.tooManyRequests"),
      ("429 Too Many Requests", "other"),
    ])
  func limited(status: String, key: String) async throws {
    let end = try await run([
      Self.interact: Self.started,
      Self.introspect: FixedServer.response(status, terminal(key, "Slow down.")),
    ])
    expectEqual(end.status, 7)
    expectContains(end.errors, "Slow down.\n")
  }

  @Test(
    "A very long message is shortened, in words and with --json", .promise("screen-limits"),
    arguments: [[], ["--json"]])
  func longMessage(options: [String]) async throws {
    let text = String(repeating: "long ", count: 20_000)
    let end = try await run(
      [
        Self.interact: Self.started,
        Self.introspect: FixedServer.response("403 Forbidden", terminal("other", text)),
      ], options: ["--no-input"] + options)
    expectEqual(end.status, 4)
    expect(end.errors.hasPrefix("long long ") && end.errors.contains("…\n"))
    expect(end.errors.utf8.count < 1200 && end.output.utf8.count < 2000)
    let refused = try await run(
      [Self.interact: FixedServer.response("400 Bad Request", #"{"error": "\#(text)"}"#)],
      options: ["--no-input"] + options)
    expectEqual(refused.status, 4)
    expect(refused.errors.utf8.count < 700 && refused.output.utf8.count < 2000)
  }

  @Test("A rate limit at the start says how long to wait")
  func limitedAtStart() async throws {
    let end = try await run([
      Self.interact: FixedServer.response("429 Too Many Requests", "{}", "Retry-After: 9")
    ])
    expectEqual(end.status, 7)
    expectContains(end.errors, "Try again in 9 s.")
  }

  @Test("A refusal of the app has status 2, because it is a setting; one of the user has status 4")
  func refused() async throws {
    let app = try await run([
      Self.interact: FixedServer.response(
        "400 Bad Request",
        #"{"error": "invalid_client", "error_description": "No such \u0007app."}"#)
    ])
    expectEqual(app.status, 2)
    expect(app.errors.contains("No such app.") && !app.errors.contains("\u{7}"))
    let user = try await run(
      [
        Self.interact: Self.started,
        Self.introspect: FixedServer.response(
          "400 Bad Request", terminal("idx.error.code.user_not_assigned", "Not for you.")),
      ], options: ["--no-input", "--json"])
    expectEqual(user.status, 4)
    let result = try JSONValue(parsing: user.output.utf8)
    expectEqual(result["messages"]?[0]?["text"], "Not for you.")
    expectEqual(result["asks"], nil)
  }

  @Test("A server that fails has status 6, and one that is not an Okta server has status 1")
  func unexpected() async throws {
    let failed = try await run([
      Self.interact: FixedServer.response("501 Not Implemented", "<html>")
    ])
    expectEqual(failed.status, 6)
    let other = try await run([
      Self.interact: FixedServer.response("200 OK", "<html>secret</html>")
    ])
    expectEqual(other.status, 1)
    expect(other.errors.contains("Check the issuer.") && other.errors.contains("127.0.0.1"))
    expect(!other.errors.contains("secret"))
  }

  @Test("Handles are in no output, even when a form is printed")
  func handles() async throws {
    let form = """
      {"version": "1.0.0", "stateHandle": "02.hidden", "remediation": {"value": [
        {"name": "identify", "method": "POST", "href": "https://o.example/identify", "value": [
          {"name": "identifier", "required": true},
          {"name": "stateHandle", "value": "02.hidden", "mutable": false}]}]}}
      """
    let end = try await run(
      [Self.interact: Self.started, Self.introspect: FixedServer.response("200 OK", form)],
      options: ["--no-input", "--json"])
    expectEqual(end.status, 3)
    expectContains(end.output, "identifier")
    expect(!(end.output + end.errors).contains("hidden"))
    expect(!(end.output + end.errors).contains("02."))
  }

  @Test("A refused connection has status 6, and the address is named")
  func refusedPort() async throws {
    let port = try FixedServer([:]).port
    let end = try await Program.run(
      ["signin", "--no-input"],
      environment: [
        "OKTA_IDX_ISSUER": "http://127.0.0.1:\(port)", "OKTA_IDX_CLIENTID": "c",
        "OKTA_IDX_REDIRECTURI": "a:/b",
      ])
    expect(end.status == 6 && end.output.isEmpty)
    expectContains(end.errors, "127.0.0.1:\(port)/oauth2/v1/interact")
  }

  @Test(
    "A time that is not a number of seconds is refused before any request, with status 2",
    arguments: [
      ("IDX_FLOW_TIMEOUT", "0"), ("IDX_FLOW_TIMEOUT", "soon"), ("IDX_FLOW_RETRY_TIME", "-1"),
      ("IDX_FLOW_RETRY_TIME", "nan"), ("IDX_FLOW_RETRY_TIME", "3601"),
    ])
  func times(name: String, value: String) async throws {
    let end = try await Program.run(
      [
        "signin", "--no-input", "--issuer", "http://127.0.0.1:9", "--client-id", "c",
        "--redirect-uri", "a:/b",
      ], environment: [name: value])
    expectEqual(end.status, 2)
    expectContains(end.errors, "\(name) must be a number of seconds, at most 3600, not \(value).")
  }

  @Test("Settings come from options, the environment and a file, in this order")
  func settings() async throws {
    let folder = try TemporaryFolder()
    let file = try folder.file(
      "Okta.plist",
      """
      <plist version="1.0"><dict><key>issuer</key><string>http://file.example</string>
      <key>clientId</key><string>c</string><key>redirectUri</key><string>a:/b</string>
      </dict></plist>
      """)
    let inFile = try await Program.run(["signin", "--config", file])
    expectContains(inFile.errors, "http://file.example must start with https://")
    let variables = ["OKTA_IDX_ISSUER": "http://environment.example"]
    let inEnvironment = try await Program.run(["signin", "--config", file], environment: variables)
    expectContains(inEnvironment.errors, "http://environment.example must start")
    let inOption = try await Program.run(
      ["signin", "--issuer=http://option.example", "--config", file], environment: variables)
    expectContains(inOption.errors, "http://option.example must start")
    for end in [inFile, inEnvironment, inOption] { expectEqual(end.status, 2) }
  }
}
