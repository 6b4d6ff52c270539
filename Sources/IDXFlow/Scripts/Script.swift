import IDXOAuth
public import IDXBase
public import IDX

/// Answers written down beforehand, one entry for each response that asks for something.
///
///     [
///       {"step": "identify", "fields": {"identifier": "ada@example.com"}},
///       {"step": "challenge-authenticator", "choose": "google_otp",
///        "fields": {"credentials.passcode": {"totp": true}}}
///     ]
public struct Script: Sendable {
  /// One entry, which stands for one request.
  public struct Entry: Sendable {
    /// The form to answer: a remediation, an action beside them, or one of an authenticator.
    public let step: Remediation.Name
    /// The option to pick, by the key or the type of its authenticator, or by its label; nil where
    /// none is to be picked.
    public let choice: String?
    /// The values by dotted path.
    ///
    /// `{"totp": true}` stands for the code of the moment.
    public let fields: [String: JSONValue]
  }

  /// The entries, in order.
  public let entries: [Entry]

  /// Reads a script from the bytes of its JSON.
  ///
  /// Throws a ``FlowError`` that names the entry at fault.
  public init(parsing bytes: some Sequence<UInt8>) throws {
    func invalid(_ message: String, _ cause: (any Error)? = nil) -> FlowError {
      FlowError(.invalidConfiguration, message, underlying: cause)
    }
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch {
      throw invalid("The script cannot be read. \(error)", error)
    }
    guard let elements = json.array else {
      throw invalid("The script must be a JSON array of entries such as {\"step\": \"identify\"}.")
    }
    entries = try elements.enumerated().map { index, element in
      let place = "Entry \(index + 1) of the script"
      guard let step = element["step"]?.string, !step.isEmpty else {
        throw invalid("\(place) has no “step” that names a form.")
      }
      let names = element.object?.members.map(\.name) ?? []
      if let odd = names.first(where: { !["step", "choose", "fields"].contains($0) }) {
        throw invalid("\(place) has “\(odd)”; it may have “step”, “choose” and “fields”.")
      }
      guard element["choose"] == nil || element["choose"]?.string != nil else {
        throw invalid("\(place) must have a text for “choose”.")
      }
      guard element["fields"] == nil || element["fields"]?.object != nil else {
        throw invalid("\(place) must have an object of values by path for “fields”.")
      }
      let fields = element["fields"]?.object?.members ?? []
      return Entry(
        step: Remediation.Name(rawValue: step), choice: element["choose"]?.string,
        fields: Dictionary(fields.map { ($0.name, $0.value) }) { $1 })
    }
  }
}

// Values are passwords and codes.
extension Script: Redacted {
  /// The steps that it answers, without what it answers.
  public var description: String {
    "script for " + entries.map(\.step.rawValue).joined(separator: ", ")
  }
}

extension Script.Entry: Redacted {
  /// The step and the paths, without the values.
  public var description: String {
    "\(step): " + fields.keys.sorted().joined(separator: ", ")
  }
}
