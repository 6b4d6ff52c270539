/// Why a terminal could not be used.
public struct TerminalError: Error, Sendable, CustomStringConvertible {
  /// What went wrong.
  ///
  /// An open set.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// A code of this name.
    public init(stringLiteral value: String) { description = value }

    /// There is no terminal there: no such device, no controlling terminal, or another kind of file.
    public static let unavailable: Code = "unavailable"
    /// The terminal was there and the system failed to read from it.
    public static let failed: Code = "failed"
  }

  /// What went wrong.
  public let code: Code
  /// What was tried and what happened, in a sentence for a person.
  public let message: String
  /// The system's `errno`; zero where the system reported none.
  public let systemCode: Int32

  /// An error of these parts.
  public init(_ code: Code, message: String, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.systemCode = systemCode
  }

  /// The message.
  public var description: String { message }
}
