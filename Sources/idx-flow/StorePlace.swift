import IDXStorage
import IDXOAuth

/// Where the command keeps credentials: as `--store` says, else `IDX_FLOW_STORE`, else where it is
/// safest on this machine.
struct StorePlace {
  private let name: String?
  private let source: String
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) {
    let variable = environment["IDX_FLOW_STORE"].flatMap { $0.isEmpty ? nil : $0 }
    name = options.values["--store"] ?? variable
    source = options.values["--store"] == nil ? "IDX_FLOW_STORE" : "--store"
    self.environment = environment
  }

  func store() async throws -> any CredentialStore {
    try await CredentialStores.system(kind(), environment: environment)
  }

  /// The demo's own, so that it never touches what is real.
  func demoStore() throws -> FileCredentialStore {
    guard source != "--store" || name == CredentialStores.Kind.file.rawValue else {
      throw CommandFailure(.usage, "The demo keeps its credentials in files; leave --store out.")
    }
    return FileCredentialStore(folder: try Self.demoFolder(environment))
  }

  static func demoFolder(_ environment: [String: String]) throws -> String {
    try CredentialStores.dataFolder(environment: environment) + "/demo"
  }

  private func kind() throws -> CredentialStores.Kind? {
    guard let name else { return nil }
    guard let kind = CredentialStores.Kind(rawValue: name) else {
      let kinds = CredentialStores.Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw CommandFailure(.usage, "\(source) is one of \(kinds), not \(name).")
    }
    return kind
  }
}
