import IDXBase
import IDXFlow
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where an address of the org leads, after all redirects within the org.
enum HostedLanding {
  /// The redirect URI, with what the org sends there.
  case redirectURI(URL)
  /// A page of the org.
  case page(IssuerClient.Response, at: URL)
}

/// Opens addresses of an org like a browser that belongs to one sign-in, but goes to no other origin.
struct HostedNavigation {
  /// The largest number of redirects: 10, like curl and most browsers allow at least.
  static let maximumRedirects = 10

  let http: IssuerClient
  let configuration: FlowConfiguration

  /// Follows an address to a page, or to the redirect URI, which is not opened.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `browserNeeded` if the org sends the person to another origin, and
  /// with `unexpectedResponse` if the redirects do not end.
  func open(_ address: URL, stepName: String? = nil) async throws -> HostedLanding {
    var url = address
    for _ in 0...Self.maximumRedirects {
      let response = try await http.get(
        url, ["Accept": "text/html"],
        isRepeatable: stepName == nil)
      guard (300..<400).contains(response.status) else { return .page(response, at: url) }
      guard
        let next = response.header("Location").flatMap({ URL(string: $0, relativeTo: url) })?
          .absoluteURL
      else { throw http.failure(of: response, stepName: stepName) }
      if RedirectReturn.isAddress(next, configuration.redirectURI) { return .redirectURI(next) }
      guard Origin(next) == Origin(configuration.issuer), next.user == nil else {
        let place = next.host == nil ? "another app" : "\(Origin(next))"
        throw FlowError(
          .browserNeeded,
          "The org sends you to \(response.printable(place).shortened(to: 200)) to sign in, which needs a browser.",
          stepName: stepName, status: response.status, requestID: response.requestID)
      }
      url = next
    }
    throw FlowError(
      .unexpectedResponse, "The org redirects from one of its pages to another without end.",
      stepName: stepName)
  }

  /// The error for a page that has no state token.
  func failure(of response: IssuerClient.Response, _ page: HostedPage) -> FlowError {
    if response.status == 404, response.isWebPage {
      return FlowError(
        .unexpectedResponse,
        "There is nothing at this address. The org shows its own page instead.",
        status: response.status, requestID: response.requestID)
    }
    guard response.status < 300, response.isWebPage else {
      return http.failure(of: response, isFirst: !response.isWebPage)
    }
    return FlowError(
      .browserNeeded,
      page.isClassic
        ? "The sign-in page of this org does not use Identity Engine."
        : "The sign-in page of this org contains nothing that a sign-in without a browser could begin with. It may be "
          + "a page of the company's own.",
      status: response.status, requestID: response.requestID)
  }
}
