public import IDXBase

/// What may be said when a sign-in starts.
///
/// Source: protocol section 1.2.
public struct StartOptions: Sendable, Hashable {
  /// How old the last sign-in may be, in seconds (`max_age`); nil for any age.
  public var maximumAge: Int?
  /// How strong the sign-in must be (`acr_values`); empty for what the org decides.
  public var acrValues: [String] = []
  /// Who is likely to sign in (`login_hint`); nil for nobody in particular.
  public var loginHint: String?
  /// The token of a link that recovers an account; nil mostly.
  public var recoveryToken: Secret?
  /// The token of a link that activates an account; nil mostly.
  public var activationToken: Secret?

  /// Nothing in particular.
  public init() {}

  /// What has to hold as well where a sign-in is started over.
  package init(again state: FlowState) { maximumAge = state.maximumAge }

  /// The same without the tokens, each of which begins one sign-in.
  var withoutTokens: StartOptions {
    var options = self
    options.recoveryToken = nil
    options.activationToken = nil
    return options
  }

  var parameters: [(String, String)] {
    let optional: [(String, String?)] = [
      ("max_age", maximumAge.map(String.init)),
      ("acr_values", acrValues.isEmpty ? nil : acrValues.joined(separator: " ")),
      ("login_hint", loginHint),
      ("recovery_token", recoveryToken?.revealed),
      ("activation_token", activationToken?.revealed),
    ]
    return optional.compactMap { name, value in value.map { (name, $0) } }
  }
}
