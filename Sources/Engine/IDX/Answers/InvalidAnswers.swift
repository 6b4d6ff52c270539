#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// All problems with the answers to a form, found before anything is sent.
public struct InvalidAnswers: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// A problem with one answer, or with a missing one.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// Why an answer cannot be sent.
    public enum Reason: Sendable, Hashable {
      /// The field is required and has no answer.
      case missing
      /// The answer is not one of the options, whose labels or values are `allowed`.
      case notAnOption(allowed: [String])
      /// The field has another value, which cannot be changed.
      case notChangeable
      /// The form has no such field.
      case unknown
      /// The value must have this type.
      case wrongType(Remediation.Field.Kind)
      /// The text has fewer characters than this.
      case tooShort(minimum: Int)
      /// The text has more characters than this.
      case tooLong(maximum: Int)
      /// The text contains characters other than ASCII letters and digits.
      case notAlphanumeric
      /// The password breaks these rules.
      case breaksRules([PasswordRule])
      /// The text differs from the one that was typed before.
      case differs
    }

    /// The dotted path of the field.
    public let path: String
    /// The field's label for people.
    public let label: String?
    /// The reason.
    public let reason: Reason

    /// Creates a problem.
    package init(path: String, label: String?, reason: Reason) {
      self.path = path
      self.label = label
      self.reason = reason
    }

    /// One sentence for a person, without the answer.
    public var description: String {
      let name = label.map { "\($0) (\(path))" } ?? path
      switch reason {
      case .missing: return "\(name) is required."
      case .notAnOption(let allowed):
        return allowed.isEmpty
          ? "\(name) does not have this option."
          : "\(name) must be one of: \(allowed.joined(separator: ", "))."
      case .notChangeable: return "\(name) is fixed by the server and cannot be changed."
      case .unknown: return "The form has no field \(path)."
      case .wrongType(let kind):
        return "\(name) must be \(kind == .object ? "an" : "a") \(kind)."
      case .tooShort(let minimum): return "\(name) must have at least \(minimum) characters."
      case .tooLong(let maximum): return "\(name) must have at most \(maximum) characters."
      case .notAlphanumeric: return "\(name) must contain only letters and digits."
      case .breaksRules(let rules):
        let list = rules.map(\.description).joined(separator: ", ")
        return "\(name) does not follow these rules: \(list)."
      case .differs: return "The two entries for \(name) are different."
      }
    }
  }

  /// The name of the form's remediation.
  public let remediation: Remediation.Name
  /// The problems, in the order of the form; unknown fields come last.
  public let problems: [Problem]

  /// All sentences.
  public var description: String { problems.map(\.description).joined(separator: " ") }
  /// The description.
  public var errorDescription: String? { description }
}
