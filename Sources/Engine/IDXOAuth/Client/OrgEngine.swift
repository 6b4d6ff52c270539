import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Which engine an org signs people in with, as the org itself says (`pipeline` of `/.well-known/okta-organization`).
package enum OrgEngine: String, Sendable {
  /// The Classic Engine, which has the classic authentication API and no Identity Engine.
  case classic = "v1"
  /// Identity Engine.
  case identityEngine = "idx"
}

extension TokenClient {
  /// Asks an org for its engine, once, because it may have failed just before; nil if it does not say.
  package func engine(ofOrgAt issuer: URL) async -> OrgEngine? {
    guard let url = URL(string: "\(Origin(issuer))/.well-known/okta-organization"),
      let response = try? await http.get(url, isRepeatable: false), response.status == 200
    else { return nil }
    return (try? JSONValue(parsing: response.body))?["pipeline"]?.string
      .flatMap(OrgEngine.init(rawValue:))
  }
}
