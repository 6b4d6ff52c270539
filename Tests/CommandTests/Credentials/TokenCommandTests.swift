import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("idx-flow token", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct TokenCommandTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer()
  }

  @Test(
    "The output is the token and a line feed, or JSON with the details of the credential, without a request"
  )
  func exact() async throws {
    let tokens = try await home.signIn(at: server).tokens
    let access = try home.run("token")
    access.expect(status: 0, access.errors.isEmpty)
    expectEqual(access.output, tokens.accessToken.revealed + "\n")
    let id = try home.run("token", "--type", "id")
    expectEqual(id.output, (tokens.idToken?.revealed ?? "") + "\n")
    let refresh = try home.run("token", "--type=refresh")
    expectEqual(refresh.output, (tokens.refreshToken?.revealed ?? "") + "\n")
    let object = try home.run("token", "--json").json
    expectEqual(object["token"], .string(tokens.accessToken.revealed))
    expect(object["token_type"] == "Bearer" && object["is_valid"] == true)
    expectEmpty(server.paths)
  }

  @Test(
    "An access token that cannot be used alone is not given away", .promise("bound-output"),
    arguments: [
      ["token"], ["token", "--json"], ["token", "--format", "header"],
      ["token", "--format", "kubernetes"], ["exec", "--", "env"],
    ])
  func otherType(words: [String]) async throws {
    let saved = try await home.signIn(at: server)
    let tokens = Tokens(
      accessToken: saved.tokens.accessToken, tokenType: "DPoP", idToken: saved.tokens.idToken)
    try await home.replaceTokens(of: saved, with: tokens)
    let end = try home.run(words)
    end.expect(status: 1)
    expect(!end.output.contains(tokens.accessToken.revealed))
    expectContains(end.errors, "idx-flow api URL")
    try home.run("token", "--decode", "--type", "access").expect(status: 0)
    try home.run("token", "--type", "id", "--format", "kubernetes").expect(status: 0)
  }

  @Test(
    "A token that is about to expire is refreshed for token and exec, and the new one is used and saved"
  )
  func renewed() async throws {
    let credential = try await home.signIn(at: server, age: 3570)
    let end = try home.run("token")
    end.expect(status: 0, end.errors.isEmpty)
    let saved = try await require(home.store.credential(credential.id))
    expectEqual(end.output, saved.tokens.accessToken.revealed + "\n")
    expect(saved.tokens.accessToken != credential.tokens.accessToken)
    expectEqual(server.refreshTokens, [credential.tokens.refreshToken?.revealed])
    try await home.age(saved, by: 4000)
    let exec = try home.run("exec", "--", "sh", "-c", "echo $ACCESS_TOKEN")
    let newest = try await require(home.store.credential(credential.id))
    expectEqual(exec.output, newest.tokens.accessToken.revealed + "\n")
    expect(newest.tokens != saved.tokens)
  }

  @Test(
    "--decode prints the claims of a token, one on each line or as JSON; an opaque token is not printed instead"
  )
  func decoded() async throws {
    try await home.signIn(at: server)
    let text = try home.run("token", "--type", "id", "--decode")
    text.expect(status: 0)
    expect(text.output.contains("alg  RS256\n") && text.output.contains(server.issuer))
    expect(text.output.contains(/\nexp +\d{10} \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\)\n/))
    let object = try home.run("token", "--decode", "--json").json
    expectEqual(object["header"]?["alg"], "RS256")
    expectEqual(object["claims"]?["iss"], .string(server.issuer))
    let end = try home.run("token", "--type", "refresh", "--decode")
    end.expect(status: 1, end.output.isEmpty)
    expectEqual(end.errors, "idx-flow: The token is opaque: only the server can read it.\n")
  }

  @Test(
    "A token that was not issued is named with its scope, with status 8; an unknown kind or store has status 2"
  )
  func unknown() async throws {
    try await home.signIn(at: server, scopes: ["openid"])
    let end = try home.run("token", "--type", "refresh")
    end.expect(status: 8, end.output.isEmpty)
    expectContains(end.errors, "Sign in with the scope offline_access to get one")
    let kind = try home.run("token", "--type", "bearer")
    kind.expect(status: 2)
    expectEqual(kind.errors, "idx-flow: --type must be access, id or refresh, not bearer.\n")
    let store = try home.run("token", "--store", "pocket")
    store.expect(status: 2)
    expectContains(store.errors, "--store must be keychain, secret-service or file, not pocket.")
  }

  @Test("At a terminal, a warning names the user of the token", .promise("token-commands"))
  func shown() async throws {
    let credential = try await home.signIn(at: server)
    let terminal = try PseudoTerminal()
    let program = try home.program(["token"], output: terminal.path)
    try await terminal.lines(until: String(credential.tokens.accessToken.revealed.suffix(40)))
    let end = program.end()
    end.expect(status: 0)
    expectEqual(end.errors, "Anyone who has this token can act as ada@example.com.\n")
  }

  @Test("A token that cannot be written is a failure")
  func lost() async throws {
    try await home.signIn(at: server)
    let closed = try home.program(["token"], outputIsClosed: true).end()
    expect(closed.status != 0)
    #if os(Linux)
      let full = try home.run("token", output: "/dev/full")
      full.expect(status: 1)
      expectContains(full.errors, "The output cannot be written: No space left on device.")
    #endif
  }

  @Test("The header is a field of a request, with the type of the token as its standard writes it")
  func header() async throws {
    let saved = try await home.signIn(at: server)
    let tokens = saved.tokens
    let access = try home.run("token", "--format", "header")
    expectEqual(access.output, "Authorization: Bearer \(tokens.accessToken.revealed)\n")
    let id = try home.run("token", "--type", "id", "--format=header")
    expectEqual(id.output, "Authorization: Bearer \(tokens.idToken?.revealed ?? "")\n")
    try await home.replaceTokens(
      of: saved, with: Tokens(accessToken: "at", tokenType: "bearer", expiresIn: 3600))
    try expectEqual(home.run("token", "--format", "header").output, "Authorization: Bearer at\n")
  }

  @Test(
    "kubectl gets an ExecCredential of its version, with the end of the token in UTC; a note says which token was not named"
  )
  func kubernetes() async throws {
    let credential = try await home.signIn(at: server)
    for kind in ["access", "id"] {
      let end = try home.run("token", "--type", kind, "--format", "kubernetes")
      end.expect(status: 0)
      let object = try end.json
      expectEqual(object["apiVersion"], "client.authentication.k8s.io/v1")
      expectEqual(object["kind"], "ExecCredential")
      let token = kind == "id" ? credential.tokens.idToken : credential.tokens.accessToken
      expectEqual(object["status"]?["token"]?.string, token?.revealed)
      let text = try require(object["status"]?["expirationTimestamp"]?.string)
      expectSuffix(text, "Z")
      let date = try Date(text, strategy: .iso8601)
      expect(abs(date.timeIntervalSinceNow - 3600) < 120)
    }
    for (info, version) in [
      (#"{"apiVersion": "client.authentication.k8s.io/v1beta1", "spec": {}}"#, "v1beta1"),
      (#"{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential"}"#, "v1"),
      (#"{"apiVersion": "client.authentication.k8s.io/v9"}"#, "v1"), ("{", "v1"), ("", "v1"),
    ] {
      let end = try home.run(
        "token", "--type", "id", "--format", "kubernetes",
        variables: ["KUBERNETES_EXEC_INFO": info])
      try expectEqual(
        end.json["apiVersion"]?.string, "client.authentication.k8s.io/\(version)", info)
      expectEmpty(end.errors)
    }
    let unnamed = try home.run("token", "--format", "kubernetes")
    unnamed.expect(status: 0)
    expectContains(unnamed.errors, "This is the access token.")
  }

  @Test(
    "An ID token that has expired is refused with the reason, and one that has not is given away")
  func expiredIDToken() async throws {
    let credential = try await home.signIn(at: server)
    let text = CredentialText(credential)
    func token(until end: Int) -> Secret {
      let payload = Data(#"{"exp": \#(end)}"#.utf8).base64EncodedString()
      return Secret("eyJhbGciOiJSUzI1NiJ9.\(payload.filter { $0 != "=" }).c2ln")
    }
    let now = Int(Date().timeIntervalSince1970)
    try FreshToken.checkIDToken(token(until: now + 600), text)
    let failure = #expect(throws: CommandFailure.self) {
      try FreshToken.checkIDToken(token(until: now - 1), text)
    }
    expectEqual(failure?.exitCode, .signInNeeded)
    expectContains(failure?.message ?? "", "The ID token has expired")
  }

  @Test("Options of token that do not go together are refused, and no token is printed")
  func wrongFormat() async throws {
    try await home.signIn(at: server)
    for words in [
      ["--type", "refresh", "--format", "header"], ["--type", "refresh", "--format", "kubernetes"],
      ["--format", "header", "--json"], ["--format", "header", "--decode"],
    ] {
      let end = try home.run(["token"] + words)
      end.expect(status: 2, !end.output.contains("Bearer"), comment: "\(words)")
    }
    for words in [
      ["--for", "GET"], ["https://a.example/"], ["--nonce", "n"],
      ["--format", "plain", "--for", "GET", "https://a.example/"],
      ["--json", "--for", "GET", "https://a.example/"],
      ["--nonce", "a b", "--for", "GET", "https://a.example/"],
      ["--format", "header", "--type", "id", "--for", "GET", "https://a.example/"],
    ] {
      let end = try home.run(["token"] + words)
      end.expect(status: 2, !end.output.contains("eyJ"))
      expectContains(end.errors, "idx-flow token --for METHOD URL", "\(words)")
    }
  }

  @Test(
    "--output writes what would be printed to a file for its owner only, in every format",
    .promise("token-output"),
    arguments: [
      [], ["--type", "id"], ["--format", "header"],
      ["--type", "access", "--format", "kubernetes"], ["--json"],
      ["--decode"], ["--decode", "--json"], ["--for", "GET", "https://api.example.com/"],
    ])
  func outputFile(options: [String]) async throws {
    try await home.signIn(at: server)
    let path = try home.folder.file("token", "old", mode: 0o644)
    let end = try home.run(["token", "--output", path] + options)
    end.expect(status: 0, end.output.isEmpty && end.errors.isEmpty)
    let printed = try home.run(["token"] + options)
    expectEqual(home.folder.text(of: "token"), printed.output)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    expectEqual(mode as? Int, 0o600)
  }

  @Test(
    "--output replaces no file if there is no token or it cannot be written, and no folder or device",
    .promise("token-output"))
  func outputFileKept() async throws {
    let path = try home.folder.file("token", "old")
    let end = try home.run("token", "--output", path)
    end.expect(status: 8, home.folder.text(of: "token") == "old")
    try await home.signIn(at: server)
    let missing = try home.run("token", "--output", home.folder.path("missing/token"))
    missing.expect(status: 1, missing.output.isEmpty)
    expectContains(missing.errors, "missing/token: no such file or directory.")
    for path in ["/dev/null", "/tmp", "-", "/proc/self/fd/1"] {
      try expectEqual(home.run("token", "--output", path, output: "/dev/full").status, 2, path)
    }
  }
}
