import Foundation
import IDXBase
public import IDXOAuth

/// What every ``/IDXOAuth/CredentialStore`` must do, as checks to run against a store of your own.
///
/// Each check needs an empty store. It does not empty the store afterwards. Let the locks wait for much
/// longer than any check takes, such as an hour: on a busy computer, tasks may have to wait for minutes,
/// and a lock that gives up fails the check. With Swift Testing:
///
///     @Test(arguments: CredentialStoreContract.checks)
///     func contract(check: CredentialStoreContract.Check) async throws {
///       try await check.run(on: MyCredentialStore(folder: newFolder, timeout: .seconds(3600)))
///     }
///
/// Write your own tests for crashes, damaged data and file permissions: they depend on where the store
/// saves the tokens.
public enum CredentialStoreContract {
  /// A check of one thing that a store must do.
  public struct Check: Sendable, CustomStringConvertible {
    /// The requirement, as a sentence.
    public let name: String

    private let body: @Sendable (any CredentialStore) async throws -> Void

    init(_ name: String, _ body: @escaping @Sendable (any CredentialStore) async throws -> Void) {
      self.name = name
      self.body = body
    }

    /// The name.
    public var description: String { name }

    /// Checks an empty store.
    ///
    /// Throws a ``Violation`` if the store does not meet the requirement, and rethrows the errors of the
    /// store.
    public func run(on store: any CredentialStore) async throws { try await body(store) }
  }

  /// A requirement that a store does not meet.
  public struct Violation: Error, Sendable, CustomStringConvertible {
    /// What was expected, as a sentence without tokens.
    public let description: String
  }

  /// All checks.
  public static let checks: [Check] = saving + choosing + locking + concurrent

  private static func expect(_ condition: Bool, _ expectation: String) throws(Violation) {
    if !condition { throw Violation(description: expectation) }
  }

  /// Expects that a store has exactly these credentials, and finds each by its id.
  private static func expect(
    _ store: any CredentialStore, has credentials: [Credential]
  ) async throws {
    for credential in credentials {
      let found = try await store.credential(credential.id)
      try expect(found == credential, "The \(credential) must be found as it was saved.")
    }
    let entries = try await store.entries()
    let found = entries.compactMap(\.credential)
    try expect(found.count == entries.count, "Each entry must be readable.")
    try expect(
      found.count == credentials.count && Set(found) == Set(credentials),
      "There must be one entry for each of the \(credentials.count) saved credentials, but there are "
        + "\(found.count) entries.")
  }
}

// MARK: - Saving

extension CredentialStoreContract {
  private static let saving: [Check] = [
    Check("An empty store has no credential, no entry and no current one") { store in
      try await expect(store, has: [])
      try expect(
        try await store.credential(ada.id) == nil,
        "A credential that was never saved must be nil, not an error.")
      try expect(try await store.currentID() == nil, "There must be no current one.")
      try expect(!store.location.isEmpty, "The location must be described.")
    },
    Check("A credential is found as it was saved, with all its parts") { store in
      try await store.save(ada)
      try await expect(store, has: [ada])
      let refused = ada.refused(at: Date(timeIntervalSince1970: 1_800_000_001.5))
      try await store.save(refused)
      try await expect(store, has: [refused])
    },
    Check("A credential without its optional parts is found as it was saved") { store in
      let bare = Credential(
        id: Credential.ID(issuer: URL(filePath: "/"), clientID: "", subject: nil),
        tokens: Tokens(accessToken: "a"), receivedAt: Date(timeIntervalSince1970: 0))
      try await store.save(bare)
      try await expect(store, has: [bare])
    },
    Check("The key that tokens are bound to is kept, and is replaced with the tokens") { store in
      for key in [DPoPKey.software(), .software(), nil] {
        let bound = Credential(
          id: ada.id,
          tokens: Tokens(accessToken: "a", tokenType: key == nil ? "Bearer" : "DPoP", key: key),
          receivedAt: ada.receivedAt)
        try await store.save(bound)
        try await expect(store, has: [bound])
      }
    },
    Check("Credentials with ids that differ in one part are all kept") { store in
      let credentials = [
        ada, credential(issuer: "https://two.okta.example"), credential(issuer: "\(issuer)/"),
        credential(issuer: "\(issuer)/oauth2/default"), credential(client: "client-2"),
        credential(client: "client"), grace, credential(subject: "Ada"),
        credential(subject: nil), credential(subject: ""), credential(subject: "-"),
        credential(client: "client-", subject: "1ada"),
      ]
      for credential in credentials { try await store.save(credential) }
      try await expect(store, has: credentials)
    },
    Check("Unusual characters in an id and a name are kept") { store in
      let texts = [
        "../../etc/passwd", "a/b", #"a\b"#, #""quoted" and 'quoted'"#, "--help",
        "$(id) `id` ; | & *", "new\nline", "tab\tand\u{1B}[31mcolour", "\u{202E}turned",
        "Ünïcödé 名前 👩‍💻", " ", ".", "%00%2F", String(repeating: "long ", count: 1000),
      ]
      let credentials = texts.map { credential(client: $0, subject: $0, username: $0) }
      for credential in credentials { try await store.save(credential) }
      try await expect(store, has: credentials)
      try await store.remove(credentials[0].id)
      try await expect(store, has: Array(credentials.dropFirst()))
    },
    Check("A credential replaces only the one with the same id") { store in
      try await store.save(grace)
      for number in 1...3 {
        let credential = credential(token: "access-\(number)")
        try await store.save(credential)
        try await expect(store, has: [credential, grace])
      }
    },
    Check("Tokens of 16 KB are kept, also if long and short ones replace each other") { store in
      let long = credential(token: String(repeating: "0123456789abcdef", count: 1024))
      let short = credential(token: "short")
      for credential in [long, short, long, long, short, long] {
        try await store.save(credential)
        try await expect(store, has: [credential])
      }
      try await store.remove(long.id)
      try await expect(store, has: [])
    },
    Check("A removed credential is no longer found, and can be saved again") { store in
      try await store.save(ada)
      try await store.save(grace)
      try await store.remove(ada.id)
      try expect(try await store.credential(ada.id) == nil, "It must not be found.")
      try await expect(store, has: [grace])
      try await store.save(ada)
      try await expect(store, has: [ada, grace])
    },
    Check("Removing a credential that does not exist is not an error") { store in
      try await store.remove(ada.id)
      try await store.save(ada)
      try await store.remove(ada.id)
      try await store.remove(ada.id)
      try await expect(store, has: [])
    },
    Check("A credential is saved even if the task is cancelled") { store in
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await store.save(ada)
      }
      try await task.value
      try await expect(store, has: [ada])
    },
  ]

  private static let choosing: [Check] = [
    Check("The current credential stays the current one until another one is chosen") { store in
      try await store.save(ada)
      try await store.save(grace)
      try expect(try await store.currentID() == nil, "Saving must not choose a credential.")
      for id in [ada.id, grace.id, grace.id, ada.id] {
        try await store.makeCurrent(id)
        try expect(try await store.currentID() == id, "The chosen one must be the current one.")
      }
      try await store.save(credential(token: "access-2"))
      try await store.remove(grace.id)
      try expect(
        try await store.currentID() == ada.id,
        "It must stay the current one when it is saved again and another one is removed.")
    },
    Check("A credential that does not exist cannot be made the current one") { store in
      try await expectNotFound { try await store.makeCurrent(ada.id) }
      try await store.save(ada)
      try await store.makeCurrent(ada.id)
      try await expectNotFound { try await store.makeCurrent(grace.id) }
      try expect(try await store.currentID() == ada.id, "The current one must stay.")
    },
    Check("After the current credential is removed, there is none, even if it is saved again") {
      store in
      try await store.save(ada)
      try await store.makeCurrent(ada.id)
      try await store.remove(ada.id)
      try expect(try await store.currentID() == nil, "There must be no current one.")
      try await store.save(ada)
      try expect(try await store.currentID() == nil, "There must be no current one.")
    },
  ]

  private static func expectNotFound(_ body: () async throws -> Void) async throws {
    do {
      try await body()
    } catch let error as CredentialStoreError where error.code == .notFound {
      return
    }
    throw Violation(description: "The error notFound must be thrown.")
  }
}

// MARK: - Locks

extension CredentialStoreContract {
  private static let locking: [Check] = [
    Check("Only one task at a time has the lock, and the result of its body is returned") { store in
      let counter = TaskCounter()
      let results = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<8 {
          group.addTask {
            try await store.withLock(on: ada.id) {
              await counter.enter()
              for _ in 0..<20 { await Task.yield() }
              await counter.leave()
              return number
            }
          }
        }
        return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
      }
      try expect(await counter.most == 1, "Only one task at a time must have the lock.")
      try expect(results == Set(0..<8), "The body's result must be returned.")
    },
    Check("The task with the lock of a credential can read, save and remove it") { store in
      let changed = credential(token: "access-2")
      try await store.save(ada)
      try await store.withLock(on: ada.id) {
        try expect(try await store.credential(ada.id) == ada, "It must be found under its lock.")
        try await store.save(changed)
        try await store.makeCurrent(ada.id)
      }
      try await expect(store, has: [changed])
      try await store.withLock(on: ada.id) { try await store.remove(ada.id) }
      try await expect(store, has: [])
    },
    Check("The locks of two credentials do not exclude each other") { store in
      let isIn = try await store.withLock(on: ada.id) {
        try await store.withLock(on: grace.id) { true }
      }
      try expect(isIn, "The second lock must be free.")
    },
    Check("A lock is free after its body has thrown, and the error is rethrown") { store in
      struct BodyError: Error {}
      do {
        try await store.withLock(on: ada.id) { throw BodyError() }
        throw Violation(description: "The body's error must be rethrown.")
      } catch is BodyError {}
      try await store.withLock(on: ada.id) {}
    },
    Check("Cancelling a task ends only that task's wait for a lock") { store in
      let counter = TaskCounter()
      let (cancelled, other) = try await store.withLock(on: ada.id) {
        let tasks = (0..<2).map { _ in
          Task { try await store.withLock(on: ada.id) { await counter.enter() } }
        }
        for _ in 0..<20 { await Task.yield() }
        tasks[0].cancel()
        return (await tasks[0].result, tasks[1])
      }
      try expectCancellation(cancelled)
      try await other.value
      try expect(await counter.all == 1, "The other task must get the lock.")
    },
    Check("A task that is already cancelled does not get the lock") { store in
      let counter = TaskCounter()
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await store.withLock(on: ada.id) { await counter.enter() }
      }
      try expectCancellation(await task.result)
      try expect(await counter.all == 0, "The body must not run.")
    },
  ]

  private static let concurrent: [Check] = [
    Check("Credentials that are saved at the same time with different ids are all kept") { store in
      let credentials = (0..<10).map { credential(subject: "user \($0)", token: "access-\($0)") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for credential in credentials {
          group.addTask {
            try await store.save(credential)
            try await store.makeCurrent(credential.id)
          }
        }
        try await group.waitForAll()
      }
      try await expect(store, has: credentials)
      let current = try await store.currentID()
      try expect(credentials.contains { $0.id == current }, "One must be the current one.")
    },
    Check("Of credentials that are saved at the same time with one id, a complete one is found") {
      store in
      let versions = (0..<8).map {
        credential(token: String(repeating: "\($0)", count: $0 * 2000 + 1))
      }
      @Sendable func expectOne() async throws {
        let found = try await store.credential(versions[0].id)
        try expect(found.map(versions.contains) == true, "One complete version must be found.")
      }
      try await store.save(versions[0])
      try await withThrowingTaskGroup(of: Void.self) { group in
        for version in versions {
          group.addTask { try await store.save(version) }
          group.addTask { try await expectOne() }
        }
        try await group.waitForAll()
      }
      try await expectOne()
      try expect(try await store.entries().count == 1, "There must be one entry.")
    },
    Check("No change is lost if a credential is read, changed and saved under its lock") { store in
      let first = credential(token: "0")
      try await store.save(first)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 {
          group.addTask {
            try await store.withLock(on: first.id) {
              let text = try await store.credential(first.id)?.tokens.accessToken.revealed
              let count = text.flatMap(Int.init) ?? -1
              try await store.save(credential(token: "\(count + 1)"))
            }
          }
        }
        try await group.waitForAll()
      }
      try await expect(store, has: [credential(token: "10")])
    },
  ]

  private static func expectCancellation(_ result: Result<Void, any Error>) throws(Violation) {
    if case .failure(let error) = result, error is CancellationError { return }
    throw Violation(description: "The cancelled task must throw CancellationError.")
  }

  /// Counts the tasks that got a lock, and how many had it at the same time.
  private actor TaskCounter {
    private(set) var all = 0
    private(set) var most = 0
    private var present = 0

    func enter() {
      all += 1
      present += 1
      most = max(most, present)
    }

    func leave() { present -= 1 }
  }
}

// MARK: - Credentials

extension CredentialStoreContract {
  private static let issuer = "https://one.okta.example"
  private static let ada = credential()
  private static let grace = credential(subject: "grace")

  /// A credential with all its parts.
  private static func credential(
    issuer: String = issuer, client: String = "client-1", subject: String? = "ada",
    token: String = "access-1", username: String = "ada@one.example"
  ) -> Credential {
    Credential(
      id: Credential.ID(
        issuer: URL(string: issuer) ?? URL(filePath: issuer), clientID: client, subject: subject),
      username: username,
      tokens: Tokens(
        accessToken: Secret(token), tokenType: "Bearer", expiresIn: 3600,
        scopes: ["openid", "offline_access"], refreshToken: Secret("refresh of \(token)"),
        idToken: Secret("id of \(token)"), deviceSecret: Secret("device of \(token)")),
      receivedAt: Date(timeIntervalSince1970: 1_800_000_000.25),
      authenticatedAt: Date(timeIntervalSince1970: 1_799_999_990),
      nonce: Secret("nonce of \(token)"))
  }
}
