import Testing

@testable import IDXStorage

@Suite("CredentialStores", .timeLimit(.minutes(5)))
struct CredentialStoresTests {
  @Test(
    "The folder is in XDG_DATA_HOME if that is absolute, otherwise in HOME",
    arguments: [
      (["XDG_DATA_HOME": "/data", "HOME": "/home/ada"], "/data/idx-flow"),
      (["XDG_DATA_HOME": "data", "HOME": "/home/ada"], "/home/ada/.local/share/idx-flow"),
      (["XDG_DATA_HOME": "", "HOME": "/home/ada"], "/home/ada/.local/share/idx-flow"),
      (["HOME": "/home/ada"], "/home/ada/.local/share/idx-flow"),
    ])
  func folder(environment: [String: String], expected: String) throws {
    #expect(try CredentialStores.dataFolder(environment: environment) == expected)
  }

  @Test(
    "Without HOME and XDG_DATA_HOME, the error says what to set",
    arguments: [[:], ["HOME": ""], ["HOME": "ada", "XDG_DATA_HOME": "."]])
  func noFolder(environment: [String: String]) async throws {
    for kind in CredentialStores.Kind.allCases + [nil] {
      let error = try await storeError {
        _ = try await CredentialStores.system(kind, environment: environment)
      }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("Set HOME or XDG_DATA_HOME") == true)
    }
  }

  @Test("The kinds have stable names")
  func kinds() {
    #expect(
      CredentialStores.Kind.allCases.map(\.rawValue) == ["keychain", "secret-service", "file"])
  }

  @Test("Files can be chosen, which creates nothing")
  func file() async throws {
    let store = try await CredentialStores.system(.file, environment: ["HOME": "/nowhere"])
    #expect(store.location == "the folder /nowhere/.local/share/idx-flow")
    #expect(store is FileCredentialStore)
  }

  #if !canImport(Security)
    @Test("The Secret Service is chosen if it answers, otherwise files")
    func secretService() async throws {
      let tool = try FakeSecretTool()
      let environment = tool.environment.merging(["HOME": tool.folder.path]) { $1 }
      for kind in [nil, CredentialStores.Kind.secretService] {
        let store = try await CredentialStores.system(
          kind, environment: environment, answerTime: .seconds(30))
        #expect(store is SecretServiceCredentialStore)
      }
      for script in [
        "echo 'secret-tool: no D-Bus' >&2; exit 1", "exec sleep 600",
        "if [ $1 = store ]; then echo 'secret-tool: no keyring' >&2; fi; exit 1",
      ] {
        try tool.install(script)
        let store = try await CredentialStores.system(
          environment: environment, answerTime: .milliseconds(500))
        #expect(store is FileCredentialStore)
        let error = try await storeError {
          _ = try await CredentialStores.system(
            .secretService, environment: environment, answerTime: .milliseconds(500))
        }
        #expect(error?.code == .unavailable)
      }
    }

    @Test("A store that the system does not have is reported")
    func keychain() async throws {
      let error = try await storeError {
        _ = try await CredentialStores.system(.keychain, environment: ["HOME": "/nowhere"])
      }
      #expect(error?.code == .unavailable)
      #expect(error?.message.contains("Choose secret-service or file") == true)
    }
  #endif
}
