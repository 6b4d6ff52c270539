public import Foundation
public import IDX
import IDXFlow

/// A reply of a ``ScriptedPrompter``, and the question that it is to.
///
/// Questions are named by the path of their field, such as `credentials.passcode`, or by its label;
/// where a step lets one choose, wait or go to a browser, by the name of the step.
public struct ScriptedReply: Sendable {
  /// The path or the label of the field, or the name of the step.
  public let question: String

  /// The reply; nil where the person waits instead.
  let reply: @Sendable (Occasion) async throws -> Reply?

  /// What a reply may be made of.
  struct Occasion {
    /// The forms that can be sent instead of an answer.
    let forms: [Remediation]
    /// What was last shown for an authenticator app; nil where nothing was.
    let app: AuthenticatorApp?
    /// Where the browser is sent; nil where it is not.
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

  /// A text that is known only when the question is asked, such as the code in a mail.
  public static func answer(
    _ question: String, from text: @escaping @Sendable () async throws -> String?
  ) -> ScriptedReply {
    ScriptedReply(question: question) { _ in
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
    ScriptedReply(question: question) { occasion in
      guard let totp = occasion.app?.uri?.totp else {
        throw ScriptedPrompterError("“\(question)” wants a code, and no key for an app was shown.")
      }
      return .answer(.value(.string(totp.code(at: occasion.date))))
    }
  }

  /// Nothing: an empty line.
  public static func nothing(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { _ in .nothing }
  }

  /// Another form instead: one beside the options, one of the step's alternatives, or one of those
  /// that the step lets one choose from.
  ///
  /// It is an error where the form is not offered.
  public static func instead(_ question: String, _ name: Remediation.Name) -> ScriptedReply {
    ScriptedReply(question: question) { occasion in
      guard let form = occasion.forms.first(where: { $0.name == name }) else {
        let names = occasion.forms.map(\.name.rawValue).joined(separator: ", ")
        throw ScriptedPrompterError("“\(name)” is not offered at “\(question)”, but: \(names).")
      }
      return .instead(form)
    }
  }

  /// The address at which the browser comes back from a page, where a step sends it to one.
  public static func returning(
    _ step: Remediation.Name, from visit: @escaping @Sendable (URL) async throws -> URL?
  ) -> ScriptedReply {
    ScriptedReply(question: step.rawValue) { occasion in
      guard let page = occasion.page, let url = try await visit(page) else {
        throw ScriptedPrompterError("The browser does not come back from “\(step)”.")
      }
      return .returned(url)
    }
  }

  /// An address at which a browser has come back by itself while something is asked, such as by the
  /// link of a mail.
  public static func returned(
    _ question: String, from address: @escaping @Sendable () async throws -> URL?
  ) -> ScriptedReply {
    ScriptedReply(question: question) { _ in
      guard let url = try await address() else {
        throw ScriptedPrompterError("No browser comes back at “\(question)”.")
      }
      return .returned(url)
    }
  }

  /// No reply: the person does something elsewhere, such as following a link in a mail, and waits
  /// for the sign-in to notice.
  ///
  /// What follows in the list is a reply to what comes then.
  public static func elsewhere(
    _ question: String, _ action: @escaping @Sendable () async throws -> Void
  ) -> ScriptedReply {
    ScriptedReply(question: question) { _ in
      try await action()
      return nil
    }
  }

  /// To start over, where the server offers nothing more and there are no tokens.
  public static let startingOver = ScriptedReply(question: "start over") { _ in nil }

  /// The end of the sign-in.
  public static func cancel(_ question: String) -> ScriptedReply {
    ScriptedReply(question: question) { _ in .cancel }
  }
}

extension Question {
  var formsBeside: [Remediation] {
    if case .choice(_, let beside) = kind { beside } else { [] }
  }
}
