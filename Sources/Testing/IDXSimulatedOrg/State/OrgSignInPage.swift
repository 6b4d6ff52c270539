public import Foundation
import IDXBase

/// The sign-in page that a ``SimulatedOrg`` serves to browsers; without it, the org serves no page.
///
///     await org.changeRequests { $0.signInPage = OrgSignInPage(.oktaData) }
///
/// The authorization endpoint then responds with an HTML page, which contains a state token. `POST /idp/idx/introspect`
/// with this token as `stateToken` returns the first step, and the last step has `success`, with an address that redirects
/// to the app with a code. All requests of a sign-in need the cookies of its page (`JSESSIONID` and `DT`), and each response
/// has a new state handle. After a sign-in, the browser has a session (`sid` and `idx`).
public struct OrgSignInPage: Sendable, Hashable {
  /// How the page contains its state token: each is a text of JavaScript, in which `-` is written `\x2D`.
  public enum Layout: Sendable, Hashable, CaseIterable {
    /// A variable: `var stateToken = '…'`. It is the default.
    case standard
    /// A member of the object `oktaData`, which is not JSON, as on custom domains.
    case oktaData
    /// A member of JSON in the text `modelDataBag`.
    case modelDataBag
    /// A member of the object `config`.
    case configuration
    /// The page contains no token: it is a page of the company's own.
    case withoutToken
  }

  /// How the page contains its state token.
  public var layout: Layout
  /// The number of seconds for which a session is valid; two hours by default.
  public var sessionLifetime: TimeInterval = 2 * 60 * 60

  /// Creates a page with a session of two hours.
  public init(_ layout: Layout = .standard) { self.layout = layout }
}

/// What a sign-in has that began on the page of the org.
struct HostedSignIn: Sendable {
  /// Where the sign-in leads.
  enum Destination: Sendable {
    case app(AuthorizationRequest)
    case saml(SAMLApp, relayState: String)
  }

  let destination: Destination
  /// The state token of the page.
  let pageToken: String
  /// The cookie `JSESSIONID` of the page.
  let sessionID: String
  /// The cookie `DT` of the page.
  let deviceToken: String

  /// The part of a state handle that stays the same: the state token of the address after a success.
  static func stateToken(of handle: String) -> String { String(handle.prefix { $0 != "~" }) }
}

extension OrgState {
  /// A sign-in that begins on a page, which has a new state token; not saved yet.
  mutating func startSignIn(
    to destination: HostedSignIn.Destination, by request: OrgRequest
  ) -> SignIn {
    let hosted = HostedSignIn(
      destination: destination,
      // An encrypted JWT, which only the org can read (RFC 7516).
      pageToken: random.handle("eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..", bytes: 12) + "."
        + random.handle("", bytes: 3900) + "." + random.handle("", bytes: 16),
      sessionID: request.http.cookie("JSESSIONID") ?? random.handle("", bytes: 16),
      deviceToken: request.sender.deviceToken ?? OrgSettings.id("DT", random.handle("")))
    return startSignIn(of: "", hosted: hosted, by: request.sender)
  }

  /// A state handle of a sign-in on the page; it begins like the last one.
  mutating func newHandle(after last: String?) -> String {
    let start = last.map(HostedSignIn.stateToken) ?? random.handle("02.id.")
    return random.handle(start + "~c.", bytes: 1050)
  }

  /// The handle that a client means: the state token of a page, and for a question also an earlier handle, stand for the
  /// last one of its sign-in.
  func currentHandle(for token: String, alsoEarlier: Bool = false) -> String {
    let start = token.contains("~") && alsoEarlier ? HostedSignIn.stateToken(of: token) + "~" : nil
    return signIns.values.first { signIn in
      signIn.hosted.map { $0.pageToken == token } == true
        || signIn.hosted != nil && start.map(signIn.handle.hasPrefix) == true
    }?.handle ?? token
  }
}

extension SignIn {
  /// Throws unless a request has the cookies of the page where the sign-in began.
  func checkCookies(of request: TransportRequest) throws(Refusal) {
    guard let hosted else { return }
    try require(
      request.cookie("JSESSIONID") == hosted.sessionID
        && request.deviceToken == hosted.deviceToken,
      else: Refusal(response: .empty(status: 403)))
  }

  /// Replaces the state handle, if the sign-in began on a page.
  mutating func renewHandle(in org: inout OrgState) {
    guard hosted != nil else { return }
    org.remove(self)
    handle = org.newHandle(after: handle)
  }
}

extension OrgSettings {
  /// The cookie by which a real org recognizes a device, for two years.
  func deviceCookie(_ token: String) -> String {
    cookie("DT", token, lifetime: 2 * 365 * 24 * 60 * 60)
  }

  /// The value of `Set-Cookie`; without a lifetime, the browser keeps the cookie until it ends.
  func cookie(_ name: String, _ value: String, lifetime: Int? = nil) -> String {
    // Browsers refuse `SameSite=None` without `Secure`.
    let isSecure = origin.hasPrefix("https:")
    return "\(name)=\(value); Path=/" + (lifetime.map { "; Max-Age=\($0)" } ?? "")
      + (isSecure ? "; Secure; HttpOnly; SameSite=None" : "; HttpOnly")
  }
}
