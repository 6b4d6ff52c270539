public import Foundation
public import IDX
import IDXBase
import IDXFlow

/// A reply of a ``ScriptedFrontEnd``, and the input or step that it is to.
///
/// An input is named by the path of its field, such as `credentials.passcode`, or by its label. For a choice
/// between forms, a wait or a page in a browser, there is no input, so the step is named.
public struct ScriptedReply: Sendable {
  /// What the reply is to: the path or the label of an input, or the name of a step.
  public let target: String

  /// The reply; nil if the person waits instead.
  let reply: @Sendable (Situation) async throws -> Reply?

  /// The values that a reply can depend on.
  struct Situation {
    let screen: Screen
    /// The input that is asked for; nil if the screen has none.
    let input: Screen.Input?
    /// The last authenticator app that was shown.
    let app: AuthenticatorApp?
    let date: Date

    /// The reply with a value for the input.
    func value(_ value: String) -> Reply { .submit(input.map { [$0.id: Secret(value)] } ?? [:]) }
  }

  func isTo(_ input: Screen.Input) -> Bool {
    target == input.id || target == input.repeats || target == input.label
      || target == input.field?.label
  }

  func isTo(_ step: Step) -> Bool { target == step.remediation.name.rawValue }
}

extension ScriptedReply {
  /// A text, a yes or no (`true`), or an option: `.optionNamed("okta_email")`, `.option(0)`.
  public static func answer(_ input: String, _ answer: Answer) -> ScriptedReply {
    ScriptedReply(target: input) { situation in
      guard let value = situation.input?.value(for: answer) else {
        throw ScriptedFrontEndError("“\(input)” does not offer what the next reply chooses.")
      }
      return situation.value(value)
    }
  }

  /// A text that is not known before it is asked for, such as the code in an email.
  public static func answer(
    _ input: String, from text: @escaping @Sendable () async throws -> String?
  ) -> ScriptedReply {
    ScriptedReply(target: input) { situation in
      guard let text = try await text() else {
        throw ScriptedFrontEndError("There is no answer to “\(input)”.")
      }
      return situation.value(text)
    }
  }

  /// The current code for the key that was last shown for an authenticator app.
  ///
  /// Throws if no key was shown.
  public static func totp(_ input: String) -> ScriptedReply {
    ScriptedReply(target: input) { situation in
      guard let totp = situation.app?.uri?.totp else {
        throw ScriptedFrontEndError("“\(input)” needs a code, but no key for an app was shown.")
      }
      return situation.value(totp.code(at: situation.date))
    }
  }

  /// An empty text, as if the person only pressed Enter.
  public static func nothing(_ input: String) -> ScriptedReply {
    ScriptedReply(target: input) { $0.value($0.input?.suggestion ?? "") }
  }

  /// Another form instead: one next to the options, an alternative of the step, or one of several forms.
  ///
  /// Throws if the form is not offered.
  public static func instead(_ target: String, _ name: Remediation.Name) -> ScriptedReply {
    ScriptedReply(target: target) { situation in
      let options = [situation.screen.action] + situation.screen.options
      let isOwn = situation.screen.step?.remediation.name == name
      // Several options have the same name and a number.
      let option = options.first { $0.id == name.rawValue } ?? (isOwn ? options[0] : nil)
      guard let option else {
        let names = options.map(\.id).joined(separator: ", ")
        throw ScriptedFrontEndError("“\(target)” does not offer “\(name)”, only \(names).")
      }
      return .choose(option.id)
    }
  }

  /// The address that the browser returns to from the page of a step.
  public static func returning(
    _ step: Remediation.Name, from open: @escaping @Sendable (URL) async throws -> URL?
  ) -> ScriptedReply {
    ScriptedReply(target: step.rawValue) { situation in
      guard let page = situation.screen.page?.url, let url = try await open(page) else {
        throw ScriptedFrontEndError("The browser does not return from “\(step)”.")
      }
      return .returned(url)
    }
  }

  /// An address that a browser returns to while something is asked, such as from the link in an email.
  public static func returned(
    _ target: String, from address: @escaping @Sendable () async throws -> URL?
  ) -> ScriptedReply {
    ScriptedReply(target: target) { _ in
      guard let url = try await address() else {
        throw ScriptedFrontEndError("No browser returns at “\(target)”.")
      }
      return .returned(url)
    }
  }

  /// No reply: the person does something elsewhere, such as opening a link in an email, and waits.
  ///
  /// The next reply is to what is asked after that.
  public static func elsewhere(
    _ target: String, _ action: @escaping @Sendable () async throws -> Void
  ) -> ScriptedReply {
    ScriptedReply(target: target) { _ in
      try await action()
      return nil
    }
  }

  /// Starts over after a sign-in that has ended without tokens.
  public static let startingOver = ScriptedReply(target: "start over") { _ in nil }

  /// Cancels the sign-in.
  public static func cancel(_ target: String) -> ScriptedReply {
    ScriptedReply(target: target) { _ in .cancel }
  }
}
