import Expectations
import Foundation
import IDXBase
import IDXOAuth
import Testing

@testable import IDXStorage

@Suite("CredentialStores", .timeLimit(.minutes(10)))
struct CredentialStoresTests {
  @Test("The folder is in Application Support if an app has its own, in XDG_DATA_HOME or in HOME")
  func folder() throws {
    for (environment, expected) in [
      (["XDG_DATA_HOME": "/data", "HOME": "/home/ada"], "/data/idx-flow"),
      (["XDG_DATA_HOME": "data", "HOME": "/home/ada"], "/home/ada/.local/share/idx-flow"),
      (["XDG_DATA_HOME": "", "HOME": "/home/ada"], "/home/ada/.local/share/idx-flow"),
      (["HOME": "/home/ada"], "/home/ada/.local/share/idx-flow"),
    ] {
      try expectEqual(CredentialStores.dataFolder(environment: environment), expected)
    }
    for environment in [[:], ["HOME": "/home/ada", "XDG_DATA_HOME": "/data"]] {
      let folder = try CredentialStores.dataFolder(
        environment: environment,
        applicationSupport: [
          URL(filePath: "/app/Library/Application Support"), URL(filePath: "/b"),
        ])
      expectEqual(folder, "/app/Library/Application Support/idx-flow")
    }
    try expectEqual(
      CredentialStores.dataFolder(),
      CredentialStores.dataFolder(environment: ProcessInfo.processInfo.environment))
  }

  @Test(
    "Without HOME and XDG_DATA_HOME, the error says what to set",
    arguments: [[:], ["HOME": ""], ["HOME": "ada", "XDG_DATA_HOME": "."]])
  func noFolder(environment: [String: String]) async throws {
    for kind in CredentialStores.Kind.allCases + [nil] {
      let error = try await storeError {
        _ = try await CredentialStores.system(kind, environment: environment)
      }
      expectEqual(error?.code, .unavailable)
      expectEqual(error?.message.contains("Set HOME or XDG_DATA_HOME"), true)
    }
  }

  @Test("Files can be chosen, which creates nothing, and the kinds have stable names")
  func file() async throws {
    let store = try await CredentialStores.system(.file, environment: ["HOME": "/nowhere"])
    expectEqual(store.location, "the folder /nowhere/.local/share/idx-flow")
    expect(store is FileCredentialStore)
    expectEqual(
      CredentialStores.Kind.allCases.map(\.rawValue), ["keychain", "secret-service", "file"])
  }

  #if !canImport(Security)
    @Test("The Secret Service is chosen if it answers")
    func secretService() async throws {
      let tool = try FakeSecretTool()
      for kind in [nil, CredentialStores.Kind.secretService] {
        let store = try await CredentialStores.system(
          kind, environment: home(tool), responseTime: patience)
        expect(store is SecretServiceCredentialStore)
      }
    }

    @Test(
      "Files never take the place of a Secret Service that fails, is locked, or does not answer",
      .promise("keyring-failure"),
      arguments: [
        "echo 'secret-tool: Connection refused' >&2; exit 1", "exec sleep 600",
        "if [ $1 = store ]; then echo 'secret-tool: locked collection' >&2; fi; exit 1",
        "if [ $1 = store ]; then echo 'secret-tool: The name is not activatable' >&2; fi; exit 1",
        "case $* in *probe*) ;; *) echo 'secret-tool: The name is not activatable' >&2 ;; esac; exit 1",
        "echo 'secret-tool: item “The name is not activatable” is locked' >&2; exit 1",
      ])
    func failing(script: String) async throws {
      let tool = try FakeSecretTool()
      try tool.install(script)
      for kind in [nil, CredentialStores.Kind.secretService] {
        let error = try await storeError {
          _ = try await CredentialStores.system(
            kind, environment: home(tool), responseTime: .milliseconds(500),
            onFallback: { Issue.record($0) })
        }
        expectEqual(error?.code, .unavailable)
      }
    }

    /// Changes of an environment without which there is no keyring, and a script of `secret-tool`.
    private static let absences: [([String: String], String)] = [
      (["PATH": "/nowhere"], ""), (["DBUS_SESSION_BUS_ADDRESS": ""], ""),
      ([:], "echo 'secret-tool: The name is not activatable' >&2; exit 1"),
      (
        [:],
        "echo 'secret-tool: The name org.freedesktop.secrets was not provided by any .service files'"
          + " >&2; exit 1"
      ),
    ]

    @Test("Without a keyring, files are chosen, and the caller is told why", arguments: absences)
    func absent(change: [String: String], script: String) async throws {
      let tool = try FakeSecretTool()
      if !script.isEmpty { try tool.install(script) }
      let environment = home(tool).merging(change) { $1 }
      let reasons = Locked<[CredentialStoreError.Code]>([])
      let store = try await CredentialStores.system(
        environment: environment, responseTime: patience,
        onFallback: { error in reasons.withLock { $0 += [error.code] } })
      expect(store is FileCredentialStore)
      expectEqual(reasons.withLock { $0 }, [.absent])
      await #expect(throws: CancellationError.self) {
        _ = try await CredentialStores.system(
          environment: environment, responseTime: patience,
          onFallback: { _ in throw CancellationError() })
      }
      let error = try await storeError {
        _ = try await CredentialStores.system(
          .secretService, environment: environment, responseTime: patience)
      }
      expectEqual(error?.code, .absent)
    }

    @Test(
      "After a keyring was used, its absence is an error", .promise("keyring-failure"),
      arguments: absences)
    func usedBefore(change: [String: String], script: String) async throws {
      let tool = try FakeSecretTool()
      _ = try await CredentialStores.system(environment: home(tool), responseTime: patience)
      if !script.isEmpty { try tool.install(script) }
      let environment = home(tool).merging(change) { $1 }
      let error = try await storeError {
        _ = try await CredentialStores.system(
          environment: environment, responseTime: patience, onFallback: { Issue.record($0) })
      }
      expectEqual(error?.code, .unavailable)
      expectEqual(error?.message.hasPrefix("A keyring was used before"), true)
      let store = try await CredentialStores.system(.file, environment: environment)
      expect(store is FileCredentialStore)
    }

    private func home(_ tool: FakeSecretTool) -> [String: String] {
      tool.environment.merging(["HOME": tool.folder.path]) { $1 }
    }

    @Test("A store that the system does not have is reported")
    func keychain() async throws {
      let error = try await storeError {
        _ = try await CredentialStores.system(.keychain, environment: ["HOME": "/nowhere"])
      }
      expectEqual(error?.code, .absent)
      expectEqual(error?.message.contains("Choose secret-service or file"), true)
    }
  #endif
}
