import Foundation
public import IDXFlow
public import IDXSimulatedOrg
public import IDXPages

/// The options of the program.
public struct SiteOptions: Sendable {
  /// A wrong use of the program.
  public struct Mistake: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String
  }

  /// The port of the site.
  public var port: UInt16 = 8080
  /// The host and the port of Redis; nil to keep sign-ins in memory.
  public var redis: (host: String, port: Int32)?
  /// The scenario of the simulated org; nil for a real org.
  public var demo: OrgScenario?
  /// The port at which Okta Verify of the demo's user listens; nil if it is not there.
  public var oktaVerify: UInt16?
  /// Whether the demo's org accepts a passkey in place of the username.
  public var acceptsPasskeyFirst = false
  /// The field into which a proxy in front of the site writes the person's address; nil without one.
  public var proxyField: ProxyField?
  /// The name, the logo and the colour of the site.
  public var style = PageStyle()
  /// The protocol.
  public var signInProtocol = SignInProtocol.idx
  /// The issuer of a real org.
  public var issuer: String?
  /// The client ID of the app.
  public var clientID: String?
  /// The address on this site that the browser returns to.
  public var redirectURI: String

  /// The help.
  public static let usage = """
    Signs people in on a web site.

      WebSignIn --demo SCENARIO           an org that is simulated in memory
      WebSignIn --issuer URL --client-id ID [--redirect-uri URI]

      --port PORT          listens on this port of the loopback interface (8080)
      --redirect-uri URI   where the browser returns to (http://localhost:PORT/callback)
      --flow PROTOCOL      idx, direct or classic (idx)
      --behind-proxy FIELD a proxy in front writes the person's address into X-Forwarded-For or Forwarded
      --okta-verify PORT   with --demo: Okta Verify listens there, for the demos fastpass and device-challenge
      --passkey-first yes  with --demo: the org accepts a passkey in place of the username
      --name NAME          the name of the site, in the titles of its pages
      --logo ADDRESS       a logo on each page: a path of this site, or an address with https:
      --accent LIGHT,DARK  the colour of buttons and links, on light and dark pages, such as #7a1fa2,#d9a8f5
      --redis HOST:PORT    keeps sign-ins in Redis, which several processes can share
    """

  /// Reads the arguments.
  public init(_ arguments: [String]) throws {
    var rest = arguments[...]
    var redirectURI: String?
    while let option = rest.popFirst() {
      guard let value = rest.popFirst() else { throw Mistake(description: Self.usage) }
      switch option {
      case "--port": port = try Self.number(value, option)
      case "--redis":
        let parts = value.split(separator: ":")
        guard parts.count == 2 else {
          throw Mistake(description: "--redis needs HOST:PORT, not \(value).")
        }
        let number: UInt16 = try Self.number(String(parts[1]), option)
        redis = (String(parts[0]), Int32(number))
      case "--demo":
        guard let scenario = OrgScenario.named(value) else {
          let names = OrgScenario.all.map(\.name).joined(separator: ", ")
          throw Mistake(description: "There is no demo \(value), only \(names).")
        }
        demo = scenario
      case "--behind-proxy":
        guard let field = ProxyField(rawValue: value) else {
          throw Mistake(
            description: "--behind-proxy needs X-Forwarded-For or Forwarded, not \(value).")
        }
        proxyField = field
      case "--okta-verify": oktaVerify = try Self.number(value, option)
      case "--flow":
        guard let found = SignInProtocol.all.first(where: { $0.rawValue == value }) else {
          throw Mistake(description: "--flow must be idx, direct or classic, not \(value).")
        }
        signInProtocol = found
      case "--passkey-first": acceptsPasskeyFirst = value == "yes"
      case "--name": style.name = value
      case "--logo": style.logo = value
      case "--accent":
        let colours = value.split(separator: ",").map(String.init)
        guard colours.count == 2 else {
          throw Mistake(description: "--accent needs LIGHT,DARK, not \(value).")
        }
        do throws(PageStyle.Accent.Refused) {
          style.accent = try PageStyle.Accent(light: colours[0], dark: colours[1])
        } catch { throw Mistake(description: error.description) }
      case "--issuer": issuer = value
      case "--client-id": clientID = value
      case "--redirect-uri": redirectURI = value
      default: throw Mistake(description: "There is no option \(option).\n\(Self.usage)")
      }
    }
    guard demo != nil || (issuer != nil && clientID != nil) else {
      throw Mistake(description: Self.usage)
    }
    demo?.policy.acceptsPasskeyFirst = acceptsPasskeyFirst
    if let oktaVerify { demo?.policy.accounts.oktaVerifyPorts = [Int(oktaVerify)] }
    // The name of the app in the demos.
    if demo != nil, style.name == nil { style.name = "Demo app" }
    self.redirectURI = redirectURI ?? "http://localhost:\(port)/callback"
  }

  private static func number(_ text: String, _ option: String) throws -> UInt16 {
    guard let number = UInt16(text) else {
      throw Mistake(description: "\(option) needs a port from 0 to 65535, not \(text).")
    }
    return number
  }
}
