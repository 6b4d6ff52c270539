import Foundation
import IDXBase

/// A user who is signed in to the org with a browser.
struct BrowserSession: Sendable {
  let id: String
  /// The values of the cookies `sid` and `idx`, each of which is enough.
  let cookies: [String: String]
  let account: OrgAccount.Key
  let signIn: CompletedSignIn
  let expiresAt: Date
}

extension OrgState {
  /// The session of the browser that has sent a request; nil if it has none that is valid.
  func session(of request: TransportRequest) -> BrowserSession? {
    browserSessions.first { session in
      now < session.expiresAt && session.cookies.contains { request.cookie($0.key) == $0.value }
    }
  }

  mutating func startSession(
    of account: OrgAccount.Key, _ signIn: CompletedSignIn
  ) -> BrowserSession {
    let lifetime = (requestRules.signInPage ?? OrgSignInPage()).sessionLifetime
    let id = random.handle("102", bytes: 16)
    let session = BrowserSession(
      id: id, cookies: ["sid": id, "idx": random.handle("eyJ", bytes: 60)], account: account,
      signIn: signIn,
      expiresAt: now.addingTimeInterval(lifetime))
    let now = now
    browserSessions.removeAll { $0.expiresAt <= now }
    browserSessions.append(session)
    return session
  }

  /// The session of a browser for a session token, which is used up; nil if the token is not valid.
  mutating func startSession(for token: String?) -> BrowserSession? {
    guard let session = token.flatMap({ sessions.removeValue(forKey: $0) }),
      now < session.expiresAt
    else { return nil }
    return startSession(of: session.account, session.signIn)
  }

  /// The cookies that give a browser its session.
  func cookies(of session: BrowserSession) -> [String] {
    session.cookies.sorted { $0.key > $1.key }.map { settings.cookie($0.key, $0.value) }
  }

  /// Ends the session of a browser; returns the cookies that remove those of the session.
  mutating func endSession(of request: TransportRequest) -> [String] {
    let id = session(of: request)?.id
    browserSessions.removeAll { $0.id == id }
    return ["sid", "idx"].map { settings.cookie($0, "", lifetime: 0) }
  }
}
