import Foundation
import IDXBase
import IDXBrowserAuth
import IDXOAuth

/// A role that a SAML response names, and the provider in IAM that AWS checks the response with.
struct AWSSAMLRole: Sendable {
  let role: AWSRole
  /// The ARN of the provider.
  let provider: String

  /// Reads a value of the attribute: two ARNs in either order with a comma between; nil if it is anything else.
  init?(_ text: String) {
    let parts = text.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed() }
    guard parts.count == 2 else { return nil }
    let form = #/arn:aws[a-z-]{0,20}:iam::[0-9]{12}:saml-provider/[A-Za-z0-9._-]{1,128}/#
    guard let provider = parts.first(where: { $0.wholeMatch(of: form) != nil }),
      let role = parts.lazy.compactMap({ AWSRole($0) }).first
    else { return nil }
    (self.role, self.provider) = (role, provider)
  }

  /// The name and the account, for a menu in which a person can type the name.
  var label: String { "\(role.name) (\(role.account))" }
}

/// What a SAML response says about AWS.
///
/// Source: IAM User Guide, “Configure SAML assertions for the authentication response”.
struct AWSAssertion: Sendable {
  let response: SAMLResponse
  /// The roles, in the order of the response, each once.
  let roles: [AWSSAMLRole]

  private static let attributes = "https://aws.amazon.com/SAML/Attributes/"

  /// Throws if AWS could not use the response, or if it names no role.
  init(_ response: SAMLResponse) throws {
    guard !response.isEncrypted else {
      throw CommandFailure(
        .refused,
        "The SAML response is encrypted, so the roles in it cannot be read here.",
        code: "saml_encrypted",
        remedy: "Ask the administrator of the app not to encrypt assertions for AWS.")
    }
    var seen: Set<String> = []
    roles = (response.attributes[Self.attributes + "Role"] ?? []).compactMap(AWSSAMLRole.init)
      .filter { seen.insert($0.role.arn).inserted }
    guard !roles.isEmpty else {
      throw CommandFailure(
        .refused, "The SAML response names no role of AWS.", code: "no_role",
        remedy:
          "Check that the address is that of an app for AWS, and ask its administrator for a role.")
    }
    self.response = response
  }

  /// For how many seconds the org wants keys to be valid; nil if it does not say, or nothing that AWS allows.
  var duration: Int? {
    response.attributes[Self.attributes + "SessionDuration"]?.first
      .flatMap { Int($0.trimmed()) }.flatMap { (900...43_200).contains($0) ? $0 : nil }
  }

  /// The name of the person in AWS; nil if there is none, or one that AWS does not allow.
  var sessionName: String? {
    response.attributes[Self.attributes + "RoleSessionName"]?.first.map { String($0.trimmed()) }
      .flatMap { AWSKeyRequest.isSessionName($0) ? $0 : nil }
  }

  /// The role with an ARN; throws if the response does not name it.
  func role(withARN arn: String) throws -> AWSSAMLRole {
    if let role = roles.first(where: { $0.role.arn == arn }) { return role }
    throw CommandFailure(
      .refused, "The org does not let you use the role \(arn.sanitized). These are yours:\(list)",
      code: "role_not_assigned")
  }

  /// The failure if several roles are there, and nobody can be asked.
  var severalRoles: CommandFailure {
    CommandFailure(
      .usage, "You can use several roles. Name one with --role-arn ARN:\(list)",
      code: "several_roles")
  }

  /// Each ARN on a line of its own, after a line break.
  private var list: String { roles.map { "\n  \($0.role.arn)" }.joined() }

  /// What AWS gives keys of a role for.
  func identity(for role: AWSSAMLRole) -> AWSIdentity {
    .saml(response.encoded, provider: role.provider, duration: duration)
  }
}
