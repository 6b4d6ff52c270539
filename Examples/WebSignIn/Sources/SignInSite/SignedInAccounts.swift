import Foundation
import IDXOAuth
import IDXFlow

/// The people who are signed in, in the same store as the sign-ins.
///
/// This site needs only their names. An app that calls an API keeps the tokens of the sign-in too.
struct SignedInAccounts {
  private static let lifetime = Duration.seconds(8 * 3600)

  /// How often and how long a store that is away is waited for; as long as `OpenSignIns` waits.
  private static let (waits, pause) = (60, Duration.milliseconds(250))

  let store: any OpenSignInStore
  let now: @Sendable () -> Date
  let sleep: @Sendable (Duration) async throws -> Void

  /// Remembers a person; returns the ID for the cookie.
  ///
  /// The org issues tokens once, so a store that is away for some seconds is waited for.
  func add(_ name: String) async throws -> String {
    let id = RandomBytes.system.token()
    let end = now() + Self.pause * Self.waits / .seconds(1)
    for wait in 0... {
      do {
        let key = key(id)
        _ = try await store.replace(nil, by: Data(name.utf8), for: key, lifetime: Self.lifetime)
        break
      } catch {
        guard wait < Self.waits, now() < end else { throw error }
        try await sleep(Self.pause)
      }
    }
    return id
  }

  /// The name of a person; nil if nobody is signed in with this ID.
  func name(for id: String?) async throws -> String? {
    guard let id, let data = try await store.load(key(id)) else { return nil }
    return String(decoding: data, as: UTF8.self)
  }

  func forget(_ id: String) async throws {
    guard let data = try await store.load(key(id)) else { return }
    _ = try await store.replace(data, by: nil, for: key(id), lifetime: Self.lifetime)
  }

  /// The IDs of sign-ins have no colon, so neither can stand for the other.
  private func key(_ id: String) -> String { "account:\(id)" }
}
