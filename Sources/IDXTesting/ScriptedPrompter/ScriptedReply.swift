public import IDX
import IDXFlow

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A reply of a ``ScriptedPrompter``, and the question that it is to.
///
/// Questions are named by the path of their field, such as `credentials.passcode`, or by its label.
public struct ScriptedReply: Sendable {
  /// The path or the label of the field.
  public let question: String

  let reply: @Sendable (Question, Moment) async throws -> Reply

  /// What a reply may be made of beside the question.
  struct Moment {
    /// What was last shown for an authenticator app; nil where nothing was.
    let app: AuthenticatorApp?
    let date: Date
  }

  func isTo(_ question: Question) -> Bool {
    self.question == question.path || self.question == question.field.label
  }
}

extension ScriptedReply {
  /// A text, a yes or no (`true`), or an option: `.optionNamed("okta_email")`, `.option(0)`.
  public static func answer(_ question: String, _ answer: Answer) -> ScriptedReply {
    ScriptedReply(question: question) { _, _ in .answer(answer) }
  }

  /// A text that is known only when the question is asked, such as the code in a mail.
  public static func answer(
    _ question: String, from text: @escaping @Sendable () async throws -> String?
  ) -> ScriptedReply {
    ScriptedReply(question: question) { _, _ in
      guard let text = try await text() else {
        throw ScriptedPrompterError("There is nothing to answer “\(question)” with.")
      }
      return .answer(.value(.string(text)))
    }
  }

  /// The code of the moment, from the key that was last shown for an authenticator app.
  ///
  /// It is an error where no key was shown.
  public static func totp(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { _, moment in
      guard let totp = moment.app?.uri?.totp else {
        throw ScriptedPrompterError("“\(question)” wants a code, and no key for an app was shown.")
      }
      return .answer(.value(.string(totp.code(at: moment.date))))
    }
  }

  /// Nothing: an empty line.
  public static func nothing(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { _, _ in .nothing }
  }

  /// Another form instead: one beside the options, or one of the step's alternatives.
  ///
  /// It is an error where the form is not offered.
  public static func instead(_ question: String, _ name: Remediation.Name) -> ScriptedReply {
    ScriptedReply(question: question) { asked, _ in
      let offered = asked.formsBeside + asked.step.alternatives
      guard let form = offered.first(where: { $0.name == name }) else {
        let names = offered.map(\.name.rawValue).joined(separator: ", ")
        throw ScriptedPrompterError("“\(name)” is not offered at “\(question)”, but: \(names).")
      }
      return .instead(form)
    }
  }

  /// The end of the sign-in.
  public static func cancel(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { _, _ in .cancel }
  }
}

extension Question {
  fileprivate var formsBeside: [Remediation] {
    if case .choice(_, let beside) = kind { beside } else { [] }
  }
}
