public import IDXBase

/// The protocol of a sign-in, which its client speaks.
///
/// A client of your own adds its protocol as a static member.
public struct SignInProtocol: OpenSet {
  /// The name, as written in a saved sign-in.
  public let rawValue: String
  /// Creates a protocol with this name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Identity Engine.
  public static let idx: Self = "idx"
  /// DirectAuth: OAuth grants without a web page.
  public static let direct: Self = "direct"
  /// The authentication API of orgs without Identity Engine.
  public static let classic: Self = "classic"

  /// The protocols that this package has clients for.
  public static let all: [Self] = [.idx, .direct, .classic]
}
