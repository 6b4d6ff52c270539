#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Everything that is wrong with the answers to a form, found before anything is sent.
public struct InvalidAnswers: Error, Sendable, Hashable, CustomStringConvertible {
  /// One thing that is wrong.
  public struct Problem: Sendable, Hashable, CustomStringConvertible {
    /// Why an answer cannot be sent.
    public enum Reason: Sendable, Hashable {
      /// The form requires it, and it is not answered.
      case missing
      /// It is none of the options; these are their labels, or values where they have none.
      case notAnOption(allowed: [String])
      /// The form fixes it, to another value.
      case notChangeable
      /// The form has no such field.
      case unknown
      /// It is of another type than the form wants.
      case wrongType(Remediation.Field.Kind)
      /// It has fewer characters than this.
      case tooShort(minimum: Int)
      /// It has more characters than this.
      case tooLong(maximum: Int)
      /// It has other characters than letters and digits (`format`, `alphanumeric`).
      case notAlphanumeric
      /// It breaks these rules for passwords.
      case breaksRules([PasswordRule])
      /// It is not the same as what was typed before.
      case differs
    }

    /// Which field, as a dotted path.
    public let path: String
    /// What a person calls the field; nil where the server does not say.
    public let label: String?
    /// Why.
    public let reason: Reason

    /// A problem of these parts.
    public init(path: String, label: String?, reason: Reason) {
      self.path = path
      self.label = label
      self.reason = reason
    }

    /// One sentence for a person, which does not repeat the answer.
    public var description: String {
      let name = label.map { "\($0) (\(path))" } ?? path
      switch reason {
      case .missing: return "\(name) is required."
      case .notAnOption(let allowed):
        return allowed.isEmpty
          ? "\(name) has no such option."
          : "\(name) must be one of: \(allowed.joined(separator: ", "))."
      case .notChangeable: return "\(name) is fixed by the server and cannot be changed."
      case .unknown: return "The form has no field \(path)."
      case .wrongType(let kind):
        return "\(name) must be \(kind == .object ? "an" : "a") \(kind)."
      case .tooShort(let minimum): return "\(name) must have at least \(minimum) characters."
      case .tooLong(let maximum): return "\(name) must have at most \(maximum) characters."
      case .notAlphanumeric: return "\(name) must have letters and digits alone."
      case .breaksRules(let rules):
        return "\(name) needs \(rules.map(\.description).joined(separator: ", "))."
      case .differs: return "\(name) was not typed the same twice."
      }
    }
  }

  /// The form.
  public let remediation: Remediation.Name
  /// What is wrong, in the order of the form, what the form does not know last.
  public let problems: [Problem]

  /// All the sentences.
  public var description: String { problems.map(\.description).joined(separator: " ") }
}

extension InvalidAnswers: LocalizedError {
  /// The sentence that ``description`` gives, for `localizedDescription`.
  public var errorDescription: String? { description }
}
