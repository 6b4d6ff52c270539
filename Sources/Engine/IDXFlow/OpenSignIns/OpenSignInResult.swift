import IDX
import IDXBase
import IDXOAuth

/// What follows a request of an open sign-in.
///
/// A later version may add a result: a `switch` over all of them then needs a new case.
public indirect enum OpenSignInResult: Sendable {
  /// The person sees a page.
  case page(OpenSignInPage)
  /// The person is signed in; the server no longer has the sign-in.
  case signedIn(SignIn)
  /// The sign-in has ended without tokens; the screen has the server's messages, such as where it continues.
  case ended(Screen)
  /// The person has canceled the sign-in.
  case cancelled
}

/// A page of an open sign-in: what it shows, and what its form sends back.
public struct OpenSignInPage: Sendable, Hashable, Redacted {
  /// The ID of the sign-in: 32 random bytes in Base64url.
  ///
  /// Whoever knows it can continue the sign-in, so keep it in a cookie that scripts cannot read.
  public let id: String
  /// A hash of the ID, for a hidden field of the form: whoever sends it has seen a page of this sign-in, so
  /// no other site has made the request.
  public var formToken: String { Self.formToken(of: id) }
  /// The number of the page, which its reply brings back.
  public let revision: Int
  /// What the page shows.
  public let screen: Screen
  /// What the server has just accepted, such as “Sent again.”; nil if the screen shows it.
  public let confirmation: String?

  init(_ id: String, _ saved: SavedOpenSignIn, _ screen: Screen) {
    self.id = id
    revision = saved.revision
    var screen = saved.remark?.applied(to: screen) ?? screen
    screen.number = saved.revision + 1
    self.screen = screen
    confirmation = saved.remark?.confirmation
  }

  /// The token in the forms of a sign-in (``formToken``), to check a request before it is carried out.
  public static func formToken(of id: String) -> String {
    Base64URL.encode(HashFunction.sha256.hash(Array("form token of \(id)".utf8)))
  }

  /// The screen and the revision, without the ID.
  public var description: String { "page \(revision): \(screen)" }
}
