public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Why bytes are not an IDX response.
public enum IDXResponseError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The bytes are no JSON, too deep, or too large.
  case notJSON(JSONError)
  /// The JSON is no object.
  case notAnObject
  /// The object has none of the members that make an IDX response; these are the names it has.
  case notIDX(names: [String])

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .notJSON(let error): return error.description
    case .notAnObject: return "It is JSON, but no object, so it is no IDX response."
    case .notIDX(let names):
      let known = IDXResponse.identifyingNames.map(\.description).joined(separator: ", ")
      let found =
        names.isEmpty ? "is empty" : "holds only " + names.prefix(8).joined(separator: ", ")
      return "It is no IDX response: it \(found), and none of \(known)."
    }
  }
}

extension IDXResponseError: LocalizedError {
  /// The sentence that ``description`` gives, for `localizedDescription`.
  public var errorDescription: String? { description }
}
