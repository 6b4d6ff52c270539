public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A client whose requests carry the cookies of the sign-in that they are for, and may share a connection.
///
/// A server can recognize a device by its cookies, and can need those of earlier responses. A conforming type sends all
/// requests of a sign-in with ``http`` of the copy that the functions below make.
///
///     let next = try await cookieClient.keepingCookies(of: state) { client in
///       try await client.proceed(submission, from: state)
///     }
public protocol CookieClient: FlowClient {
  /// Sends the requests.
  var http: IssuerClient { get set }
}

extension CookieClient {
  /// Runs a body with a copy of this client whose requests carry cookies; the state that it returns has the
  /// cookies that the server set meanwhile.
  ///
  /// If the body throws, the earlier state and its cookies are still valid. `nonce` is that of the sign-in, whose
  /// requests may share a connection; nil, the default, if it is not known yet.
  public func keepingCookies(
    _ jar: CookieJar, nonce: Secret? = nil, _ body: (Self) async throws -> FlowState
  ) async throws -> FlowState {
    let keeper = CookieKeeper(jar, now: http.now)
    var state = try await body(with(keeper, nonce))
    state.cookies = keeper.jar
    return state
  }

  /// The same for a body that continues a sign-in.
  public func keepingCookies(
    of state: FlowState, _ body: (Self) async throws -> FlowState
  ) async throws -> FlowState {
    try await keepingCookies(state.cookies, nonce: state.nonce, body)
  }

  /// A client that sends its requests with the context of a person.
  public func acting(for context: PersonContext) -> Self {
    var client = self
    client.http.context = context
    return client
  }

  /// A copy of this client whose requests carry the cookies of a sign-in.
  public func sending(cookiesOf state: FlowState) -> Self {
    with(CookieKeeper(state.cookies, now: http.now), state.nonce)
  }

  private func with(_ keeper: CookieKeeper, _ nonce: Secret?) -> Self {
    var client = self
    client.http = http.keeping(keeper, in: nonce.map(ConnectionGroup.init))
    return client
  }
}

extension StartOptions {
  /// The cookies to start with: those of an earlier sign-in to the same origin, if there are any.
  public func cookies(for configuration: FlowConfiguration) -> CookieJar {
    let jar = cookies.flatMap { $0.belongs(to: configuration.issuer) ? $0 : nil }
    return jar ?? CookieJar(issuer: configuration.issuer)
  }
}
