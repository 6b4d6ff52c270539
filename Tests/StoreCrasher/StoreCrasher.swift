import IDXBase
import Foundation
import IDXStorage
import IDXOAuth

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Changes a file store as a test says, and ends there in the middle of it.
///
///     StoreCrasher save FOLDER TOKEN STEP     saves; dies before the step, unless it is "none"
///     StoreCrasher show FOLDER                tells the token
///     StoreCrasher remove FOLDER STEP         removes
///     StoreCrasher choose FOLDER STEP         makes the credential the current one
///     StoreCrasher short FOLDER BYTES TOKEN   saves where files may be no longer than that
///     StoreCrasher cut FOLDER BYTES TOKEN     the same, but the system ends it there
///     StoreCrasher count FOLDER TIMES         adds one to the token, so many times, under the lock
///     StoreCrasher hold FOLDER PIPE           takes the lock, tells so, and keeps it until it is ended
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

  private static func run(_ what: String, folder: String, _ rest: [String]) async throws {
    let last = rest.last.flatMap(FileStep.init)
    let store = FileCredentialStore(folder: folder) { step in
      if step == last { kill(getpid(), SIGKILL) }
      if what == "cut", step == .write { letSignalsIn() }
      return nil
    }
    switch what {
    case "save": try await store.save(credential(rest[0]))
    case "show":
      let token = try await store.credential(id)?.tokens.accessToken.revealed ?? "none"
      FileHandle.standardOutput.write(Data("\(token)\n".utf8))
    case "remove": try await store.remove(id)
    case "choose": try await store.makeCurrent(id)
    case "short":
      signal(SIGXFSZ, SIG_IGN)
      try limitFiles(to: rest[0])
      try await store.save(credential(rest[1]))
    case "cut":
      // No core file of a process that holds tokens.
      var none = rlimit()
      setrlimit(core, &none)
      try limitFiles(to: rest[0])
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
    default: throw CredentialStoreError(.unavailable, "There is no \(what).")
    }
  }

  /// Threads of Dispatch block signals.
  private static func letSignalsIn() {
    var none = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, nil)
  }

  private static func limitFiles(to bytes: String) throws {
    var limit = rlimit(rlim_cur: numericCast(Int(bytes) ?? 0), rlim_max: numericCast(1 << 30))
    guard setrlimit(fileSize, &limit) == 0 else {
      throw CredentialStoreError(.unavailable, "The limit was not set.")
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
