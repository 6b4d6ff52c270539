public import Foundation
public import IDX
public import IDXBase

/// A person who can sign in to a ``SimulatedOrg``.
///
///     let ada = SimulatedUser(
///       login: "ada@shop.example", password: "Analytical-1843",
///       firstName: "Ada", lastName: "Byron",
///       enrollments: [.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP"), .phone("+15550100142")])
public struct SimulatedUser: Sendable, Hashable {
  /// The state of an account.
  public enum Status: Sendable, Hashable, CaseIterable {
    /// The user can sign in.
    case active
    /// Locked after too many wrong answers: the right password is refused like a wrong one.
    case locked
    /// Suspended by an administrator: access is denied after the password.
    case suspended
    /// Not assigned to the app, which the response says after the password.
    case notAssigned
    /// The user must choose a new password after the old one.
    case passwordExpired
  }

  /// The user name, not case-sensitive.
  public var login: String
  /// The password.
  public var password: Secret
  /// The state of the account.
  public var status: Status
  /// The first name.
  public var firstName: String
  /// The last name.
  public var lastName: String
  /// The address for mails.
  public var email: String
  /// In how many days the password expires; nil, the default, if not soon.
  public var daysToPasswordExpiry: Int?
  /// Other attributes of the profile; empty by default.
  public var attributes: [String: String] = [:]
  /// The authenticators that are set up besides the password, oldest first.
  public var enrollments: [Enrollment]
  /// What the user's phone does by itself; nothing by default.
  public var device = Device()

  /// Creates a user; `email` is the login unless given.
  public init(
    login: String, password: Secret, status: Status = .active, firstName: String = "Ada",
    lastName: String = "Byron", email: String? = nil, enrollments: [Enrollment] = []
  ) {
    self.login = login
    self.password = password
    self.status = status
    self.firstName = firstName
    self.lastName = lastName
    self.email = email ?? login
    self.enrollments = enrollments
  }
}

// MARK: - Enrollments

extension SimulatedUser {
  /// An authenticator that the user has set up besides the password.
  public struct Enrollment: Sendable, Hashable {
    /// The authenticator.
    public let authenticator: IDXAuthenticator.Key
    let detail: Detail

    enum Detail: Sendable, Hashable {
      /// The user's e-mail address.
      case address
      /// A phone number.
      case number(String)
      /// The secret of a device that shows codes, and whether the org asks for two codes in a row.
      case token(Secret, wantsNextCode: Bool)
      /// A code or a PIN that stays the same.
      case code(Secret)
      case question(SecurityQuestion, answer: Secret)
      case passkey(OrgPasskey)
      /// Something without a secret that the org checks.
      case device

      /// The secret of the device, or the code that the user knows.
      var secret: Secret? {
        switch self {
        case .token(let secret, _), .code(let secret): secret
        case .address, .number, .question, .passkey, .device: nil
        }
      }
    }

    /// Codes and links in mails to the user's address.
    public static let email = Self(authenticator: .email, detail: .address)

    /// Codes to a number in E.164, such as `+15550100142`, by SMS or call.
    public static func phone(_ number: String) -> Self {
      Self(authenticator: .phone, detail: .number(number))
    }

    /// Codes of an app with this secret, in Base32.
    public static func googleAuthenticator(secret: Secret) -> Self {
      token(.googleAuthenticator, secret: secret)
    }

    /// A question and its answer; the key `custom` means a question in the user's own words.
    ///
    /// Case, and white space around the answer, are ignored.
    public static func securityQuestion(
      key: String = "custom", question: String, answer: Secret
    ) -> Self {
      let question = SecurityQuestion(key: key, text: question)
      return Self(authenticator: .securityQuestion, detail: .question(question, answer: answer))
    }

    /// Okta Verify on a phone that shows codes of this secret, in Base32, and answers pushes.
    public static func oktaVerify(secret: Secret) -> Self {
      token(.oktaVerify, secret: secret)
    }

    /// A device or app that shows codes of this secret: Symantec VIP, a YubiKey, RSA SecurID and others.
    ///
    /// The secret is Base32; for a YubiKey it is any text. With `wantsNextCode` the org once answers a right
    /// code by asking for the next one.
    public static func token(
      _ authenticator: IDXAuthenticator.Key, secret: Secret, wantsNextCode: Bool = false
    ) -> Self {
      Self(authenticator: authenticator, detail: .token(secret, wantsNextCode: wantsNextCode))
    }

    /// A code or a PIN that stays the same: a temporary access code, or the PIN of an NFC tag.
    public static func code(_ authenticator: IDXAuthenticator.Key, _ code: Secret) -> Self {
      Self(authenticator: authenticator, detail: .code(code))
    }

    /// Something without a secret that the org checks: an app that only answers pushes, Duo, or an account
    /// at an identity provider.
    public static func device(_ authenticator: IDXAuthenticator.Key) -> Self {
      Self(authenticator: authenticator, detail: .device)
    }

    /// A passkey of a ``SoftwareAuthenticator``, and what the user calls it.
    public static func passkey(_ credential: SoftwareAuthenticator.Credential, name: String) -> Self
    {
      let passkey = OrgPasskey(id: credential.id, publicKey: credential.publicKey, name: name)
      return Self(authenticator: .webAuthn, detail: .passkey(passkey))
    }
  }
}

// MARK: - Devices

extension SimulatedUser {
  /// What the user's phone does by itself, for demos without a second person.
  ///
  /// The org looks at its own time, at each poll. ``SimulatedOrg/approvePush(for:choosing:)`` and similar
  /// methods come first.
  public struct Device: Sendable, Hashable {
    /// What the phone does with a push.
    public enum PushReply: Sendable, Hashable {
      /// It approves, with the right number, after so many seconds.
      case approve(after: TimeInterval)
      /// It rejects after so many seconds.
      case reject(after: TimeInterval)
      /// It does nothing: the push times out after a minute.
      case ignore

      func event(after date: Date) -> (event: PendingDeviceAction.Event, date: Date)? {
        switch self {
        case .approve(let seconds): (.approved, date.addingTimeInterval(seconds))
        case .reject(let seconds): (.rejected, date.addingTimeInterval(seconds))
        case .ignore: nil
        }
      }
    }

    /// What it does with the first push, the second and so on; it ignores later ones.
    public var pushReplies: [PushReply]
    /// After how many seconds it has done its part of a set-up: scanned a code, opened a link, touched
    /// a tag.
    ///
    /// If nil, the set-up waits for ``SimulatedOrg/completeEnrollment(for:)``.
    public var setsUpAfter: TimeInterval?
    /// After how many seconds the user follows the link of a mail.
    ///
    /// If nil, the sign-in waits for ``SimulatedOrg/followLink(in:)``.
    public var followsLinksAfter: TimeInterval?

    /// Creates a phone; unless told otherwise it does nothing.
    public init(
      pushReplies: [PushReply] = [], setsUpAfter: TimeInterval? = nil,
      followsLinksAfter: TimeInterval? = nil
    ) {
      self.pushReplies = pushReplies
      self.setsUpAfter = setsUpAfter
      self.followsLinksAfter = followsLinksAfter
    }
  }
}
