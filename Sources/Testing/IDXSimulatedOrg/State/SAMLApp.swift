/// An app to which a ``SimulatedOrg`` signs people in with SAML 2.0.
///
/// It needs the page of the org. ``awsConsole`` is an example:
///
///     await org.changeRequests {
///       $0.signInPage = OrgSignInPage()
///       $0.samlApps = [.awsConsole]
///     }
///
/// Its address is `{origin}/app/{name}/{id}/sso/saml`; the link of a dashboard, `{origin}/home/{name}/{id}/{number}`,
/// redirects to it. After a sign-in, or at once with a session, it responds with an HTML form that contains
/// `SAMLResponse` and `RelayState` for the service. The assertion is signed with the key of the org
/// (``SimulatedOrg/rotateKeys(keepingOld:)``), without a certificate, so no real service accepts it. The content of a
/// `SAMLRequest` is ignored.
public struct SAMLApp: Sendable, Hashable {
  /// The name of the kind of app, such as `amazon_aws`.
  public var name: String
  /// What people see; the name of the kind of app by default.
  public var label: String
  /// The ID of the app, such as `exkDemoApp0000000001`.
  public var id: String
  /// Where the browser sends the form: the assertion consumer service.
  public var consumerURL: String
  /// Who may accept the assertion: the entity ID of the service.
  public var audience: String
  /// What the assertion says about each user, by the name of the attribute.
  ///
  /// In a value, `${user.login}` stands for the login of the user.
  public var attributes: [String: [String]]

  /// Creates an app.
  public init(
    name: String, label: String? = nil, id: String, consumerURL: String, audience: String,
    attributes: [String: [String]] = [:]
  ) {
    self.name = name
    self.label = label ?? name
    self.id = id
    self.consumerURL = consumerURL
    self.audience = audience
    self.attributes = attributes
  }

  /// Where a sign-in to the app begins, at an org with this origin.
  public func address(at origin: String) -> String { "\(origin)/app/\(name)/\(id)/sso/saml" }

  /// The console of Amazon Web Services, with two roles of the account `123456789012` for one hour.
  public static let awsConsole = SAMLApp(
    name: "amazon_aws", label: "AWS Account Federation", id: "exkDemoApp0000000001",
    consumerURL: "https://signin.aws.amazon.com/saml", audience: "urn:amazon:webservices",
    attributes: [
      "https://aws.amazon.com/SAML/Attributes/Role": ["Dev", "Audit"].map {
        "arn:aws:iam::123456789012:saml-provider/okta,arn:aws:iam::123456789012:role/\($0)"
      },
      "https://aws.amazon.com/SAML/Attributes/RoleSessionName": ["${user.login}"],
      "https://aws.amazon.com/SAML/Attributes/SessionDuration": ["3600"],
    ])
}
