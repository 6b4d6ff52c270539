import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXStorage
import IDXSystem

/// The store that `--store` or `IDX_FLOW_STORE` selects; by default the safest one on this computer.
enum StoreChoice {
  private static let kinds = CredentialStores.Kind.allCases.map(\.rawValue)

  static let option = OptionSpec(
    "--store", value: "KIND", of: .oneOf(kinds),
    "where credentials are saved: \(kinds.joined(separator: ", "))")

  /// The demo has its own store, so that it never changes real credentials.
  ///
  /// `warns` says whether to tell the person if tokens go to files because there is no keyring. If there
  /// is one and it fails, no files are read or written in its place.
  static func store(
    _ call: CommandCall, isDemo: Bool, warns: Bool = false, responseTime: Duration = .seconds(10)
  ) async throws -> any CredentialStore {
    let environment = call.environment
    if isDemo {
      guard [nil, CredentialStores.Kind.file.rawValue].contains(call[option]) else {
        throw CommandFailure(
          .usage, "The demo saves its credentials in files. Do not use --store with it.")
      }
      return FileCredentialStore(folder: try demoFolder(environment))
    }
    let kind = try call.value(of: option, or: "IDX_FLOW_STORE").map { _, name in
      guard let kind = CredentialStores.Kind(rawValue: name) else {
        // The parser has checked the option.
        throw CommandFailure(.usage, "IDX_FLOW_STORE must be \(kinds.alternatives), not \(name).")
      }
      return kind
    }
    let files = FileCredentialStore(
      folder: try CredentialStores.dataFolder(environment: environment))
    do {
      return try await CredentialStores.system(
        kind, environment: environment, responseTime: responseTime
      ) { reason in
        // Once for each computer.
        guard warns, Self.isFirstWarning(in: files.folder) else { return }
        call.streams.note(
          "idx-flow: Warning: without a keyring, the tokens are saved in \(files.place), in clear "
            + "text that only your user can read. \(reason.message) \(accept) without this warning."
        )
      }
    } catch let error as CredentialStoreError
      where kind == nil && error.code == .unavailable
    {
      throw CredentialStoreError(
        error.code, "\(error.message) \(accept): they are in clear text, in \(files.location).",
        systemCode: error.systemCode)
    }
  }

  /// Whether nobody was warned yet; from now on, somebody was.
  private static func isFirstWarning(in folder: String) -> Bool {
    guard PrivateFolder.create(folder) == nil else { return true }
    do throws(PrivateFile.WriteError) {
      try PrivateFile.write([], to: folder + "/warned-about-files")
      return true
    } catch { return error.systemCode != EEXIST }
  }

  private static let accept: Sentence = "With --store file or IDX_FLOW_STORE=file, files are used"

  static func demoFolder(_ environment: [String: String]) throws -> String {
    try CredentialStores.dataFolder(environment: environment) + "/demo"
  }
}

extension CredentialStore {
  /// The location, in the language of the person.
  var place: Sentence {
    (self as? FileCredentialStore).map { "the folder \($0.folder.printable)" }
      ?? Sentence(template: location)
  }

  /// The members of a JSON result that say where the credential is: the kind of store, and the folder of files.
  func adding(to json: JSONValue) -> JSONValue {
    let files = self as? FileCredentialStore
    #if canImport(Security)
      let keyring = CredentialStores.Kind.keychain
    #else
      let keyring = CredentialStores.Kind.secretService
    #endif
    let kind = files == nil ? keyring : .file
    return json.adding("store", .string(kind.rawValue))
      .adding("store_folder", files.map { .string($0.folder) })
  }
}
