public import IDX

/// All messages that a ``SimulatedOrg`` has sent to its users, in order.
public struct Mailbox: Sendable, Hashable {
  /// One email, SMS or call.
  public struct Message: Sendable, Hashable {
    /// How it was sent: `email`, `sms` or `voice`.
    public let method: IDXAuthenticator.Method
    /// The email address or the phone number.
    public let recipient: String
    /// The code, six digits; or the last part of a link.
    public let code: String
    /// The text with the code, in one line.
    public let text: String
  }

  /// The messages, oldest first.
  public internal(set) var messages: [Message] = []

  /// Creates an empty mailbox.
  init() {}

  /// The code of the newest message to an address or a number; nil if nothing was sent there.
  public func lastCode(to recipient: String) -> String? {
    messages.last { $0.recipient == recipient }?.code
  }
}
