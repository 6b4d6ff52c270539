import Expectations
import Foundation
import IDXBase
import TerminalSupport
import Testing

/// What a recording that somebody else made can do.
@Suite("Recordings of strangers", .tags(.startsPrograms), .fewPrograms)
struct HostileRecordingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Writes a recording in which an org at `origin` asks with a form, and gets the `answer` if there is one.
  private func recording(
    at origin: String, _ form: JSONValue, answer: JSONValue? = nil
  ) throws -> String {
    func exchange(
      _ path: String, _ type: String, _ body: JSONValue, _ response: JSONValue
    ) -> JSONValue {
      let contentType = type == "form" ? "application/x-www-form-urlencoded" : "application/json"
      let request: JSONValue = [
        "method": "POST", "url": .string(origin + path),
        "headers": ["Content-Type": .string(contentType)], type: body,
      ]
      return [
        "startMilliseconds": 0, "durationMilliseconds": 0, "request": request,
        "response": ["status": 200, "headers": [:], "json": response], "replaced": [],
      ]
    }
    let document: JSONValue = [
      "version": "1.0.0", "stateHandle": "handle",
      "remediation": ["type": "array", "value": [form]],
    ]
    var exchanges = [
      exchange(
        "/oauth2/default/v1/interact", "form",
        [
          "client_id": "app", "scope": "openid", "state": "state", "nonce": "nonce",
          "redirect_uri": .string("\(origin)/callback"), "code_challenge": "challenge",
          "code_challenge_method": "S256",
        ], ["interaction_handle": "interaction"]),
      exchange("/idp/idx/introspect", "json", ["interactionHandle": "interaction"], document),
    ]
    if let answer { exchanges.append(exchange("/idp/idx/identify", "json", answer, document)) }
    let recording: JSONValue = [
      "format": "idx-flow recording", "version": 1, "about": "", "facts": ["protocol": "idx"],
      "exchanges": .array(exchanges),
    ]
    return try folder.file("recording.json", recording.text)
  }

  @Test(
    "A replay opens no page, listens nowhere and sends nothing, whatever the file says",
    .promise("replay-nothing"))
  func nothing() async throws {
    let (local, seen) = (try LoopbackServer(), Locked(0))
    local.start { _ in
      seen.withLock { $0 += 1 }
      return Array(FixedServer.response("200 OK", "").utf8)
    }
    defer { local.stop() }
    let origin = local.address
    let path = try recording(
      at: origin,
      [
        "name": "redirect-idp", "href": .string("\(origin)/delete-everything"), "method": "GET",
        "type": "OIDC", "idp": ["id": "0oa1", "name": "Company"],
      ])
    let opened = folder.path("opened")
    let browser = try folder.file("browser.sh", "echo \"$1\" > '\(opened)'\n")
    let terminal = try WatchedTerminal(columns: 100)
    let program = try Program(
      ["replay", path],
      environment: ["XDG_DATA_HOME": folder.url.path, "BROWSER": "/bin/sh \(browser)"],
      input: terminal.path)
    // Nobody returned from the page in the recording, so it ends there; it shows no address to open by hand either.
    let end = program.end()
    end.expect(status: 0)
    expectSuffix(end.errors, "The whole recording was played: 2 requests.\n")
    let screen = try await terminal.see("Ctrl-C to cancel")
    expect(!screen.text.contains("\(local.port)"), "\(screen.text)")
    expectEqual(seen.withLock { $0 }, 0)
    expect(!FileManager.default.fileExists(atPath: opened))
  }

  @Test(
    "A script of a recording reads only variables of its own, whatever was recorded",
    .promise("recorded-script"),
    arguments: [
      ["file": "~/.ssh/id_ed25519"], ["env": "AWS_SECRET_ACCESS_KEY"], ["totp": ["file": "key"]],
      [["file": "x"]], "~/.ssh/id_ed25519", "$HOME", 7, true,
    ] as [JSONValue])
  func script(value: JSONValue) throws {
    let (origin, script) = ("https://org.example", folder.path("answers.json"))
    let path = try recording(
      at: origin,
      [
        "name": "identify", "href": .string("\(origin)/idp/idx/identify"), "method": "POST",
        "value": [
          ["name": "stateHandle", "visible": false, "mutable": false, "value": "handle"],
          ["name": "AWS_SESSION_TOKEN", "type": "string"], ["name": "plain", "type": "string"],
        ],
      ], answer: ["stateHandle": "handle", "AWS_SESSION_TOKEN": value, "plain": "text"])
    let saved = try Program.run(
      ["replay", path, "--save-script", script], environment: ["XDG_DATA_HOME": folder.url.path])
    saved.expect(status: 0)
    let fields = try JSONValue(parsing: Array(folder.text(of: "answers.json").utf8))[0]?["fields"]
    expectEqual(fields?["plain"], ["env": "IDX_ANSWER_PLAIN"])
    expectContains(saved.errors, "It reads the variable IDX_ANSWER_PLAIN.")
    switch value {
    case .string:
      expectEqual(fields?["AWS_SESSION_TOKEN"], ["env": "IDX_ANSWER_AWS_SESSION_TOKEN"])
    case .number, .bool: expectEqual(fields?["AWS_SESSION_TOKEN"], value)
    default:
      expectEqual(fields?["AWS_SESSION_TOKEN"], nil)
      expectContains(saved.errors, "It has no answer for AWS_SESSION_TOKEN,")
    }
  }
}
