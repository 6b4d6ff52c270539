import Foundation
import IDXBase
import IDXFlow
import IDXOAuth

/// An app of an org that people sign in to with SAML, as its address names it.
struct SAMLAppAddress: Sendable, Hashable {
  /// The address at which the org begins the sign-in: `https://dev-1234.okta.com/app/NAME/ID/sso/saml`, or the link of
  /// the app on the dashboard, `https://dev-1234.okta.com/home/NAME/ID/NUMBER`.
  let url: URL

  static let option = OptionSpec(
    "--saml", value: "URL", "the app for AWS in Okta, by its address: sign in with SAML")

  /// Reads an address; throws if it cannot be that of an app.
  ///
  /// `source` is where it comes from.
  init(_ text: String, from source: String) throws {
    let address = IssuerText.addingScheme(to: String(text.trimmed()))
    guard let url = URL(string: address, encodingInvalidCharacters: false),
      url.host?.isEmpty == false, url.user == nil, url.fragment == nil,
      url.path.split(separator: "/").count > 1
    else {
      throw CommandFailure(
        .usage,
        "\(source.sanitized) must be the address of an app, such as https://dev-1234.okta.com/app/NAME/ID/sso/saml, not “\(Self.shown(text))”.",
        remedy: Self.remedy)
    }
    guard Origin(url).isSecure else {
      throw CommandFailure(
        .usage,
        "The address of \(source.sanitized), at \(Origin(url).description.sanitized), is not https."
      )
    }
    self.url = url
  }

  /// The text that was given, without what can be a secret: a username and a password, and a query.
  private static func shown(_ text: String) -> String {
    let address = String(text.prefix { !"?#".contains($0) })
    if let end = address.lastIndex(of: "@") { return "…\(address[end...])".sanitized }
    return address.contains(":") && !address.contains("://") ? "…" : address.sanitized
  }

  /// Where people find the address.
  static let remedy: Sentence =
    "In the dashboard of Okta, copy the link of the app. The Admin Console has it under Applications > the app > "
    + "General > App Embed Link."

  /// The org, as the settings of a sign-in name it.
  var issuer: String { Origin(url).description }

  /// What stands for the client ID, which an app for SAML does not have.
  var clientID: String { "saml:\(url.absoluteString)" }

  /// Whether an issuer is of the same org.
  func isAt(_ issuer: String) -> Bool {
    URL(string: IssuerText.addingScheme(to: issuer)).map { Origin($0) == Origin(url) } ?? false
  }
}
