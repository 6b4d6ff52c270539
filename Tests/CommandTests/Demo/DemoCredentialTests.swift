import Expectations
import Foundation
import IDX
import IDXBase
import IDXStorage
import Testing

@testable import idx_flow

@Suite(
  "The credentials of the demo", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct DemoCredentialTests {
  private let home: DataHome

  init() throws { home = try DataHome() }

  private var demoPath: String { home.path + "/demo" }

  private func signIn(_ more: String...) throws -> Program.End {
    let script = try home.folder.file(
      "answers.json", String(DataHome.script(for: .demo).dropLast()) + #", {"step": "skip"}]"#)
    return try home.run(["signin", "--demo", "--script", script] + more)
  }

  @Test(
    "The org of the demo continues in later processes, and the demo does not use real credentials")
  func lifecycle() throws {
    try expectEqual(signIn().status, 0)
    let end = try home.run("status")
    end.expect(status: 8)
    expectSuffix(end.errors, "Sign in: idx-flow signin\n")
    let other = try home.run("status", "--demo", "--store", "keychain")
    other.expect(status: 2)
    expectContains(
      other.errors, "The demo saves its credentials in files. Do not use --store with it.")
    try expectEqual(signIn("--force").status, 0)
    let status = try home.run("status", "--demo", "--verbose")
    status.expect(status: 0)
    expectContains(status.output, "\nscopes    openid profile email offline_access\n")
    let first = try home.run("token", "--demo")
    first.expect(status: 0, first.errors.isEmpty)
    for _ in 1...2 { try expectEqual(home.run("refresh", "--demo").status, 0) }
    let second = try home.run("token", "--demo")
    second.expect(status: 0, second.output != first.output)
    try expectEqual(home.run("whoami", "--demo", "--json").json["email"], "ada@example.com")
    try home.run("signout", "--demo").expect(status: 0)
    let list = try home.run("list", "--demo")
    list.expect(status: 0, list.output.isEmpty)
  }

  @Test(
    "A damaged org file is reported, and a new sign-in replaces it",
    arguments: ["?", #"{"scenario": "basic", "tokens": "bm90aGluZw=="}"#])
  func damaged(text: String) throws {
    try expectEqual(signIn().status, 0)
    try Data(text.utf8).write(to: URL(filePath: demoPath + "/org.json"))
    let end = try home.run("whoami", "--demo")
    end.expect(status: 9)
    expectContains(end.errors, "org.json is damaged. Delete it, and sign in to the demo again.")
    try expectEqual(signIn("--force").status, 0)
    try home.run("whoami", "--demo").expect(status: 0)
  }
}
