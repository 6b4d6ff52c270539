public import IDX

/// All that a ``SimulatedOrg`` has sent to its users, in order.
public struct Mailbox: Sendable, Hashable {
  /// One e-mail, SMS or call.
  public struct Message: Sendable, Hashable {
    /// How it was sent: `email`, `sms` or `voice`.
    public let method: IDXAuthenticator.Method
    /// The address or the number that it went to.
    public let recipient: String
    /// The code in it, a string of six digits; where it is a link, the end of that.
    public let code: String
    /// What it says, the code included: one line.
    public let text: String
  }

  /// The messages, oldest first.
  public internal(set) var messages: [Message] = []

  /// No messages.
  public init() {}

  /// The code of the newest message to an address or a number; nil where there is none.
  public func lastCode(to recipient: String) -> String? {
    messages.last { $0.recipient == recipient }?.code
  }
}
