import IDX
import IDXBase
import IDXFlow

/// What a person needs to know about a step besides its messages and its form: what an app asks for, who
/// requested an email, where a password is changed, which other options there are.
struct StepDetails {
  let step: Step
  private let alternatives: [Remediation]
  private let wording = Wording()

  init(step: Step) {
    self.step = step
    // A server can offer many forms, so they are checked once.
    alternatives = step.alternatives
  }

  /// The details, one on each line, mostly server texts.
  var lines: [String] {
    consent + request + passwordSite
      + [wording.hint(at: notableOptions), unavailableNotice, resendHint].compactMap(\.self)
  }

  /// What an app wants to be allowed (`scopes`).
  private var consent: [String] {
    let scopes = step.remediation.raw["scopes"]?.array ?? []
    guard !scopes.isEmpty else { return [] }
    return ["It wants to:"]
      + Self.first(scopes) { scope in
        (scope["label"] ?? scope["name"])?.string.map { "- \($0)" }
      }
  }

  /// Who requested an email, and from where (`requestInfo`).
  private var request: [String] {
    Self.first(step.remediation.raw["requestInfo"]?.array ?? []) { fact in
      guard let name = (fact["label"] ?? fact["name"])?.string, let value = fact["value"]?.string
      else { return nil }
      return "\(name): \(value)"
    }
  }

  /// The lines of the first elements, shortened, and how many more there are.
  private static func first(
    _ elements: [JSONValue], _ line: (JSONValue) -> String?
  ) -> [String] {
    let rest = elements.count - 30
    return elements.prefix(30).compactMap { line($0)?.shortened(to: 200) }
      + (rest > 0 ? ["… and \(rest) more."] : [])
  }

  /// Where to change a password that is managed elsewhere.
  private var passwordSite: [String] {
    guard let link = UnsupportedStep(step)?.link else { return [] }
    let name = step.remediation.raw["customExpiredPasswordName"]?.string
    return ["Change it at \(name.map { "\($0), " } ?? "")\(link)"]
  }

  /// The options that a person may look for: other ways to sign in, a new password, skipping.
  private var notableOptions: [Remediation] {
    alternatives.filter { form in
      switch step.remediation.name {
      case .identify: form.name != .cancel
      case .challengeAuthenticator: form.name == .recover
      case .reenrollAuthenticatorWarning, .profileUpdate, .enrollProfile: form.name == .skip
      default: false
      }
    }
  }

  /// The ways to sign in that a person may look for, and that a terminal cannot offer.
  private var unavailableNotice: String? {
    guard step.remediation.name == .identify else { return nil }
    return wording.notice(ofUnavailable: step.unsupportedRemediations)
  }

  private var resendHint: String? {
    let asksForCode = step.remediation["credentials.passcode"] != nil
    let canResend = alternatives.contains { $0.name == .resend }
    return asksForCode && canResend ? "Didn't arrive? Type ? to send it again." : nil
  }
}
