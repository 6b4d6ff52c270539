import IDX
import IDXFlow

/// Whether the server may remember the person's device (“Keep me signed in”), where it offers that.
///
/// It helps only if the cookies of the sign-in are kept for the next one (``/IDXFlow/StartOptions/cookies``).
public enum RememberDevice: Sendable, Hashable, CaseIterable {
  /// The person is not asked, and the server may not.
  case never
  /// The screen has an input for it.
  case asks
  /// The person is not asked, and the server may.
  case always

  /// The fields with which a server asks, in forms for the username and for a second factor.
  private static let fields: Set = ["rememberMe", "rememberDevice"]

  /// The fields that a screen does not show.
  var omittedFields: Set<String> { self == .asks ? [] : Self.fields }

  /// A decision about a screen, with the agreement if the person is not asked.
  func completed(_ decision: Decision, at screen: Screen) -> Decision {
    guard self == .always, case .submit(var answers, nil) = decision,
      let form = screen.step?.remediation
    else { return decision }
    for name in Self.fields where form[name]?.type == .boolean && form[name]?.isFixed == false {
      answers[name] = true
    }
    return .submit(answers)
  }
}
