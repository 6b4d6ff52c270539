import Expectations
import Foundation
import IDXBase
import IDXBrowserAuth
import Testing

@testable import idx_flow

/// Roles of AWS in a SAML response.
struct AWSSAMLRoleTests {
  private static let role = "arn:aws:iam::123456789012:role/team/Reader"
  private static let provider = "arn:aws:iam::123456789012:saml-provider/Okta"

  /// An assertion with roles and other attributes.
  private func assertion(_ roles: [String], _ other: String...) throws -> AWSAssertion {
    let attributes = Self.attribute("Role", roles) + other.joined()
    return try assertion(
      xml: """
        <?xml version="1.0" encoding="UTF-8"?>
        <saml2p:Response xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" \
        Destination="https://signin.aws.amazon.com/saml" ID="id1" Version="2.0">\
        <saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="id2">\
        <saml2:AttributeStatement>\(attributes)</saml2:AttributeStatement>\
        </saml2:Assertion></saml2p:Response>
        """)
  }

  private func assertion(xml: String) throws -> AWSAssertion {
    let url = try require(URL(string: "https://signin.aws.amazon.com/saml"))
    return try AWSAssertion(
      SAMLResponse(destination: url, encoded: Secret(Data(xml.utf8).base64EncodedString())))
  }

  private static func attribute(_ name: String, _ values: [String]) -> String {
    let values = values.map {
      "<saml2:AttributeValue xsi:type=\"xs:string\">\($0)</saml2:AttributeValue>"
    }
    return "<saml2:Attribute Name=\"https://aws.amazon.com/SAML/Attributes/\(name)\">"
      + "\(values.joined())</saml2:Attribute>"
  }

  private func failure(_ body: () throws -> some Sendable) throws -> CommandFailure {
    try require(#expect(throws: CommandFailure.self) { _ = try body() })
  }

  @Test("The two ARNs of a value are in either order, with spaces, and other values are none")
  func value() throws {
    for text in [
      "\(Self.role),\(Self.provider)", "\(Self.provider),\(Self.role)",
      " \(Self.provider) ,\n \(Self.role) ",
      "arn:aws-us-gov:iam::123456789012:role/Reader,arn:aws-us-gov:iam::123456789012:saml-provider/a.b-c_d",
    ] {
      let role = try require(AWSSAMLRole(text))
      expectEqual(role.role.name, "Reader", "\(text)")
      expectEqual(role.label, "Reader (123456789012)")
      expectContains(role.provider, ":saml-provider/")
    }
    for text in [
      "", ",", Self.role, Self.provider, "\(Self.role),\(Self.role)",
      "\(Self.provider),\(Self.provider)",
      "\(Self.role),\(Self.provider),\(Self.role)", "\(Self.role) \(Self.provider)",
      "\(Self.role),\(Self.provider)/",
      "\(Self.role)\u{1B}[2J,\(Self.provider)", "arn:aws:iam::1:role/a,\(Self.provider)",
    ] {
      expect(AWSSAMLRole(text) == nil, "\(text)")
    }
  }

  @Test(
    "The roles are in the order of the response, each once; the duration is one that AWS allows")
  func roles() throws {
    let values = [
      "\(Self.role)2,\(Self.provider)", "x", "\(Self.provider),\(Self.role)",
      "\(Self.role)2,\(Self.provider)2",
    ]
    let assertion = try assertion(
      values, Self.attribute("SessionDuration", ["7200"]),
      Self.attribute("RoleSessionName", [" ada@example.com "]))
    expectEqual(assertion.roles.map(\.role.arn), [Self.role + "2", Self.role])
    expectEqual(assertion.roles.map(\.provider), [Self.provider, Self.provider])
    expectEqual(assertion.duration, 7200)
    expectEqual(assertion.sessionName, "ada@example.com")
    for text in ["899", "43201", "", "1e3", "-900"] {
      let other = try self.assertion(values, Self.attribute("SessionDuration", [text]))
      expectEqual(other.duration, nil)
      expectEqual(other.sessionName, nil)
    }
    guard case .saml(_, Self.provider, 7200) = assertion.identity(for: assertion.roles[1]) else {
      Issue.record("The identity is another one.")
      return
    }
  }

  @Test("A role is chosen by its ARN; an error lists the others")
  func chosen() throws {
    let assertion = try assertion([
      "\(Self.role),\(Self.provider)", "\(Self.role)2,\(Self.provider)",
    ])
    try expectEqual(assertion.role(withARN: Self.role + "2").role.arn, Self.role + "2")
    let failure = try failure { try assertion.role(withARN: Self.role + "3").label }
    expectEqual(failure.code, "role_not_assigned")
    for text in [failure.message, assertion.severalRoles.message] {
      expectContains(text, "\n  \(Self.role)\n  \(Self.role)2")
    }
  }

  @Test("A response without roles, or with an encrypted assertion, is explained")
  func none() throws {
    for roles in [[], ["x"]] {
      try expectEqual(failure { try assertion(roles).roles.count }.code, "no_role")
    }
    let encrypted = "<Response><EncryptedAssertion/></Response>"
    try expectEqual(failure { try assertion(xml: encrypted).roles.count }.code, "saml_encrypted")
  }

  @Test("The address of an app has a path, and is https or at this computer")
  func app() throws {
    for text in [
      "https://dev-1234.okta.com/app/amazon_aws/exk1/sso/saml",
      "https://dev-1234.okta.com/home/amazon_aws/0oa1/272?fromHome=true",
    ] {
      let app = try SAMLAppAddress(text, from: "--saml")
      expectEqual(app.url.absoluteString, text)
      expectEqual(app.issuer, "https://dev-1234.okta.com")
    }
    try expectEqual(
      SAMLAppAddress("dev-1234.okta.com/home/a/b/1", from: "--saml").url.scheme, "https")
    try expectEqual(
      SAMLAppAddress("127.0.0.1:8080/home/a/b", from: "--saml").issuer, "http://127.0.0.1:8080")
    for text in [
      "", "https://dev-1234.okta.com", "https://dev-1234.okta.com/app", "a/b/c",
      "https://a@dev-1234.okta.com/app/a/b", "http://dev-1234.okta.com/app/a/b",
      "https://dev-1234.okta.com/app/a/b#c",
    ] {
      let failure = try failure { try SAMLAppAddress(text, from: "--saml").url }
      expectEqual(failure.exitCode, .usage)
      expectContains(failure.message, "--saml")
    }
  }
}
