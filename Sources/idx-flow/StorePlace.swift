import IDXStorage
import OAuth

/// Where the command keeps credentials: as `--store` says, else `IDX_FLOW_STORE`, else where it is
/// safest on this machine.
struct StorePlace {
  private let kind: String?
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) {
    let variable = environment["IDX_FLOW_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    kind = options.values["--store"] ?? variable
    self.environment = environment
  }

  func store() throws -> any CredentialStore { MemoryCredentialStore() }

  /// The demo's own, so that it never touches what is real.
  func demoStore() throws -> any CredentialStore { MemoryCredentialStore() }
}
