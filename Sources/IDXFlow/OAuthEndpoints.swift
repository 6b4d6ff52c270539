#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Where an authorization server's endpoints are.
///
/// They follow from the issuer, so that no discovery request is needed. Source: protocol section 1.1.
/// A custom authorization server has `/oauth2/` in its path; the org's own keeps its endpoints under
/// `/oauth2/v1`.
package struct OAuthEndpoints {
  let issuer: URL

  init(issuer: URL) { self.issuer = issuer }

  /// The endpoints of an issuer that a credential names, which may come from anywhere.
  ///
  /// Throws a ``FlowError`` where nobody could have signed in there, so that no token is sent.
  init(checking issuer: URL) throws {
    try FlowConfiguration.check(issuer)
    self.init(issuer: issuer)
  }

  /// The endpoint of a name, such as `token`.
  package subscript(name: String) -> URL {
    let base = issuer.path.holdsBytes(of: "/oauth2/") ? issuer : issuer.appending(path: "oauth2")
    return base.appending(path: "v1/" + name)
  }
}
