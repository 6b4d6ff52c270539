#if DEBUG
  import Foundation
  import IDXFlow
  import IDXSimulatedOrg
  import IDXSoftwarePasskeys
  import IDXStorage
  import IDXSwiftUI

  extension AppModel {
    /// The app for an org that is simulated in memory, for previews and without an org of one's own.
    static func demo(_ scenario: OrgScenario = .demo) throws -> AppModel {
      let org = SimulatedOrg(scenario)
      let configuration = try FlowConfiguration(
        issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI)
      return AppModel(
        configuration.requestingRefreshToken(), client: org.client, tokens: org.tokenClient,
        store: MemoryCredentialStore(), passkeys: SoftwareAuthenticator.demo,
        pages: SimulatedWebPages(org: org))
    }
  }

  /// Pages of a simulated org, whose user signs in there at once.
  private struct SimulatedWebPages: WebPages {
    let org: SimulatedOrg

    func open(_ page: URL, returningTo redirectURI: String) async throws -> URL {
      guard let url = await org.visit(page) else { throw CancellationError() }
      return url
    }
  }
#endif
