import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXStorage
import Testing

@testable import idx_flow

/// Kept keys of AWS.
struct AWSKeyCacheTests {
  private static let start = Date(timeIntervalSince1970: 1_900_000_000)

  private let store: any CredentialStore = MemoryCredentialStore(timeout: patience)
  private let time = Locked(start)
  private let calls = Locked(0)
  private let id = Credential.ID(issuer: URL(filePath: "/"), clientID: "app", subject: "00u1")

  private var cache: AWSKeyCache { AWSKeyCache(store: store) { [time] in time.withLock { $0 } } }

  private var now: Date { time.withLock { $0 } }

  private func wait(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

  private func signIn(_ subject: String = "00u1") async throws -> Credential.ID {
    let id = Credential.ID(issuer: id.issuer, clientID: id.clientID, subject: subject)
    try await store.save(
      Credential(id: id, tokens: Tokens(accessToken: "a"), receivedAt: now))
    return id
  }

  private func request(
    role: String = "a", session: String = "ada", duration: Int? = nil, at host: String = "sts"
  ) throws -> AWSKeyRequest {
    AWSKeyRequest(
      roleARN: "arn:aws:iam::123456789012:role/\(role)", sessionName: session, duration: duration,
      endpoint: try require(URL(string: "https://\(host).example/")))
  }

  /// Gets keys, which are valid for an hour if they are new.
  private func keys(_ request: AWSKeyRequest, of id: Credential.ID) async throws -> AWSKeys {
    try await cache.keys(for: request, of: id, onUnkept: { Issue.record($0) }) { [calls, now] in
      // Time for others, who must wait for these keys.
      for _ in 0..<100 { await Task.yield() }
      let number = calls.withLock {
        $0 += 1
        return $0
      }
      return AWSKeys(
        request: request, accessKeyID: "ASIA\(number)", secretAccessKey: "secret",
        sessionToken: "token", receivedAt: now, expiresAt: now + 3600)
    }
  }

  @Test(
    "Keys are the same until a quarter of an hour before they expire, or for three quarters of a short lifetime"
  )
  func expiry() async throws {
    let id = try await signIn()
    let first = try await keys(request(), of: id)
    wait(2699)
    try await expectEqual(keys(request(), of: id), first)
    wait(1)
    let second = try await keys(request(), of: id)
    expectEqual(second.accessKeyID, "ASIA2")
    try await expectEqual(keys(request(), of: id), second)
    // The first ones are not kept with them.
    try await expectEqual(store.credential(id)?.awsKeys, [second])
    let short = try shortLivedKeys()
    expect(short.isValid(at: Self.start.addingTimeInterval(674)))
    expect(!short.isValid(at: Self.start.addingTimeInterval(675)))
  }

  @Test("Keys that seem to come from the future are used if it is less than five minutes")
  func clockSetBack() throws {
    let keys = try shortLivedKeys()
    expect(keys.isValid(at: Self.start.addingTimeInterval(-299)))
    expect(!keys.isValid(at: Self.start.addingTimeInterval(-300)))
  }

  /// Keys that are valid for a quarter of an hour.
  private func shortLivedKeys() throws -> AWSKeys {
    AWSKeys(
      request: try request(), accessKeyID: "", secretAccessKey: "", sessionToken: "",
      receivedAt: Self.start, expiresAt: Self.start.addingTimeInterval(900))
  }

  @Test(
    "Another role, session, duration, address or person does not get the keys", .promise("aws-keys")
  )
  func others() async throws {
    let (ada, grace) = (try await signIn(), try await signIn("00u2"))
    let requests = [
      try request(), try request(role: "b"), try request(session: "eve"),
      try request(duration: 3600), try request(at: "other"),
    ]
    var all: [String] = []
    for id in [ada, grace] {
      for request in requests { all.append(try await keys(request, of: id).accessKeyID) }
    }
    expectEqual(Set(all).count, 10)
    for (request, name) in zip(requests, all) {
      try await expectEqual(keys(request, of: ada).accessKeyID, name)
    }
  }

  @Test("Calls at the same time get the same keys")
  func together() async throws {
    let (id, request) = (try await signIn(), try request())
    let names = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 { group.addTask { try await keys(request, of: id).accessKeyID } }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    expectEqual(names, ["ASIA1"])
  }

  @Test(
    "A sign-out, a new sign-in and a refusal by the server remove the keys", .promise("aws-keys"))
  func removed() async throws {
    var id = try await signIn()
    _ = try await keys(request(), of: id)
    try await store.remove(id)
    try await expectEqual(keys(request(), of: id).accessKeyID, "ASIA2")
    try await expectEqual(store.credential(id), nil)
    id = try await signIn()
    try await expectEqual(keys(request(), of: id).accessKeyID, "ASIA3")
    _ = try await signIn()
    try await expectEqual(keys(request(), of: id).accessKeyID, "ASIA4")
    let credential = try await require(store.credential(id))
    let refused = credential.refused(at: now)
    expect(refused.awsKeys.isEmpty && refused.attachments.isEmpty)
    expectEqual(cache.keys(for: try request(), of: refused), nil)
  }

  @Test("At most 20 keys are kept, and none that have expired")
  func limit() async throws {
    let id = try await signIn()
    for number in 0..<25 { _ = try await keys(request(role: "\(number)"), of: id) }
    let kept = try await require(store.credential(id)).awsKeys
    expectEqual(kept.map(\.accessKeyID), (6...25).map { "ASIA\($0)" })
    wait(3600)
    _ = try await keys(request(), of: id)
    try await expectEqual(store.credential(id)?.awsKeys.count, 1)
  }

  @Test("Keys that cannot be read count as missing, and are replaced")
  func damaged() async throws {
    let id = try await signIn()
    var credential = try await require(store.credential(id))
    credential.attachments = ["aws": "[{}]", "other": "kept"]
    try await store.save(credential)
    let first = try await keys(request(), of: id)
    let saved = try await require(store.credential(id))
    expectEqual(saved.awsKeys, [first])
    expectEqual(saved.attachments["other"], "kept")
  }

  @Test(
    "The keys are the JSON of credential_process, or variables for a shell, and in no description")
  func formats() throws {
    let keys = AWSKeys(
      request: try request(), accessKeyID: "ASIA1", secretAccessKey: "a+b/c",
      sessionToken: "d=$(e)'", receivedAt: Self.start,
      expiresAt: Self.start.addingTimeInterval(0.5))
    expectEqual(
      keys.json.text,
      #"{"Version":1,"AccessKeyId":"ASIA1","SecretAccessKey":"a+b/c","SessionToken":"d=$(e)'","#
        + #""Expiration":"2030-03-17T17:46:40Z"}"#)
    expectEqual(
      keys.lines,
      """
      export AWS_ACCESS_KEY_ID=ASIA1
      export AWS_SECRET_ACCESS_KEY=a+b/c
      export AWS_SESSION_TOKEN='d=$(e)'\\'''
      export AWS_CREDENTIAL_EXPIRATION=2030-03-17T17:46:40Z
      """)
    let text = printedTexts(of: keys)
    expect(!text.contains("a+b/c") && !text.contains("d=$"))
  }
}
