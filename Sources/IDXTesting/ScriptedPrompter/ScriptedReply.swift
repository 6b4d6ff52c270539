public import Foundation
public import IDX
import IDXFlow

/// A reply of a ``ScriptedPrompter``, and the question that it answers.
///
/// The name of a question is the path of its field, such as `credentials.passcode`, or its label. For a
/// choice between forms, a wait or a page in a browser, it is the name of the step.
public struct ScriptedReply: Sendable {
  /// The path or the label of the field, or the name of the step.
  public let question: String

  /// The reply; nil if the person waits instead.
  let reply: @Sendable (Situation) async throws -> Reply?

  /// The values that a reply can depend on.
  struct Situation {
    /// The forms that can be sent instead of an answer.
    let forms: [Remediation]
    /// The last authenticator app that was shown.
    let app: AuthenticatorApp?
    /// The page that the browser must open.
    var page: URL?
    let date: Date
  }

  func isTo(_ question: Question) -> Bool {
    self.question == question.path || self.question == question.field.label
  }

  func isTo(_ step: Step) -> Bool { question == step.remediation.name.rawValue }
}

extension ScriptedReply {
  /// A text, a yes or no (`true`), or an option: `.optionNamed("okta_email")`, `.option(0)`.
  public static func answer(_ question: String, _ answer: Answer) -> ScriptedReply {
    ScriptedReply(question: question) { _ in .answer(answer) }
  }

  /// A text that is not known before the question, such as the code in an email.
  public static func answer(
    _ question: String, from text: @escaping @Sendable () async throws -> String?
  ) -> ScriptedReply {
    ScriptedReply(question: question) { _ in
      guard let text = try await text() else {
        throw ScriptedPrompterError("There is no answer to “\(question)”.")
      }
      return .answer(.value(.string(text)))
    }
  }

  /// The current code for the key that was last shown for an authenticator app.
  ///
  /// Throws if no key was shown.
  public static func totp(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { situation in
      guard let totp = situation.app?.uri?.totp else {
        throw ScriptedPrompterError("“\(question)” needs a code, but no key for an app was shown.")
      }
      return .answer(.value(.string(totp.code(at: situation.date))))
    }
  }

  /// An empty line.
  public static func nothing(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { _ in .nothing }
  }

  /// Another form instead: one next to the options, an alternative of the step, or one of several forms.
  ///
  /// Throws if the form is not offered.
  public static func instead(_ question: String, _ name: Remediation.Name) -> ScriptedReply {
    ScriptedReply(question: question) { situation in
      guard let form = situation.forms.first(where: { $0.name == name }) else {
        let names = situation.forms.map(\.name.rawValue).joined(separator: ", ")
        throw ScriptedPrompterError("“\(question)” does not offer “\(name)”, only \(names).")
      }
      return .instead(form)
    }
  }

  /// The address that the browser returns to from the page of a step.
  public static func returning(
    _ step: Remediation.Name, from open: @escaping @Sendable (URL) async throws -> URL?
  ) -> ScriptedReply {
    ScriptedReply(question: step.rawValue) { situation in
      guard let page = situation.page, let url = try await open(page) else {
        throw ScriptedPrompterError("The browser does not return from “\(step)”.")
      }
      return .returned(url)
    }
  }

  /// An address that a browser returns to during a question, such as from the link in an email.
  public static func returned(
    _ question: String, from address: @escaping @Sendable () async throws -> URL?
  ) -> ScriptedReply {
    ScriptedReply(question: question) { _ in
      guard let url = try await address() else {
        throw ScriptedPrompterError("No browser returns at “\(question)”.")
      }
      return .returned(url)
    }
  }

  /// No reply: the person does something elsewhere, such as opening a link in an email, and waits.
  ///
  /// The next reply is to the question after that.
  public static func elsewhere(
    _ question: String, _ action: @escaping @Sendable () async throws -> Void
  ) -> ScriptedReply {
    ScriptedReply(question: question) { _ in
      try await action()
      return nil
    }
  }

  /// To start over after a final step without tokens.
  public static let startingOver = ScriptedReply(question: "start over") { _ in nil }

  /// Cancels the sign-in.
  public static func cancel(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { _ in .cancel }
  }
}

extension Question {
  var formsBeside: [Remediation] {
    if case .choice(_, let beside) = kind { beside } else { [] }
  }
}
