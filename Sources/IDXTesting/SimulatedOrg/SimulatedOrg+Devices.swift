public import IDX

// What the person does with their devices.
extension SimulatedOrg {
  /// A push that waits for an answer on a user's telephone.
  public struct Push: Sendable, Hashable {
    /// The authenticator whose app shows it.
    public let authenticator: IDXAuthenticator.Key
    /// The number that has to be picked; nil where none is wanted.
    public let number: String?
  }

  /// The code that a device of the user's gives: what an app or a token shows, what a key types when
  /// it is touched, an access code, the PIN of a tag, the signature that Duo makes; nil where there is
  /// none.
  ///
  /// It serves a set-up that is under way as well. Nobody types a used code twice: where the one that
  /// is shown has been accepted, it is the next; `ahead` counts on from there, as where two in a row
  /// are asked for. Each call touches a key once. Codes that the org sends are in the ``mailbox``.
  public func code(of key: IDXAuthenticator.Key, for login: String, ahead: Int = 0) -> String? {
    core.code(of: key, for: login, ahead: ahead)
  }

  /// The pushes that wait on the user's telephone, the newest last.
  public func pushes(for login: String) -> [Push] {
    core.pushes(for: login).map { Push(authenticator: $0.authenticator, number: $0.device.number) }
  }

  /// Approves the newest push, picking this number: the sign-in that waits goes on at its next poll.
  ///
  /// Where a number is wanted, another one or none rejects the push. Without a push nothing happens.
  public func approvePush(for login: String, choosing number: String? = nil) {
    core.answerPush(for: login) { $0.device.number.map { $0 == number } ?? true }
  }

  /// Rejects the newest push.
  public func rejectPush(for login: String) {
    core.answerPush(for: login) { _ in false }
  }

  /// Does on the telephone what a set-up waits for: scans the QR code, opens the link, touches the
  /// tag.
  public func completeEnrollment(for login: String) { core.completeEnrollment(for: login) }
}
