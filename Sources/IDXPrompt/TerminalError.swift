public import IDXBase

/// Why a terminal could not be used.
public struct TerminalError: CodedError {
  /// What went wrong.
  public struct Code: OpenSet {
    /// The name of the code.
    public let rawValue: String
    /// Creates a code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no terminal: no such device, no controlling terminal, or another kind of file.
    public static let unavailable: Code = "unavailable"
    /// The system failed to read from the terminal.
    public static let failed: Code = "failed"
  }

  /// What went wrong.
  public let code: Code
  /// What was tried and what happened.
  public let message: String
  /// The system's `errno`; zero if the system reported none.
  public let systemCode: Int32

  /// Creates an error.
  public init(_ code: Code, message: String, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.systemCode = systemCode
  }
}
