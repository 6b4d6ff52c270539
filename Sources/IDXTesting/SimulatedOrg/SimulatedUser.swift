public import IDXBase
public import IDX

/// A person who can sign in to a ``SimulatedOrg``.
///
///     let ada = SimulatedUser(
///       login: "ada@shop.example", password: "Analytical-1843",
///       firstName: "Ada", lastName: "Byron",
///       enrollments: [.googleAuthenticator(secret: "JBSWY3DPEHPK3PXP"), .phone("+15550100142")])
public struct SimulatedUser: Sendable, Hashable {
  /// What the org thinks of an account.
  public enum Status: Sendable, Hashable, CaseIterable {
    /// Signs in.
    case active
    /// Locked after too many wrong answers: the right password is refused like a wrong one.
    case locked
    /// Suspended by an administrator: access is denied once the password was right.
    case suspended
    /// Not assigned to the app, which is said once the password was right.
    case notAssigned
    /// Must choose a new password once the old one was right.
    case passwordExpired
  }

  /// Something that the user has set up beside the password.
  public struct Enrollment: Sendable, Hashable {
    /// Which authenticator it is an enrolment of.
    public let authenticator: IDXAuthenticator.Key
    let detail: Detail

    enum Detail: Sendable, Hashable {
      case address
      case number(String)
      case key(Secret)
      /// A token that an own server knows, and whether that server wants two codes in a row.
      case token(Secret, wantsNextCode: Bool)
      /// A code or a PIN that stays the same.
      case code(Secret)
      /// Something that holds no secret which the org would check.
      case device
      case question(key: String, text: String, answer: Secret)
      case passkey(OrgPasskey)
    }

    /// Codes and links sent to the user's address.
    public static let email = Enrollment(authenticator: .email, detail: .address)

    /// Codes sent to a number in E.164, such as `+15550100142`, by SMS or in a call.
    public static func phone(_ number: String) -> Enrollment {
      Enrollment(authenticator: .phone, detail: .number(number))
    }

    /// Codes of an app that holds this secret, in Base32.
    public static func googleAuthenticator(secret: Secret) -> Enrollment {
      Enrollment(authenticator: .googleAuthenticator, detail: .key(secret))
    }

    /// A question and its answer; the key `custom` stands for a question in the user's own words.
    ///
    /// Answers are compared without regard to case and to white space around them.
    public static func securityQuestion(
      key: String = "custom", question: String, answer: Secret
    ) -> Enrollment {
      Enrollment(
        authenticator: .securityQuestion,
        detail: .question(key: key, text: question, answer: answer))
    }
  }

  /// The user name; its case does not count.
  public var login: String
  /// The password.
  public var password: Secret
  /// What the org thinks of the account.
  public var status: Status
  /// The first name.
  public var firstName: String
  /// The last name.
  public var lastName: String
  /// Where mail goes.
  public var email: String
  /// In how many days the password expires; nil, the default, where that is far off.
  public var daysToPasswordExpiry: Int?
  /// What the profile holds beside names and address, by attribute; empty by default.
  public var attributes: [String: String] = [:]
  /// What the user has set up beside the password, oldest first.
  public var enrollments: [Enrollment]
  /// What the user's telephone does by itself; nothing by default.
  public var device = Device()

  /// A user with a password; `email` is the login unless given.
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

  /// The first enrolment of an authenticator; nil where it is not set up.
  func enrollment(of key: IDXAuthenticator.Key) -> Enrollment? {
    enrollments.first { $0.authenticator == key }
  }
}
