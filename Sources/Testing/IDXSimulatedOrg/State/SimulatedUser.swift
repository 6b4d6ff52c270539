public import Foundation
public import IDX
public import IDXBase
import IDXOAuth
import IDXSoftwarePasskeys

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
    /// Locked after too many wrong answers; the correct password is refused like a wrong one.
    case locked
    /// Suspended by an administrator: access is denied after the password.
    case suspended
    /// Not assigned to the app; the response says so after the password.
    case notAssigned
    /// The password has expired; after it, the user must choose a new one.
    case passwordExpired
  }

  /// The username, not case-sensitive.
  public var login: String
  /// The password.
  public var password: Secret
  /// The state of the account.
  public var status: Status
  /// The first name.
  public var firstName: String
  /// The last name.
  public var lastName: String
  /// The address for emails.
  public var email: String
  /// The number of days until the password expires; nil, the default, if it does not expire soon.
  public var daysToPasswordExpiry: Int?
  /// Other attributes of the profile; empty by default.
  public var attributes: [String: String] = [:]
  /// The authenticators that are set up besides the password, oldest first.
  public var enrollments: [Enrollment]
  /// What the user's phone does automatically; nothing by default.
  public var device = Device()

  /// Creates a user; `email` is the login by default.
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
      /// The user's email address.
      case address
      /// A phone number.
      case number(String)
      /// The secret of a device that shows codes, and whether the org asks for a second code.
      case token(Secret, wantsNextCode: Bool)
      /// A code or PIN that stays the same.
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

    /// The answer to a security question; nil for anything else.
    package var answer: Secret? {
      if case .question(_, let answer) = detail { answer } else { nil }
    }

    /// Codes and links in emails to the user's address.
    public static let email = Self(authenticator: .email, detail: .address)

    /// Codes by SMS or call to a number in E.164 format, such as `+15550100142`.
    public static func phone(_ number: String) -> Self {
      Self(authenticator: .phone, detail: .number(number))
    }

    /// Codes of Google Authenticator, from this secret in Base32.
    public static func googleAuthenticator(secret: Secret) -> Self {
      token(.googleAuthenticator, secret: secret)
    }

    /// A question and its answer; the key `custom` means that the user wrote the question.
    ///
    /// Case and white space around the answer are ignored.
    public static func securityQuestion(
      key: String = "custom", question: String, answer: Secret
    ) -> Self {
      let question = SecurityQuestion(key: key, text: question)
      return Self(authenticator: .securityQuestion, detail: .question(question, answer: answer))
    }

    /// Okta Verify on a phone, which answers pushes and shows codes from this secret in Base32.
    public static func oktaVerify(secret: Secret) -> Self {
      token(.oktaVerify, secret: secret)
    }

    /// A device or app that creates codes from this secret: Symantec VIP, YubiKey, RSA SecurID and others.
    ///
    /// The secret is Base32; for a YubiKey it is any text. If `wantsNextCode` is true, the org asks for the
    /// next code once, after a correct code.
    public static func token(
      _ authenticator: IDXAuthenticator.Key, secret: Secret, wantsNextCode: Bool = false
    ) -> Self {
      Self(authenticator: authenticator, detail: .token(secret, wantsNextCode: wantsNextCode))
    }

    /// A code or PIN that stays the same: a temporary access code, or the PIN of an NFC tag.
    public static func code(_ authenticator: IDXAuthenticator.Key, _ code: Secret) -> Self {
      Self(authenticator: authenticator, detail: .code(code))
    }

    /// Something without a secret that the org checks: an app that only answers pushes, Duo, or an account
    /// at an identity provider.
    public static func device(_ authenticator: IDXAuthenticator.Key) -> Self {
      Self(authenticator: authenticator, detail: .device)
    }
  }
}

// MARK: - Devices

extension SimulatedUser {
  /// What the user's phone does automatically, for demos.
  ///
  /// Times are in the org's time and are checked at each poll. Methods such as
  /// ``SimulatedOrg/approvePush(for:choosing:)`` take effect earlier.
  public struct Device: Sendable, Hashable {
    /// How the phone reacts to a push.
    public enum PushReaction: Sendable, Hashable {
      /// It approves with the correct number after this number of seconds.
      case approve(after: TimeInterval)
      /// It rejects after this number of seconds.
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

    /// How it reacts to the first push, the second and so on; to later ones it reacts like to the last one.
    ///
    /// If there are none, it ignores all.
    public var pushReactions: [PushReaction]
    /// After how many seconds it completes its part of a setup: it scans a code, opens a link or touches a
    /// tag.
    ///
    /// If nil, the setup waits for ``SimulatedOrg/completeEnrollment(for:)``.
    public var setsUpAfter: TimeInterval?
    /// After how many seconds the user opens the link in an email.
    ///
    /// If nil, the sign-in waits for ``SimulatedOrg/followLink(in:)``.
    public var followsLinksAfter: TimeInterval?

    /// Creates a phone; by default it does nothing.
    public init(
      pushReactions: [PushReaction] = [], setsUpAfter: TimeInterval? = nil,
      followsLinksAfter: TimeInterval? = nil
    ) {
      self.pushReactions = pushReactions
      self.setsUpAfter = setsUpAfter
      self.followsLinksAfter = followsLinksAfter
    }
  }
}

// MARK: - What the org stores

/// A passkey as the org stores it, to verify its signatures.
struct OrgPasskey: Sendable, Hashable {
  let id: [UInt8]
  let key: Key
  var name = ""

  enum Key: Sendable, Hashable {
    /// The key that an authenticator has sent.
    case registered(P256.PublicKey)
    /// The key of a passkey that was not registered in a sign-in. It is computed only to verify, because computing it
    /// takes longer than most sign-ins.
    case software(SoftwareAuthenticator.Credential)

    var publicKey: P256.PublicKey {
      switch self {
      case .registered(let key): key
      case .software(let credential): credential.publicKey
      }
    }
  }
}

/// A security question of a user: one of the org's questions, or `custom` for one that the user wrote.
struct SecurityQuestion: Sendable, Hashable {
  let key: String
  let text: String

  var json: JSONValue { ["questionKey": .string(key), "question": .string(text)] }
  var classicJSON: JSONValue { ["question": .string(key), "questionText": .string(text)] }

  static let all = [
    SecurityQuestion(key: "first_concert", text: "Whose concert was the first you went to?"),
    SecurityQuestion(key: "childhood_street", text: "On which street did you live as a child?"),
    SecurityQuestion(key: "favorite_teacher", text: "Which teacher did you like best?"),
  ]
}
