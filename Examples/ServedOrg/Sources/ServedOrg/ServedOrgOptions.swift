import Foundation
import IDXOAuth
import IDXSimulatedOrg

/// The options of the program.
struct ServedOrgOptions {
  /// A wrong use of the program.
  struct Mistake: Error, CustomStringConvertible {
    let description: String
  }

  /// The port; 0 for any free one.
  var port: UInt16 = 8485
  /// The start of the addresses that clients use; nil if they connect without a proxy.
  var address: String?
  var scenario = OrgScenario.demo
  /// The registered redirect URIs; at least one.
  var redirectURIs: [String] = []
  /// The app's secret; nil for a public client.
  var clientSecret: String?
  /// The app's public keys; nil if it does not prove itself with a key.
  var clientKeys: JSONWebKeySet?
  /// The number of seconds for which a nonce for proofs (DPoP) is valid; nil if proofs need none.
  var nonceLifetime = OrgTokenRules().nonceLifetime
  /// The origins of web sites whose scripts can send requests.
  var trustedOrigins: Set<String> = []
  /// Whether the org refuses bodies that Okta's clients send, but that differ from the form.
  var isStrict = false
  /// Whether the issuer is the org itself, and not the custom authorization server `default`.
  var isOrgServer = false
  /// Whether ID tokens are signed with ES256.
  var signsWithES256 = false
  /// Which of Okta's two engines the org has.
  var pipeline = OrgRequestRules.Pipeline.idx
  /// The page on which people sign in with a browser; nil for a page with buttons only.
  var signInPage: OrgSignInPage?
  /// The apps with SAML.
  var samlApps: [SAMLApp] = []
  /// The names of the roles in the console of AWS; those of the example if it is empty.
  private var roles: [String] = []
  /// Whether phones do nothing that was not chosen on the page.
  var isByHand = false
  /// What to print instead of serving an org; nil to serve one.
  var text: String?

  static let usage = """
    Serves a simulated Okta org on the loopback interface, for tests in any language.

      ServedOrg [--port PORT] [--scenario NAME] [--redirect-uri URI]...

      --port PORT            listens on this port; 0 for any free one (8485)
      --scenario NAME        the users and the policy of the org (basic)
      --redirect-uri URI     registers a redirect URI; can be repeated (http://127.0.0.1:8080/callback)
      --address URL          clients use this address, of a proxy with TLS (http://127.0.0.1:PORT)
      --client-secret TEXT   the app must authenticate with this secret (none: a public client)
      --client-keys FILE     the app must authenticate with one of these public keys (private_key_jwt)
      --nonce-lifetime TIME  a nonce for proofs (DPoP) is valid for these seconds; 0: none is needed (86400)
      --trusted-origin URL   scripts of this web site can send requests (CORS); can be repeated
      --org-server           the issuer is the org itself, with the endpoints under /oauth2/v1
      --classic              the org has the classic engine: Identity Engine does not exist
      --es256                ID tokens are signed with ES256 in place of RS256
      --strict               refuses every body that differs from the form, also if Okta's clients send it
      --hosted               people sign in on a page of the org, with all steps; browsers get a session
      --saml                 the same, and there is an app with SAML, such as the console of AWS
      --aws-role NAME        the same, and the console of AWS has this role; can be repeated (Dev and Audit)
      --by-hand              phones approve and scan nothing by themselves
      --list                 prints the scenarios
    """

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--list": text = Self.scenarios
      case "--help", "-h": text = Self.usage
      case "--by-hand": isByHand = true
      case "--strict": isStrict = true
      case "--es256": signsWithES256 = true
      case "--org-server": isOrgServer = true
      case "--classic": pipeline = .v1
      case "--hosted": signInPage = OrgSignInPage()
      case "--saml":
        signInPage = OrgSignInPage()
        if samlApps.isEmpty { samlApps = [.awsConsole] }
      case "--port", "--address", "--scenario", "--redirect-uri", "--client-secret",
        "--client-keys",
        "--nonce-lifetime", "--trusted-origin", "--aws-role":
        guard let value = rest.popFirst() else {
          throw Mistake(description: "\(option) needs a value.\n\(Self.usage)")
        }
        try set(option, to: value)
      default: throw Mistake(description: "There is no option \(option).\n\(Self.usage)")
      }
    }
    if redirectURIs.isEmpty { redirectURIs = ["http://127.0.0.1:8080/callback"] }
  }

  private mutating func set(_ option: String, to value: String) throws {
    switch option {
    case "--port":
      guard let number = UInt16(value) else {
        throw Mistake(description: "--port needs a number from 0 to 65535, not \(value).")
      }
      port = number
    case "--address":
      address = try Self.origin(value, of: option, example: "https://localhost:8443")
    case "--trusted-origin":
      trustedOrigins.insert(try Self.origin(value, of: option, example: "http://localhost:3000"))
    case "--scenario":
      guard let found = OrgScenario.named(value) else {
        let similar = OrgScenario.all.map(\.name).filter {
          $0.contains(value) || value.contains($0)
        }
        let hint = similar.isEmpty ? "" : " Do you mean \(similar.joined(separator: ", "))?"
        throw Mistake(
          description: "There is no scenario \(value).\(hint) ServedOrg --list prints them all.")
      }
      scenario = found
    case "--redirect-uri":
      // The page has links to it.
      guard let scheme = URL(string: value)?.scheme?.lowercased(),
        !["javascript", "data", "vbscript"].contains(scheme)
      else { throw Mistake(description: "--redirect-uri needs an absolute URI, not \(value).") }
      redirectURIs.append(value)
    case "--aws-role":
      guard value.wholeMatch(of: #/[A-Za-z0-9+=.@_-]{1,64}/#) != nil else {
        throw Mistake(description: "--aws-role needs the name of a role, not \(value).")
      }
      roles.append(value)
      var app = SAMLApp.awsConsole
      app.attributes["https://aws.amazon.com/SAML/Attributes/Role"] = roles.map {
        "arn:aws:iam::123456789012:saml-provider/okta,arn:aws:iam::123456789012:role/\($0)"
      }
      (signInPage, samlApps) = (OrgSignInPage(), [app])
    case "--client-keys":
      guard let data = FileManager.default.contents(atPath: value),
        let keys = try? JSONWebKeySet(parsing: Array(data))
      else {
        throw Mistake(
          description: "--client-keys needs a file with a JSON Web Key Set, not \(value).")
      }
      clientKeys = keys
    case "--nonce-lifetime":
      guard let seconds = UInt32(value) else {
        throw Mistake(description: "--nonce-lifetime needs a number of seconds, not \(value).")
      }
      nonceLifetime = seconds == 0 ? nil : TimeInterval(seconds)
    default: clientSecret = value
    }
  }

  private static func origin(
    _ value: String, of option: String, example: String
  ) throws -> String {
    guard let url = URL(string: value), ["http", "https"].contains(url.scheme), url.host != nil,
      url.path.isEmpty
    else {
      throw Mistake(
        description: "\(option) needs an address without a path, such as \(example), not \(value).")
    }
    return value
  }

  private static var scenarios: String {
    OrgScenario.groups.map { group in
      let rows = group.scenarios.map { scenario in
        let name = scenario.name.padding(toLength: 28, withPad: " ", startingAt: 0)
        return "  \(name)\(scenario.summary)"
      }
      return ([group.title] + rows).joined(separator: "\n")
    }.joined(separator: "\n\n")
  }
}
