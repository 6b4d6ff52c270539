public import IDXBase

/// What a client speaks with the server.
///
/// Anybody may write another client, which names what it speaks.
public struct FlowProtocol: OpenSet {
  /// The name, as it stands in a saved sign-in.
  public let rawValue: String
  /// A protocol by its name.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Identity Engine.
  public static let identityEngine: Self = "idx"
  /// OAuth grants, without a page.
  public static let directAuth: Self = "direct"
  /// The authentication API of older orgs.
  public static let classic: Self = "classic"
}
