import Foundation
import IDXBase
import IDXOAuth

/// A role of AWS, as its ARN names it: `arn:aws:iam::123456789012:role/NAME`.
struct AWSRole: Sendable {
  let arn: String
  /// A part of AWS with its own accounts: `aws`, `aws-cn` or `aws-us-gov`, for example.
  let partition: String
  /// The account, with twelve digits.
  let account: String

  static let option = OptionSpec(
    "--role-arn", value: "ARN", "the role whose keys are wanted (or AWS_ROLE_ARN)")

  /// Nil if the text is not the ARN of a role.
  init?(_ text: String) {
    let form = #/arn:(aws[a-z-]{0,20}):iam::([0-9]{12}):role/[A-Za-z0-9_+=,.@/-]{1,576}/#
    guard let match = text.wholeMatch(of: form) else { return nil }
    (arn, partition, account) = (text, String(match.1), String(match.2))
  }

  /// The role of `--role-arn`, `AWS_ROLE_ARN` or a profile.
  init(_ call: CommandCall, or profile: Profile? = nil) throws {
    guard let role = try Self.ifNamed(call, or: profile) else {
      throw CommandFailure(
        .usage, "No role is named. Use --role-arn ARN, or set AWS_ROLE_ARN.", code: "no_role")
    }
    self = role
  }

  /// The role of `--role-arn`, `AWS_ROLE_ARN` or a profile; nil if none is named.
  static func ifNamed(_ call: CommandCall, or profile: Profile?) throws -> AWSRole? {
    let remembered = profile.flatMap { profile in
      profile[.role].map { ("the profile “\(profile.name)”", $0) }
    }
    guard let (source, text) = call.value(of: option, or: "AWS_ROLE_ARN") ?? remembered else {
      return nil
    }
    guard let role = AWSRole(text) else {
      throw misuse(
        "\(source) must be the ARN of a role, such as "
          + "arn:aws:iam::123456789012:role/NAME, not \(text).".sanitized)
    }
    return role
  }

  /// The name without the path, as people know it.
  var name: String {
    String(arn[(arn.lastIndex(of: "/").map(arn.index(after:)) ?? arn.startIndex)...])
  }

  /// The name of an issuer in AWS, which has no scheme: `dev-1234.okta.com/oauth2/default`.
  static func providerName(of issuer: URL) -> String {
    let text = issuer.absoluteString
    return text.firstRange(of: "://").map { String(text[$0.upperBound...]) } ?? text
  }

  /// The ARN of the identity provider for an issuer in the account of the role.
  func provider(for issuer: URL) -> String {
    "arn:\(partition):iam::\(account):oidc-provider/\(Self.providerName(of: issuer))"
  }
}

/// The failure for an option or a variable that cannot be used.
private func misuse(_ text: String) -> CommandFailure {
  CommandFailure(.usage, Sentence(text: text))
}

/// What is asked of AWS; keys that were given for it are the keys for an equal request.
struct AWSKeyRequest: Codable, Hashable, Sendable {
  let roleARN: String
  /// Nil for a SAML response, which has a name of its own.
  var sessionName: String?
  /// In seconds; nil for the default of AWS.
  let duration: Int?
  /// The address of the security token service (STS).
  let endpoint: URL
  /// The address of the app whose SAML response AWS gets; nil for an ID token.
  var samlApp: URL?

  /// The options without that of the role.
  static let options: [OptionSpec] = [sessionName, duration, region, endpoint]

  private static let sessionName = OptionSpec(
    "--session-name", value: "NAME",
    "your name in AWS (or AWS_ROLE_SESSION_NAME; default: the username)")
  private static let duration = OptionSpec(
    "--duration", value: "SECONDS",
    "how long the keys are valid: 900 to 43200 (default of AWS: 3600)")
  private static let region = OptionSpec(
    "--region", value: "REGION", "ask AWS in this region (or AWS_REGION)")
  private static let endpoint = OptionSpec(
    "--endpoint", value: "URL", "ask at this address (or AWS_ENDPOINT_URL_STS, AWS_ENDPOINT_URL)")

}

extension AWSKeyRequest {
  /// The request of a command line for keys of a role.
  init(_ call: CommandCall, role: AWSRole, for credential: Credential) throws {
    roleARN = role.arn
    sessionName = try Self.sessionName(call) ?? Self.sessionName(of: credential)
    duration = try Self.duration(call[Self.duration])
    endpoint = try Self.endpoint(call, role)
  }

  /// The request of a command line for keys of a role, with the SAML response of an app.
  init(_ call: CommandCall, role: AWSRole, for app: SAMLAppAddress) throws {
    roleARN = role.arn
    duration = try Self.duration(call[Self.duration])
    endpoint = try Self.endpoint(call, role)
    samlApp = app.url
  }

  /// Throws if an option has a value that no request could have, whatever the role.
  static func check(_ call: CommandCall) throws {
    _ = try duration(call[Self.duration])
    _ = try sessionName(call)
    if let (source, text) = call.value(
      of: Self.endpoint, or: "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL")
    {
      _ = try url(text, from: source)
    }
  }

  private static func duration(_ text: String?) throws -> Int? {
    guard let text else { return nil }
    guard let seconds = Int(text), (900...43_200).contains(seconds) else {
      throw misuse(
        "--duration must be a number of seconds from 900 to 43200, not \(text).".sanitized)
    }
    return seconds
  }

  // MARK: The name of the session

  private static func sessionName(_ call: CommandCall) throws -> String? {
    guard let (source, name) = call.value(of: Self.sessionName, or: "AWS_ROLE_SESSION_NAME") else {
      return nil
    }
    guard isSessionName(name) else {
      throw misuse(
        "\(source) must have 2 to 64 letters, "
          + "digits and characters of _+=,.@-, not be \(name).".sanitized)
    }
    return name
  }

  /// The username, with a hyphen in place of each character that AWS does not allow.
  static func sessionName(of credential: Credential) -> String {
    let name = credential.username ?? credential.id.subject ?? ""
    let scalars = name.unicodeScalars.prefix(64).map { isAllowed($0) ? $0 : "-" }
    return scalars.count < 2 ? "idx-flow" : String(String.UnicodeScalarView(scalars))
  }

  /// Whether AWS allows a name of a session: 2 to 64 letters, digits and some signs.
  static func isSessionName(_ name: String) -> Bool {
    (2...64).contains(name.unicodeScalars.count) && name.unicodeScalars.allSatisfy(isAllowed)
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isASCII
      && (scalar.properties.isAlphabetic || "0123456789_+=,.@-".unicodeScalars.contains(scalar))
  }

  // MARK: The address

  private static func endpoint(_ call: CommandCall, _ role: AWSRole) throws -> URL {
    if let (source, text) = call.value(
      of: Self.endpoint, or: "AWS_ENDPOINT_URL_STS", "AWS_ENDPOINT_URL")
    {
      return try url(text, from: source)
    }
    return try endpoint(
      of: role, region: call.value(of: Self.region, or: "AWS_REGION", "AWS_DEFAULT_REGION"))
  }

  /// The address of STS in the partition of a role.
  static func endpoint(of role: AWSRole, region: (name: String, text: String)?) throws -> URL {
    // Only the partition aws has an address without a region.
    let partitions: [String: (region: String?, domain: String)] = [
      "aws": (nil, "amazonaws.com"), "aws-cn": ("cn-north-1", "amazonaws.com.cn"),
      "aws-us-gov": ("us-gov-west-1", "amazonaws.com"),
    ]
    guard let partition = partitions[role.partition] else {
      throw CommandFailure(
        .usage,
        "The address of AWS STS in the partition \(role.partition) is not known here. Name it with "
          + "--endpoint URL.")
    }
    if let region {
      guard region.text.wholeMatch(of: /[a-z]{2,8}(-[a-z0-9]{1,16}){1,4}/) != nil else {
        throw misuse(
          "\(region.name) must be a region such as eu-west-1, not \(region.text).".sanitized)
      }
      let prefixes = [("cn-", "aws-cn"), ("us-gov-", "aws-us-gov")]
      let owner = prefixes.first { region.text.hasPrefix($0.0) }?.1 ?? "aws"
      guard owner == role.partition else {
        throw CommandFailure(
          .usage,
          "The region \(region.text) (\(region.name)) is in the partition \(owner), and the role is in "
            + "\(role.partition).")
      }
    }
    let place = (region?.text ?? partition.region).map { "\($0)." } ?? ""
    return try url("https://sts.\(place)\(partition.domain)", from: Self.region.name)
  }

  private static func url(_ text: String, from source: String) throws -> URL {
    guard let url = URL(string: text, encodingInvalidCharacters: false),
      url.host?.isEmpty == false, url.user == nil, url.query == nil, url.fragment == nil
    else {
      throw misuse(
        "\(source) must be an address such as https://sts.example.com, not \(text).".sanitized)
    }
    guard Origin(url).isSecure else {
      throw misuse(
        "The address \(Origin(url)) of \(source) is not https, so others could read the token."
          .sanitized)
    }
    return url.path.isEmpty ? url.appending(path: "/") : url
  }
}
