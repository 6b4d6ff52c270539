import IDX
import IDXFlow

/// What a server says about a step beside its messages and its form: what an app asks for, who asked
/// for a mail, where a password is changed.
///
/// All of it is text of the server.
struct StepDetails {
  let step: Step
  let wording: Wording

  /// The facts, a line each.
  var lines: [String] { consent + request + passwordSite + waysIn + closedWays + resend }

  /// That what was sent can be sent again, which nobody needs at once.
  private var resend: [String] {
    let isAsked = step.remediation["credentials.passcode"] != nil
    guard isAsked, step.alternatives.contains(where: { $0.name == .resend }) else { return [] }
    return ["If nothing comes, ? has it sent again."]
  }

  /// What an app is to be allowed (`scopes`).
  private var consent: [String] {
    let scopes = step.remediation.raw["scopes"]?.array ?? []
    let app = step.response.application?.label ?? "The app"
    guard !scopes.isEmpty else { return [] }
    return ["\(app) wants to:"]
      + scopes.compactMap { scope in
        (scope["label"] ?? scope["name"])?.string.map { "- \($0)" }
      }
  }

  /// Who asked for a mail, from where (`requestInfo`).
  private var request: [String] {
    (step.remediation.raw["requestInfo"]?.array ?? []).compactMap { fact in
      guard let name = (fact["label"] ?? fact["name"])?.string, let value = fact["value"]?.string
      else { return nil }
      return "\(name): \(value)"
    }
  }

  /// Where a password is changed that is kept elsewhere.
  private var passwordSite: [String] {
    guard let link = UnsupportedStep(step)?.link else { return [] }
    let name = step.remediation.raw["customExpiredPasswordName"]?.string
    return ["Change it at \(name.map { "\($0), " } ?? "")\(link)"]
  }

  /// What stands beside the form and nobody would look for under `?`: other ways to sign in, a
  /// forgotten password, leaving out what need not be done.
  private var waysIn: [String] {
    let names = step.alternatives.filter(isWorthTelling)
      .map(wording.title(ofAlternative:))
    return names.isEmpty ? [] : ["Under ?: \(names.joined(separator: ", "))."]
  }

  /// The ways to sign in that somebody may look for, and that are not to be had here.
  private var closedWays: [String] {
    guard step.remediation.name == .identify else { return [] }
    let names = step.response.remediations.filter {
      $0 != step.remediation && !step.alternatives.contains($0)
        && UnsupportedStep(Step($0, state: step.state)) != nil
    }.map(wording.title(ofAlternative:))
    return names.isEmpty ? [] : ["Not to be had here: \(names.joined(separator: ", "))."]
  }

  private func isWorthTelling(_ form: Remediation) -> Bool {
    switch step.remediation.name {
    case .identify: form.name != .cancel
    case .challengeAuthenticator: form.name == .recover
    case .reenrollAuthenticatorWarning, .profileUpdate, .enrollProfile: form.name == .skip
    default: false
    }
  }
}
