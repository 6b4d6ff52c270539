#if !canImport(Security)
  import Expectations
  import Foundation
  import IDXBase
  import IDXOAuth
  import IDXTesting
  import Testing

  @testable import IDXStorage
  @testable import IDXSystem

  @Suite("SecretServiceCredentialStore", .timeLimit(.minutes(10)))
  struct SecretServiceTests {
    private let old = Credential.sample("token-old")
    private static let long = String(repeating: "0123456789äöü€", count: 1000)

    @Test("It fulfills the contract", arguments: CredentialStoreContract.checks)
    func contract(check: CredentialStoreContract.Check) async throws {
      try await check.run(on: try await FakeKeyring().store())
    }

    @Test(
      "It fulfills the contract with the system's own Secret Service",
      .enabled(if: ProcessInfo.processInfo.environment["IDX_SECRET_SERVICE"] != nil),
      arguments: CredentialStoreContract.checks)
    func systemContract(check: CredentialStoreContract.Check) async throws {
      let folder = try TemporaryFolder()
      let (service, environment) = (
        "idx-flow-test-\(UUID())", ProcessInfo.processInfo.environment
      )
      let store = try await SecretServiceCredentialStore(
        lockFolder: "\(folder.path)/locks", service: service, environment: environment,
        responseTime: patience, timeout: patience)
      let result = await Task { try await check.run(on: store) }.result
      let program = try require(ExternalProgram(named: "secret-tool", environment: environment))
      _ = try await program.run(["clear", "service", service])
      withExtendedLifetime(folder) {}
      try result.get()
    }

    @Test("Arguments, which all users can see, contain no token", .promise("secret-pipes"))
    func arguments() async throws {
      let tool = try FakeSecretTool()
      let store = try await tool.store()
      try await store.save(old)
      try await store.save(.sample("token-" + Self.long))
      try await store.makeCurrent(old.id)
      try await store.remove(old.id)
      let arguments = tool.text(of: "arguments")
      expectContains(arguments, "store --label=idx-flow: credential of ada at https://crash")
      expect(!arguments.contains("token-") && !arguments.contains("0123456789"))
    }

    @Test(
      "An error contains nothing of what the program was given to store", .promise("secret-pipes"),
      arguments: [0, 1])
    func quotation(status: Int) async throws {
      let tool = try FakeSecretTool()
      let store = try await tool.store()
      try tool.install(
        "if [ $1 = store ]; then echo \"secret-tool: no room for: $(cat)\" >&2; exit \(status); fi; exit 1"
      )
      let error = try await storeError { try await store.save(old) }
      expectEqual(error?.code, .unavailable)
      expectEqual(error?.message.contains("(status \(status))"), true)
      expectEqual(error?.message.contains("token"), false)
    }

    @Test(
      "A program that writes without end is ended", .promise("keyring-output"),
      arguments: ["", " >&2", " & trap '' TERM; yes"])
    func endless(more: String) async throws {
      let tool = try FakeSecretTool()
      try tool.install("yes\(more)")
      let error = try await storeError { _ = try await tool.store() }
      expectEqual(error?.code, .unavailable)
      expectEqual(error?.message.contains("more than 1 MiB"), true)
    }

    @Test("A credential with a username of any length can be saved")
    func longName() async throws {
      // One character, with more bytes than an argument can have.
      let name = "a" + String(repeating: "\u{301}", count: 100_000)
      let named = Credential(
        id: old.id, username: name, tokens: old.tokens, receivedAt: old.receivedAt)
      let tool = try FakeSecretTool()
      let store = try await tool.store()
      try await store.save(named)
      try await expectEqual(store.credential(old.id), named)
    }

    @Test(
      "After a crash at any call of a save, the old or the new credential is there and listed",
      arguments: [nil, "", long], ["", long])
    func crashes(oldTail: String?, newTail: String) async throws {
      let old = oldTail.map { Credential.sample("token-old" + $0) }
      let new = Credential.sample("token-new" + newTail)
      var outcomes: Set<Bool> = []
      for calls in 0..<100 {
        let keyring = try FakeKeyring()
        let store = try await keyring.store()
        if let old { try await store.save(old) }
        await keyring.fail(after: calls)
        let error = try await storeError { try await store.save(new) }
        expect(error == nil || error?.code == .unavailable)
        expect(error?.message.contains("token-") != true)
        await keyring.fail(after: nil)
        let found = try await store.credential(new.id)
        expect(found == old || found == new)
        try await expectEqual(store.entries().map(\.credential), found.map { [$0] } ?? [])
        outcomes.insert(found == new)
        // Later calls succeed and remove what the crash left behind.
        try await store.save(self.old)
        try await expectEqual(store.credential(new.id), self.old)
        try await store.remove(new.id)
        await expectEqual(keyring.items.count, 1)
        if error == nil { break }
      }
      expectEqual(outcomes, [true, false])
    }

    @Test("A change leaves nothing of the old text, and of an earlier crash, behind")
    func replacedParts() async throws {
      let keyring = try FakeKeyring()
      let store = try await keyring.store()
      let stale = "service,idx-flow,part-of,\(old.id.storageName),set,a,number,9"
      await keyring.put("stale", stale)
      try await store.save(.sample("token-1" + Self.long))
      await expectEqual(keyring.items[stale], nil)
      let count = await keyring.items.count
      try await store.save(.sample("token-2" + Self.long))
      await expectEqual(keyring.items.count, count)
      try await store.save(old)
      await expectEqual(keyring.items.count, 2)
    }

    @Test("If another process replaces a long text while it is read, the new one is returned")
    func replacedWhileRead() async throws {
      let outputs = Locked(["parts:a:1", nil, "new"])
      let tool = SecretTool(service: "idx-flow", timeout: patience) { _, _ in
        let output = outputs.withLock { $0.removeFirst() }
        return ExternalProgram.Exit(
          status: output == nil ? 1 : 0, bytes: Array((output ?? "").utf8), errors: "")
      }
      try await expectEqual(tool.read("name"), "new")
    }

    @Test(
      "After a crash during a removal, no missing credential is current, and it can be repeated")
    func interruptedRemoval() async throws {
      for calls in 0..<100 {
        let keyring = try FakeKeyring()
        let store = try await keyring.store()
        try await store.save(old)
        try await store.makeCurrent(old.id)
        await keyring.fail(after: calls)
        let error = try await storeError { try await store.remove(old.id) }
        await keyring.fail(after: nil)
        let found = try await store.credential(old.id)
        try await expectEqual(store.entries().map(\.credential), (found.map { [$0] } ?? []))
        if found == nil { try await expectEqual(store.currentID(), nil) }
        try await store.remove(old.id)
        try await expectEmpty(store.entries())
        if error == nil { break }
      }
    }

    @Test(
      "A damaged or newer item is reported and not changed, and can be removed",
      arguments: [
        ("", CredentialStoreError.Code.damaged), ("nonsense", .damaged), ("parts:a:3", .damaged),
        ("parts:a:-1", .damaged), ("parts:a:9223372036854775807", .damaged),
        (#"{"version":4}"#, .newer),
      ])
    func damaged(text: String, code: CredentialStoreError.Code) async throws {
      let keyring = try FakeKeyring()
      let store = try await keyring.store()
      let other = Credential.sample("token-other", subject: "grace")
      for credential in [old, other] { try await store.save(credential) }
      await keyring.put(text, "service,idx-flow,item,\(old.id.storageName)")
      let before = await keyring.items
      for error in [
        try await storeError { _ = try await store.credential(old.id) },
        try await storeError { try await store.save(.sample("token-new")) },
        try await storeError { try await store.makeCurrent(old.id) },
        try await store.entries().compactMap { entry -> CredentialStoreError? in
          if case .unreadable(let error) = entry { error } else { nil }
        }.first,
      ] {
        expectEqual(error?.code, code)
        expectEqual(error?.message.contains(old.id.storageName), true)
      }
      try await expectEqual(store.entries().compactMap(\.credential), [other])
      await expectEqual(keyring.items, before)
      try await store.remove(old.id)
      try await expectEqual(store.entries().map(\.credential), [other])
    }

    @Test("A damaged list is reported and not changed, and credentials can be read by their ID")
    func damagedList() async throws {
      let keyring = try FakeKeyring()
      let store = try await keyring.store()
      try await store.save(old)
      await keyring.put("nonsense", "service,idx-flow,item,index")
      let before = await keyring.items
      try await expectEqual(store.entries().map { $0.credential == nil }, [true])
      try await expectEqual(store.credential(old.id), old)
      for error in [
        try await storeError { _ = try await store.currentID() },
        try await storeError { try await store.makeCurrent(old.id) },
        try await storeError { try await store.save(.sample(subject: "grace")) },
      ] { expectEqual(error?.code, .damaged) }
      await expectEqual(keyring.items, before)
      try await store.remove(old.id)
      try await expectEqual(store.credential(old.id), nil)
    }

    @Test("A missing or failing program is reported")
    func unavailable() async throws {
      let tool = try FakeSecretTool()
      try tool.install(
        "echo 'secret-tool: Cannot autolaunch D-Bus without X11 $DISPLAY' >&2; exit 1")
      let failing = try await storeError { _ = try await tool.store() }
      expectEqual(failing?.code, .unavailable)
      expectEqual(failing?.message.contains("Cannot autolaunch D-Bus without X11 $DISPLAY"), true)
      let missing = try await storeError {
        _ = try await SecretServiceCredentialStore(
          lockFolder: "\(tool.folder.path)/locks", environment: ["PATH": "/nowhere"])
      }
      expectEqual(missing?.code, .absent)
      expectEqual(missing?.message.contains("Install libsecret-tools"), true)
    }

    @Test(
      "A program that hangs is ended",
      arguments: ["exec sleep 600", "trap '' TERM; while [ -e \"$0\" ]; do sleep 0.05; done"])
    func hanging(script: String) async throws {
      let tool = try FakeSecretTool()
      try tool.install("echo $$ > \"$0.number\"; \(script)")
      let error = try await storeError {
        _ = try await SecretServiceCredentialStore(
          lockFolder: "\(tool.folder.path)/locks", environment: tool.environment,
          responseTime: .milliseconds(500))
      }
      expectEqual(error?.code, .unavailable)
      expectEqual(error?.message.contains("did not answer within a moment"), true)
      let number = pid_t(tool.text(of: "secret-tool.number").split(separator: "\n").first ?? "")
      if let number { expect(kill(number, 0) != 0) }
    }

    @Test("Cancelling the task ends the wait for an answer")
    func cancellation() async throws {
      let tool = try FakeSecretTool()
      let store = try await tool.store()
      let pipe = try NamedPipe()
      try tool.install("echo begun > \(pipe.path); exec sleep 600")
      let task = Task { [old] in _ = try await store.credential(old.id) }
      try await expect(pipe.waitForLine())
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }
#endif
