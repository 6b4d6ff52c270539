import IDXBase
package import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A client whose requests carry the cookies of the sign-in that they are for.
package protocol CookieClient: FlowClient {
  /// Sends the requests.
  var http: Exchange { get set }
  /// Its clock says which cookies have expired.
  var tokens: TokenClient { get }
}

extension CookieClient {
  /// Runs a body with a copy of this client whose requests carry cookies; the state that it returns has the
  /// cookies that the server set meanwhile.
  ///
  /// If the body throws, the earlier state and its cookies are still valid.
  package func keepingCookies(
    _ jar: CookieJar, _ body: (Self) async throws -> FlowState
  ) async throws -> FlowState {
    let keeper = CookieKeeper(jar, now: tokens.now)
    var state = try await body(with(keeper))
    state.cookies = keeper.jar
    return state
  }

  /// A copy of this client whose requests carry cookies.
  package func sending(_ jar: CookieJar) -> Self { with(CookieKeeper(jar, now: tokens.now)) }

  private func with(_ keeper: CookieKeeper) -> Self {
    var client = self
    client.http = http.keeping(keeper)
    return client
  }
}

extension StartOptions {
  /// The cookies to start with: those of an earlier sign-in to the same origin, if there are any.
  package func cookies(for configuration: FlowConfiguration) -> CookieJar {
    let jar = cookies.flatMap { $0.belongs(to: configuration.issuer) ? $0 : nil }
    return jar ?? CookieJar(issuer: configuration.issuer)
  }
}
