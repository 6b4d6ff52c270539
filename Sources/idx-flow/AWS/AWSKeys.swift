import Foundation
import IDXBase
import IDXOAuth
import IDXStorage

/// Temporary keys of a role in AWS.
struct AWSKeys: Codable, Hashable, Sendable {
  let request: AWSKeyRequest
  let accessKeyID: String
  let secretAccessKey: Secret
  let sessionToken: Secret
  /// The time when the keys came, by this computer's clock.
  let receivedAt: Date
  /// The time when the keys expire, by the clock of AWS.
  let expiresAt: Date

  /// Whether the keys can be given away at a time.
  ///
  /// False in the last quarter of an hour, or of a shorter lifetime the last quarter, because the AWS tools ask for
  /// other keys then. False if the clock must have been set back.
  func isValid(at date: Date) -> Bool {
    let margin = min(900, expiresAt.timeIntervalSince(receivedAt) / 4)
    return date.addingTimeInterval(300) > receivedAt && date.addingTimeInterval(margin) < expiresAt
  }

  /// What a program prints for `credential_process`.
  var json: JSONValue {
    [
      "Version": 1, "AccessKeyId": .string(accessKeyID),
      "SecretAccessKey": .string(secretAccessKey.revealed),
      "SessionToken": .string(sessionToken.revealed),
      "Expiration": .string(expiresAt.formatted(.iso8601)),
    ]
  }

  /// Lines for a shell, which set the variables that the AWS tools read.
  var lines: String {
    let variables = [
      ("AWS_ACCESS_KEY_ID", accessKeyID), ("AWS_SECRET_ACCESS_KEY", secretAccessKey.revealed),
      ("AWS_SESSION_TOKEN", sessionToken.revealed),
      ("AWS_CREDENTIAL_EXPIRATION", expiresAt.formatted(.iso8601)),
    ]
    return variables.map { "export \($0.0)=\($0.1.shellWord)" }.joined(separator: "\n")
  }
}

extension AWSKeys: Redacted {
  /// The role, without the keys.
  var description: String { "keys of \(request.roleARN)" }
}

extension Credential {
  private static let awsKeys = "aws"

  /// The keys of AWS roles that were given for the ID token; none if they cannot be read.
  var awsKeys: [AWSKeys] {
    attachments[Self.awsKeys].flatMap {
      try? JSONDecoder().decode([AWSKeys].self, from: Data($0.revealed.utf8))
    } ?? []
  }

  /// The credential with more keys, without those that have expired, and with at most 20 in all.
  func adding(_ keys: AWSKeys, at date: Date) throws -> Credential {
    let others = awsKeys.filter { $0.request != keys.request && $0.isValid(at: date) }
    let all = try JSONEncoder().encode(others.suffix(19) + [keys])
    var credential = self
    credential.attachments[Self.awsKeys] = Secret(String(decoding: all, as: UTF8.self))
    return credential
  }
}

/// Keeps keys of AWS roles with the credential whose ID token they were given for.
///
/// So they are as safe as its tokens, and a sign-out, another sign-in or a refusal by the server removes them.
struct AWSKeyCache: Sendable {
  let store: any CredentialStore
  var now: @Sendable () -> Date = { Date() }

  /// The kept keys for a request; nil if there are none that are still valid.
  func keys(for request: AWSKeyRequest, of credential: Credential) -> AWSKeys? {
    guard credential.refusedAt == nil else { return nil }
    return credential.awsKeys.first { $0.request == request && $0.isValid(at: now()) }
  }

  /// The kept keys for a request, or new ones, which are then kept.
  ///
  /// If several processes need keys at the same time, one after the other looks whether there are some by now.
  /// `onUnkept` gets the error of a store that cannot keep the new keys.
  func keys(
    for request: AWSKeyRequest, of id: Credential.ID, onUnkept: @Sendable (any Error) -> Void,
    orElse newKeys: @Sendable () async throws -> AWSKeys
  ) async throws -> AWSKeys {
    // Another lock than that of the credential, which a refresh needs meanwhile.
    let lock = Credential.ID.lock(on: "keys of aws", part: id.storageName)
    return try await store.withLock(on: lock) {
      if let stored = try await store.credential(id), let kept = keys(for: request, of: stored) {
        return kept
      }
      let keys = try await newKeys()
      do { try await keep(keys, with: id) } catch is CancellationError {
        throw CancellationError()
      } catch { onUnkept(error) }
      return keys
    }
  }

  /// The kept keys for a request with a SAML response, in any of the credentials for an app; nil if there are none that
  /// are still valid.
  func keys(for request: AWSKeyRequest, among credentials: [Credential]) -> AWSKeys? {
    credentials.lazy.compactMap { keys(for: request, of: $0) }.first
  }

  private func keep(_ keys: AWSKeys, with id: Credential.ID) async throws {
    try await store.withLock(on: id) {
      // Somebody may have signed out in the meantime.
      guard let stored = try await store.credential(id), stored.refusedAt == nil else { return }
      try await store.save(try stored.adding(keys, at: now()))
    }
  }
}
