import Expectations
import Foundation
import IDX
import IDXBase
import Testing

@testable import idx_flow

@Suite(.tags(.startsPrograms), .fewPrograms) struct ServerTests {
  private static let interact = "/oauth2/default/v1/interact"

  private func run(
    _ responses: [String: String], options: [String] = ["--no-input"]
  ) throws -> Program.End {
    let server = try FixedServer(responses)
    return try Program.run(
      ["signin", "--issuer", server.issuer, "--client-id", "c", "--redirect-uri", "a:/b"]
        + options)
  }

  /// Signs in at a server that answers the first request for the steps with a message.
  private func run(
    _ status: String, _ key: String, _ text: String, options: [String] = ["--no-input"]
  ) throws -> Program.End {
    let body = """
      {"version": "1.0.0", "stateHandle": "02.hidden", "messages": {"value": [
        {"class": "ERROR", "message": "\(text)", "i18n": {"key": "\(key)"}}]}}
      """
    let started = FixedServer.response("200 OK", #"{"interaction_handle": "ih-hidden"}"#)
    return try run(
      [Self.interact: started, "/idp/idx/introspect": FixedServer.response(status, body)],
      options: options)
  }

  @Test(
    "The status says what is refused: a session that expired 5, a setting such as the app 2, the user 4"
  )
  func refused() throws {
    let expired = try run("401 Unauthorized", "idx.session.expired", "Too \\u001b[2Jlate.")
    expired.expect(status: 5, expired.output.isEmpty)
    expectSuffix(expired.errors, "Too late.\nidx-flow: The sign-in expired. Start again.\n")
    let app = try run([
      Self.interact: FixedServer.response(
        "400 Bad Request",
        #"{"error": "invalid_client", "error_description": "No such \u0007app."}"#)
    ])
    app.expect(status: 2)
    expect(app.errors.contains("No such app.") && !app.errors.contains("\u{7}"))
    let user = try run(
      "400 Bad Request", "idx.error.code.user_not_assigned", "Not for you.",
      options: ["--no-input", "--json"])
    user.expect(status: 4)
    let result = try user.json
    expectEqual(result["messages"]?[0]?["text"], "Not for you.")
    expectEqual(result["asks"], nil)
    expect(!(user.output + user.errors).contains("hidden"))
  }

  @Test("Too many requests have status 7, in each form that the server uses, also at the start")
  func limited() throws {
    for (status, key) in [
      ("200 OK", "tooManyRequests"), ("403 Forbidden", "oie.tooManyRequests"),
      ("429 Too Many Requests", "other"),
    ] {
      let end = try run(status, key, "Slow down.")
      end.expect(status: 7, comment: "\(status)")
      expectContains(end.errors, "Slow down.\n")
    }
    let end = try run([
      Self.interact: FixedServer.response("429 Too Many Requests", "{}", "Retry-After: 9")
    ])
    end.expect(status: 7)
    expectContains(end.errors, "Try again in 9 s.")
  }

  @Test(
    "A very long message is shortened, in words and with --json", .promise("screen-limits"),
    arguments: [[], ["--json"]])
  func longMessage(options: [String]) throws {
    let text = String(repeating: "long ", count: 20_000)
    let end = try run("403 Forbidden", "other", text, options: ["--no-input"] + options)
    end.expect(status: 4)
    expect(end.errors.hasPrefix("long long ") && end.errors.contains("…\n"))
    expect(end.errors.utf8.count < 1200 && end.output.utf8.count < 2000)
    let refused = try run(
      [Self.interact: FixedServer.response("400 Bad Request", #"{"error": "\#(text)"}"#)],
      options: ["--no-input"] + options)
    refused.expect(status: 4)
    expect(refused.errors.utf8.count < 700 && refused.output.utf8.count < 2000)
  }

  @Test(
    "A server that fails or refuses the connection has status 6, and one that is not an Okta server has status 1"
  )
  func unexpected() throws {
    let failed = try run([Self.interact: FixedServer.response("501 Not Implemented", "<html>")])
    failed.expect(status: 6, !failed.errors.contains("network connection"))
    expectEqual(failed.errors.components(separatedBy: "Try again later.").count, 2)
    let other = try run([Self.interact: FixedServer.response("200 OK", "<html>secret</html>")])
    other.expect(status: 1)
    expect(other.errors.contains("Check the issuer.") && other.errors.contains("127.0.0.1"))
    expect(!other.errors.contains("secret"))
    let port = try FixedServer([:]).port
    let end = try Program.run(
      ["signin", "--no-input"],
      environment: [
        "OKTA_IDX_ISSUER": "http://127.0.0.1:\(port)", "OKTA_IDX_CLIENTID": "c",
        "OKTA_IDX_REDIRECTURI": "a:/b",
      ])
    end.expect(status: 6, end.output.isEmpty)
    expectContains(end.errors, "127.0.0.1:\(port)/oauth2/v1/interact")
    expectContains(end.errors, "Check the network connection.")
  }

  @Test(
    "A time that is not a number of seconds is refused before any request, with status 2",
    arguments: [
      ("IDX_FLOW_TIMEOUT", "0"), ("IDX_FLOW_TIMEOUT", "soon"), ("IDX_FLOW_RETRY_TIME", "-1"),
      ("IDX_FLOW_RETRY_TIME", "nan"), ("IDX_FLOW_RETRY_TIME", "3601"),
    ])
  func times(name: String, value: String) throws {
    let end = try Program.run(
      [
        "signin", "--no-input", "--issuer", "http://127.0.0.1:9", "--client-id", "c",
        "--redirect-uri", "a:/b",
      ], environment: [name: value])
    end.expect(status: 2)
    expectContains(end.errors, "\(name) must be a number of seconds, at most 3600, not \(value).")
  }

  @Test("The same cause of a retry is said once, whatever is requested")
  func once() throws {
    let busy = Array(
      FixedServer.response("503 Service Unavailable", "", "Retry-After: 0").utf8)
    let seen = Locked<[String: Int]>([:])
    let server = try LoopbackServer()
    server.start { request in
      let count = seen.withLock { seen in
        seen[request.url.path, default: 0] += 1
        return seen[request.url.path] ?? 0
      }
      if count == 1 { return busy }
      let body =
        request.url.path.hasSuffix("/interact") ? #"{"interaction_handle": "ih"}"# : "{}"
      return Array(FixedServer.response("200 OK", body).utf8)
    }
    let end = try Program.run(
      [
        "signin", "--no-input", "--issuer", server.address, "--client-id", "c",
        "--redirect-uri", "a:/b",
      ], environment: ["IDX_FLOW_RETRY_TIME": "3600"])
    expect(seen.withLock { $0.count { $0.value > 1 } } >= 2)
    expectEqual(end.errors.components(separatedBy: "Trying again.").count - 1, 1, "\(end.errors)")
  }
}
