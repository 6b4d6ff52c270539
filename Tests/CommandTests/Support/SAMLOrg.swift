import IDXSimulatedOrg

/// An org with a sign-in page and the console of AWS as an app with SAML, and the computer of a person.
struct SAMLOrg {
  let home: DataHome
  let server: OrgServer
  /// A file with the answers.
  let script: String

  static let roles = ["Dev", "Audit"].map { "arn:aws:iam::123456789012:role/\($0)" }

  init(roles: [String] = roles) async throws {
    home = try DataHome()
    server = try OrgServer()
    script = try home.folder.file("answers.json", DataHome.script(for: .demo))
    var app = SAMLApp.awsConsole
    app.attributes["https://aws.amazon.com/SAML/Attributes/Role"] = roles.map {
      "arn:aws:iam::123456789012:saml-provider/okta,\($0)"
    }
    await server.org.changeRequests { [app] in
      $0.signInPage = OrgSignInPage()
      $0.samlApps = [app]
    }
  }

  private var origin: String { server.issuer.replacing("/oauth2/default", with: "") }

  /// The address of the app.
  var url: String { origin + "/app/amazon_aws/exkDemoApp0000000001/sso/saml" }

  /// The link of the app on the dashboard.
  var link: String { origin + "/home/amazon_aws/exkDemoApp0000000001/272" }

  /// The number of sign-ins.
  var signInCount: Int { server.paths.filter { $0.hasSuffix("/idp/idx/identify") }.count }

  /// Runs a command with the answers.
  func run(_ words: String...) throws -> Program.End {
    try run(words)
  }

  /// Runs a command with the answers.
  func run(_ words: [String]) throws -> Program.End {
    try home.run(words + ["--script", script])
  }

  /// Runs a command without anybody who answers.
  func runAlone(_ words: String...) throws -> Program.End {
    try home.run(words)
  }
}
