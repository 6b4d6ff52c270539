import IDX
import IDXBase
import IDXOAuth
import IDXRecording

/// The entries of a script that makes the same sign-in as a recording.
///
/// The recording has only stand-ins for what a person entered, so the script reads it from variables. Somebody else may
/// have made the recording, so these have names of their own, and nothing else of it makes the script read something.
struct RecordedScript {
  private(set) var entries: [JSONValue] = []
  /// The names of the variables, in the order of their use.
  private(set) var variables: [String] = []
  /// The paths of fields that are not in the script, because their values are no texts, numbers or truth values.
  private(set) var omitted: [String] = []
  /// What the names of all variables begin with.
  static let prefix = "IDX_ANSWER_"
  /// The recorded value of each variable.
  private var values: [String: JSONValue] = [:]

  init(_ recording: Recording) {
    var response: IDXResponse?
    var lastPoll: Remediation.Name?
    for exchange in recording.exchanges {
      if let form = response?.allForms.first(where: { Self.isFor(exchange.request, $0) }),
        let body = try? JSONValue(parsing: exchange.request.body)
      {
        // One entry waits until the person has decided.
        if !(form.isPolled && form.name == lastPoll) { add(form, body) }
        lastPoll = form.isPolled ? form.name : nil
      }
      if case .success(let received) = exchange.result,
        let new = try? IDXResponse(parsing: received.body), !new.allForms.isEmpty
      {
        response = new
      }
    }
  }

  /// The script as JSON, one entry on each line.
  var text: String { "[\n" + entries.map { "  \($0.text)" }.joined(separator: ",\n") + "\n]\n" }

  private static func isFor(_ request: TransportRequest, _ form: Remediation) -> Bool {
    guard form.href == request.url.absoluteString,
      let body = try? JSONValue(parsing: request.body), let members = body.object?.members
    else { return false }
    return members.allSatisfy { form.form[$0.name] != nil }
  }

  private mutating func add(_ form: Remediation, _ body: JSONValue) {
    var answer = Answer(authenticator: form.authenticators.first?.key?.rawValue)
    add(form.form.fields, in: body, at: "", to: &answer)
    let entry: JSONValue = ["step": .string(form.name.rawValue)]
    entries.append(
      entry.adding("choose", answer.choice.map(JSONValue.string))
        .adding("fields", .object(.init(answer.fields)), if: !answer.fields.isEmpty))
  }

  /// What an entry has besides the step.
  private struct Answer {
    let authenticator: String?
    var choice: String?
    var fields: [JSONValue.Object.Member] = []
  }

  private mutating func add(
    _ fields: [Remediation.Field], in values: JSONValue, at place: String, to answer: inout Answer
  ) {
    for field in fields where !field.isFixed {
      guard let value = values[field.name] else { continue }
      let path = place + field.name
      if let option = field.choices.first(where: { Self.isChosen($0, in: value) }),
        let form = option.form
      {
        answer.choice = option.authenticator?.key?.rawValue ?? option.label
        add(form.fields, in: value, at: path + ".", to: &answer)
      } else if let form = field.form {
        add(form.fields, in: value, at: path + ".", to: &answer)
      } else if value.object != nil || value.array != nil {
        // As the value of a field, {"file": "…"} and {"env": "…"} stand for what is there.
        omitted.append(path)
      } else if value.string == nil || !field.choices.isEmpty {
        answer.fields.append(.init(path, value))
      } else {
        let words = [place.isEmpty ? nil : answer.authenticator, field.name].compactMap(\.self)
        let name = variable(for: value, words)
        answer.fields.append(.init(path, ["env": .string(name)]))
      }
    }
  }

  /// The name of the variable for a value; values that differ, such as a wrong password and the right one, have
  /// variables of their own.
  private mutating func variable(for value: JSONValue, _ words: [String]) -> String {
    // The server chose the words, which must not be the name of a variable with another purpose.
    let allowed = words.joined(separator: "_").uppercased().map { character in
      character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
    }
    let first = Self.prefix + String(allowed)
    var name = first
    var number = 2
    while let other = values[name], other != value {
      name = "\(first)_\(number)"
      number += 1
    }
    if values.updateValue(value, forKey: name) == nil { variables.append(name) }
    return name
  }

  /// Whether a value has only fields of an option, and what the option fixes, such as the ID of its
  /// authenticator.
  private static func isChosen(_ option: Remediation.Field.Option, in value: JSONValue) -> Bool {
    guard let form = option.form, let members = value.object?.members else { return false }
    return members.allSatisfy { form[$0.name] != nil }
      && form.fields.filter(\.isFixed).allSatisfy { value[$0.name] == $0.value }
  }
}
