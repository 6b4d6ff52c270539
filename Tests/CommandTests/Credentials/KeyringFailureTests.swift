#if !canImport(Security)
  import Expectations
  import Foundation
  import Testing

  @Suite("Failures of the keyring", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
  struct KeyringFailureTests {
    private let home: DataHome
    private let server: OrgServer

    init() throws {
      home = try DataHome()
      server = try OrgServer()
    }

    /// Runs a command with a script as `secret-tool`, and without a chosen store.
    private func run(_ words: [String], secretTool script: String) throws -> Program.End {
      let draft = try home.folder.file("draft", "#!/bin/sh\n\(script)\n")
      let program = home.folder.path("secret-tool")
      // Another process copies it: a program that is open for writing cannot be started, and other tests
      // start programs, which may inherit the open file.
      _ = try Program.run([draft, program], of: "/bin/cp")
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
      return try run(words, ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"])
    }

    private func run(_ words: [String], _ more: [String: String]) throws -> Program.End {
      let environment = [
        "XDG_DATA_HOME": home.folder.url.path, "PATH": "\(home.folder.url.path):/usr/bin:/bin",
        "IDX_FLOW_STORE": "",
      ]
      return try Program.run(words, environment: environment.merging(more) { $1 })
    }

    @Test(
      "A sign-in fails before any request, with status 9, and says how to use files",
      .promise("keyring-failure"),
      arguments: [
        "echo 'secret-tool: Connection refused' >&2; exit 1",
        "if [ $1 = store ]; then echo 'secret-tool: locked' >&2; fi; exit 1",
      ])
    func signIn(script: String) async throws {
      let words = try home.signInArguments(at: server)
      let end = try run(words, secretTool: script)
      end.expect(status: 9, end.output.isEmpty)
      expectContains(end.errors, "unlock a keyring")
      expectContains(end.errors, "With --store file or IDX_FLOW_STORE=file, files are used")
      expectEmpty(server.paths)
      try await expectEmpty(home.credentials())
      let chosen = try run(words + ["--store", "file"], secretTool: script)
      chosen.expect(status: 0)
      expect(!chosen.errors.contains("arning"))
      try await expectEqual(home.credentials().count, 1)
    }

    @Test(
      "No command reads files in place of a keyring that fails", .promise("keyring-failure"),
      arguments: ["status", "whoami", "token", "refresh", "signout", "list", "use ada"])
    func reading(command: String) async throws {
      let credential = try await home.signIn(at: server)
      let end = try run(
        command.split(separator: " ").map(String.init),
        secretTool: "echo 'secret-tool: locked' >&2; exit 1")
      end.expect(status: 9, end.output.isEmpty)
      try await expectEqual(home.credentials(), [credential])
    }

    @Test(
      "If a keyring fails only when the tokens are saved, or loses them, they are revoked",
      .promise("lost-tokens"),
      arguments: ["echo 'secret-tool: locked' >&2; exit 1", "cat > /dev/null"])
    func late(store: String) async throws {
      let end = try run(
        try home.signInArguments(at: server),
        secretTool: """
          case "$*" in
          lookup*"item index") [ -e "$0.index" ] || exit 1; exec cat "$0.index" ;;
          store*"item index") cat > "$0.index" ;;
          store*) \(store) ;;
          *) exit 1 ;;
          esac
          """)
      end.expect(status: 9, end.output.isEmpty)
      expectContains(end.errors, "The tokens cannot be saved. The new tokens were revoked. ")
      expectEqual(server.forms(to: "/revoke").count, 2)
      try await expectEmpty(home.credentials())
    }

    @Test(
      "Without a keyring, a sign-in warns once and saves the tokens in files",
      .promise("keyring-failure"))
    func absent() throws {
      let end = try run(try home.signInArguments(at: server), [:])
      end.expect(status: 0)
      expectEqual(end.errors.split(separator: "Warning").count, 2)
      expectContains(end.errors, "saved in the folder \(home.path), in clear text")
      expectContains(end.errors, "With --store file or IDX_FLOW_STORE=file")
      let status = try run(["status"], [:])
      status.expect(status: 0, status.errors.isEmpty)
    }
  }
#endif
