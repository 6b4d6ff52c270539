import IDX
import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The texts of one step, from a table of words and from the names that the server sent.
final class Phrases {
  let words: Words
  let step: Step
  /// The current time, for the validity of codes.
  let now: Date

  init(_ step: Step) {
    self.step = step
    (words, now) = (step.context.screens.words, step.context.now)
  }

  // MARK: Titles

  /// The title of the step.
  var title: String {
    let name = step.remediation.name
    switch name {
    case .resend where step.messages.contains { $0.key == .pushRejected }:
      return filled("push-rejected.title")
    case .identify where step.goal == .recover: return filled("identify-recovery.title")
    case .challengeAuthenticator where step.authenticator?.isPassword == true:
      return filled("password.title")
    case .selectAuthenticatorEnroll: return filled(titleKeyOfEnrollment)
    case .resetAuthenticator where step.authenticator?.isPassword == false:
      return filled("reset-authenticator.again.title")
    case .reenrollAuthenticatorWarning, .reenrollCustomPasswordExpiryWarning:
      let days = step.authenticator?.passwordRules?.daysToExpiry
      let counted = days.flatMap {
        words.text("reenroll-authenticator-warning.days.title", count: $0)
      }
      return counted ?? filled(.title(of: name))
    case .enrollProfile, .profileUpdate:
      return filled(.title(of: step.response.user == nil ? .enrollProfile : .profileUpdate))
    default:
      return words.text(.title(of: name), values) ?? words.text(.option(name), values)
        ?? name.rawValue.humanized
    }
  }

  private var titleKeyOfEnrollment: Words.Key {
    let offered = step.remediation["authenticator"]?.choices.compactMap(\.authenticator) ?? []
    if offered.contains(where: \.isPassword) { return "select-authenticator-enroll.any.title" }
    let enrolled = step.response.authenticators(in: .authenticatorEnrollments)
    return enrolled.contains { !$0.isPassword }
      ? "select-authenticator-enroll.another.title" : .title(of: .selectAuthenticatorEnroll)
  }

  private func filled(_ key: Words.Key) -> String {
    words.text(key, values) ?? step.remediation.name.rawValue.humanized
  }

  private var values: [String: String] {
    let app = step.response.application?.label?.brief
    return [
      "authenticator": step.authenticator.map(phraseWithDetail) ?? text("an-authenticator"),
      "app": app ?? text("app"),
      "org": app ?? step.state.configuration.issuer.host ?? text("org"),
      "provider": provider(of: step.remediation),
    ]
  }

  func provider(of form: Remediation) -> String {
    let provider = form.identityProvider
    let names = [provider?.name?.brief, words.text(.provider(form.name)), provider?.id?.brief]
    return names.compactMap(\.self).first { !$0.trimmed().isEmpty } ?? ""
  }

  /// A text that the English table has.
  func text(_ key: Words.Key, _ values: [String: String] = [:]) -> String {
    words.sentence(key, values)
  }

  // MARK: Options

  /// A form as one of several options.
  func option(_ form: Remediation) -> String {
    let values = self.values.merging([
      "authenticator": form.firstAuthenticator.map(phrase) ?? text("an-authenticator"),
      "provider": provider(of: form),
    ]) { $1 }
    let known = words.text(.option(form.name), values) ?? words.text(.title(of: form.name), values)
    return known ?? form.identityProvider?.name?.brief ?? form.name.rawValue.humanized
  }

  /// The main button of the step.
  var action: String {
    // Somebody who has an account only adds to it.
    if step.remediation.name == .enrollProfile, step.response.user != nil {
      return text("continue.action")
    }
    return words.text(.action(step.remediation.name)) ?? text("continue.action")
  }

  // MARK: Waiting

  /// The reason for a wait, without punctuation at its end.
  var wait: String {
    if step.response.userCode != nil { return text("wait.user-code") }
    let authenticator = step.authenticator
    let channel = step.remediation.name == .enrollPoll ? authenticator?.selectedChannel : nil
    if let channel, let text = words.text(.wait(channel)) { return text }
    if let key = authenticator?.key, let text = words.text(.wait(key.rawValue)) { return text }
    guard let authenticator else {
      return words.text(.wait(step.remediation.name.rawValue)) ?? text("wait.elsewhere")
    }
    return text("wait.authenticator", ["authenticator": phraseWithDetail(for: authenticator)])
  }

  /// What to do with the number that connects the phone to this sign-in.
  func instruction(toChoose number: String) -> String {
    let place = step.authenticator.map(phraseWithDetail) ?? text("your-app")
    return text("wait.number", ["number": number.brief, "authenticator": place])
  }

  // MARK: Fields

  /// The label of a field.
  func label(of field: Remediation.Field) -> String {
    if field.name == "answer", let text = step.authenticator?.enrolledQuestion?.text {
      return text.brief
    }
    if let label = field.label?.brief, !label.isEmpty { return translated(label) }
    return words.text(.field(field.name)) ?? field.name.humanized
  }

  /// The label of a choice, with a detail that distinguishes it from others of its kind.
  func label(of option: Remediation.Field.Option) -> String {
    let authenticator = option.authenticator
    let label = option.label.flatMap { $0.brief.trimmed().isEmpty ? nil : $0 }
    let name =
      label ?? authenticator.map(words.name) ?? option.value?.plainText.map(\.humanized)
      ?? text("unnamed")
    return adding(authenticator, to: translated(name)) + (grace(of: authenticator) ?? "")
  }

  /// Until when an authenticator can be set up, or how often that can be left out; nil if the server does not say.
  private func grace(of authenticator: IDXAuthenticator?) -> String? {
    let deadline = authenticator?.setUpDeadline.map { date in
      text("grace.date", ["date": String(date.timestamp.prefix(10))])
    }
    let skips = authenticator?.remainingSkips.flatMap { count in
      count > 0 ? words.text("grace.skips", count: count) : nil
    }
    let parts = [deadline, skips].compactMap(\.self)
    return parts.isEmpty ? nil : parts.map { ", \($0)" }.joined()
  }

  /// What distinguishes an authenticator from another one with the same label; nil if nothing does.
  func detail(of option: Remediation.Field.Option) -> String? {
    guard let authenticator = option.authenticator else { return nil }
    let name = words.name(of: authenticator)
    return label(of: option).lowercased().contains(name.lowercased()) ? nil : name
  }

  private func translated(_ label: String) -> String { words[.label(label)] ?? label }

  /// Whether a message is no problem.
  ///
  /// In a grace period, an error only says what to repair. When the next code of a token is needed, the last
  /// code was right.
  func isHarmless(_ message: IDXMessage) -> Bool {
    step.remediation.name == .deviceAssuranceGracePeriod || message.key == .nextCodeNeeded
      || !message.isError
  }

  /// What to do about a message; nil if the message is enough.
  func advice(on message: IDXMessage) -> String? {
    switch message.key {
    case .softTokenInvalid?, .passcodeInvalid?:
      // The codes of other tokens may change at another pace.
      guard step.authenticator?.key == .googleAuthenticator else { return nil }
    case nil: return nil
    default: break
    }
    return message.key.flatMap {
      words.text(.advice($0), ["count": String(TOTPGenerator(key: []).secondsRemaining(at: now))])
    }
  }

  // MARK: Authenticators

  /// The name as part of a sentence: “your phone” for the name “Phone”.
  ///
  /// The server may have a name of its own in any language, which is kept.
  private func phrase(for authenticator: IDXAuthenticator) -> String {
    let name = words.name(of: authenticator)
    guard let key = authenticator.key,
      let usual = Words.english.text(.authenticator(key)),
      usual.lowercased().hasSuffix(name.lowercased())
    else { return name }
    return words.text(.authenticator(key)) ?? name
  }

  private func phraseWithDetail(for authenticator: IDXAuthenticator) -> String {
    adding(authenticator, to: phrase(for: authenticator))
  }

  /// A name, followed by a detail of the enrollment unless the name contains it.
  private func adding(_ authenticator: IDXAuthenticator?, to name: String) -> String {
    // Each passkey has a name of its own.
    let isPasskey =
      authenticator?.key == .webAuthn && authenticator?.container == .authenticatorEnrollments
    let detail =
      authenticator?.nickname ?? authenticator?.phoneNumber ?? authenticator?.email
      ?? (isPasskey ? authenticator?.displayName : nil)
    let name = name.brief
    guard let detail = detail?.brief, !detail.trimmed().isEmpty else { return name }
    return name.contains(detail) ? name : "\(name) (\(detail))"
  }
}
