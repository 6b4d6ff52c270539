import Expectations
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

@testable import idx_flow

@Suite("idx-flow exec", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct ExecCommandTests {
  private let home: DataHome
  private let server: OrgServer

  init() throws {
    home = try DataHome()
    server = try OrgServer()
  }

  @Test(
    "The program gets the token in its environment and in no argument, and the command ends as it does",
    .promise("token-commands"))
  func token() async throws {
    let tokens = try await home.signIn(at: server).tokens
    let end = try home.run("exec", "--", "sh", "-c", #"echo "$0 $ACCESS_TOKEN"; exit 42"#, "a b")
    end.expect(status: 42, end.errors.isEmpty)
    expectEqual(end.output, "a b \(tokens.accessToken.revealed)\n")
    let id = try home.run(
      "exec", "--env", "API_TOKEN", "--type", "id", "sh", "-c", "echo $API_TOKEN$ACCESS_TOKEN")
    id.expect(status: 0, id.output == (tokens.idToken?.revealed ?? "") + "\n")
    let arguments = try home.run(
      "exec", "--", "sh", "-c", "ps -o args= -p $$ || true; echo $0", "x")
    arguments.expect(status: 0, arguments.output.contains("ps -o args="))
    expect(!arguments.output.contains(tokens.accessToken.revealed))
    let killed = try home.run("exec", "--", "sh", "-c", "kill -TERM $$")
    expectEqual(killed.signal, 15)
  }

  @Test(
    "A program that is missing has status 127, and one that cannot be run, or not with a token of this size, 126"
  )
  func notRun() async throws {
    let saved = try await home.signIn(at: server)
    let missing = try home.run("exec", "--", "no-such-program")
    missing.expect(status: 127)
    expectEqual(missing.errors, "idx-flow: There is no program no-such-program.\n")
    let file = try home.folder.file("data.txt", "no program")
    let denied = try home.run("exec", "--", file)
    denied.expect(status: 126)
    expectEqual(denied.errors, "idx-flow: \(file) cannot be run: Permission denied.\n")
    // Linux allows 128 KiB for a variable, and macOS 1 MiB for all.
    let token = Secret(String(repeating: "x", count: 900_000))
    try await home.replaceTokens(of: saved, with: Tokens(accessToken: token, expiresIn: 3600))
    let end = try home.run("exec", "--", "true")
    end.expect(status: 126)
    expectContains(end.errors, "The access token in ")
    expectContains(end.errors, "idx-flow token --output FILE")
  }

  @Test("Without a credential or with wrong options, nothing is run")
  func refused() async throws {
    let nobody = try home.run("exec", "--", "echo", "run", "--json")
    nobody.expect(status: 8, nobody.output.isEmpty)
    try await home.signIn(at: server)
    try home.run("exec").expect(status: 2)
    for options in [["--env", "A=B"], ["--type", "refresh"]] {
      let end = try home.run(["exec"] + options + ["--", "echo", "run"])
      end.expect(status: 2, end.output.isEmpty, comment: "\(options)")
    }
  }
}
