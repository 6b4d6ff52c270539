public import IDXBase

/// Why a passkey could not be created or could not sign.
public struct PasskeyError: CodedError, Hashable {
  /// What went wrong.
  ///
  /// An open set: a provider may add its own.
  public struct Code: OpenSet {
    /// The name of the code.
    public let rawValue: String
    /// Creates a code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The programs that reach a security key are not installed.
    public static let notInstalled: Code = "not_installed"
    /// There is no key.
    public static let noKey: Code = "no_key"
    /// There are several keys, and it is unclear which one to use.
    public static let severalKeys: Code = "several_keys"
    /// The key has none of the passkeys that the server accepts.
    public static let unknownCredential: Code = "unknown_credential"
    /// The key already has a passkey for this account.
    public static let alreadyRegistered: Code = "already_registered"
    /// The person cancelled.
    public static let cancelled: Code = "cancelled"
    /// The person did not respond in time.
    public static let timedOut: Code = "timed_out"
    /// The key could not verify the person, for example by a PIN.
    public static let notVerified: Code = "not_verified"
    /// The server requires a kind of passkey that the key cannot create.
    public static let unsupported: Code = "unsupported"
    /// The passkey would be for a site that does not belong to the org.
    public static let siteRefused: Code = "site_refused"
    /// The server's request is incomplete or damaged.
    public static let unreadableRequest: Code = "unreadable_request"
    /// The server refused the passkey's last answer.
    public static let refused: Code = "refused"
    /// The key, or the software between it and this package, failed.
    public static let failed: Code = "failed"
  }

  /// What went wrong.
  public let code: Code
  /// What happened and what to do about it.
  public let message: String

  /// Creates an error.
  public init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
