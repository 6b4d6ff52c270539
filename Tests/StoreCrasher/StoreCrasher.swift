import Foundation
import IDXBase
import IDXOAuth
import IDXStorage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Changes a file store for a test, and crashes before a step. If the step is "none", it does not crash.
///
///     StoreCrasher save FOLDER TOKEN STEP       saves a credential
///     StoreCrasher show FOLDER                  prints the token
///     StoreCrasher remove FOLDER STEP           removes the credential
///     StoreCrasher choose FOLDER STEP           makes the credential the current one
///     StoreCrasher limited FOLDER BYTES TOKEN   saves with a limit for the size of files
///     StoreCrasher killed FOLDER BYTES TOKEN    the same, but the system kills it at the limit
///     StoreCrasher count FOLDER TIMES           increments the token under the lock, this many times
///     StoreCrasher hold FOLDER PIPE             locks, writes a line to the pipe, and waits to be killed
@main
struct StoreCrasher {
  static func main() async {
    let arguments = CommandLine.arguments
    do {
      try await run(arguments[1], folder: arguments[2], Array(arguments.dropFirst(3)))
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(1)
    }
  }

  private static let id = Credential.ID(
    issuer: URL(string: "https://crash.okta.example")!, clientID: "client", subject: "ada")

  private static func credential(_ token: String) -> Credential {
    Credential(
      id: id, tokens: Tokens(accessToken: Secret(token)),
      receivedAt: Date(timeIntervalSince1970: 1_800_000_000))
  }

  private static func run(_ command: String, folder: String, _ rest: [String]) async throws {
    let last = rest.last.flatMap(FileStep.init)
    let store = FileCredentialStore(folder: folder, timeout: .seconds(3600)) { step in
      if step == last { kill(getpid(), SIGKILL) }
      if command == "killed", step == .write { unblockSignals() }
      return nil
    }
    switch command {
    case "save": try await store.save(credential(rest[0]))
    case "show":
      let token = try await store.credential(id)?.tokens.accessToken.revealed ?? "none"
      FileHandle.standardOutput.write(Data("\(token)\n".utf8))
    case "remove": try await store.remove(id)
    case "choose": try await store.makeCurrent(id)
    case "limited":
      signal(SIGXFSZ, SIG_IGN)
      try limitFileSize(to: rest[0])
      try await store.save(credential(rest[1]))
    case "killed":
      // A core file would contain tokens.
      var none = rlimit()
      setrlimit(core, &none)
      try limitFileSize(to: rest[0])
      try await store.save(credential(rest[1]))
    case "count":
      for _ in 0..<(Int(rest[0]) ?? 0) {
        try await store.withLock(on: id) {
          let token = try await store.credential(id)?.tokens.accessToken.revealed
          try await store.save(credential("\((token.flatMap(Int.init) ?? 0) + 1)"))
        }
      }
    case "hold":
      try await store.withLock(on: id) {
        FileHandle(forWritingAtPath: rest[0])?.write(Data("held\n".utf8))
        while true { pause() }
      }
    default: throw CredentialStoreError(.unavailable, "Unknown command: \(command).")
    }
  }

  /// Unblocks the signals that threads of Dispatch block.
  private static func unblockSignals() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  private static func limitFileSize(to bytes: String) throws {
    var limit = rlimit(rlim_cur: numericCast(Int(bytes) ?? 0), rlim_max: numericCast(1 << 30))
    guard setrlimit(fileSize, &limit) == 0 else {
      throw CredentialStoreError(.unavailable, "The limit cannot be set.")
    }
  }

  #if canImport(Glibc)
    private static let fileSize = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    private static let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
  #else
    private static let fileSize = RLIMIT_FSIZE
    private static let core = RLIMIT_CORE
  #endif
}
