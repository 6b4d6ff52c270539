import IDX
import IDXBase
import IDXOAuth
import IDXRecording

/// The entries of a script that makes the same sign-in as a recording.
///
/// The recording has only stand-ins for what a person entered, so the script reads it from variables.
struct RecordedScript {
  private(set) var entries: [JSONValue] = []
  /// The names of the variables, in the order of their use.
  private(set) var variables: [String] = []

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
      if case .response(let answer) = exchange.result,
        let new = try? IDXResponse(parsing: answer.body), !new.allForms.isEmpty
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
    let authenticator = form.authenticators.first?.key?.rawValue
    var fields: [JSONValue.Object.Member] = []
    var choice: String?
    for field in form.form.fields where !field.isFixed {
      guard let value = body[field.name] else { continue }
      if let option = field.choices.first(where: { Self.isChosen($0, in: value) }) {
        choice = option.authenticator?.key?.rawValue ?? option.label
        if let method = value["methodType"], option.form?["methodType"]?.isFixed == false {
          fields.append(.init("\(field.name).methodType", method))
        }
      } else {
        add(value, at: field.name, authenticator, to: &fields)
      }
    }
    let entry: JSONValue = ["step": .string(form.name.rawValue)]
    entries.append(
      entry.adding("choose", choice.map(JSONValue.string))
        .adding("fields", .object(.init(fields)), if: !fields.isEmpty))
  }

  private mutating func add(
    _ value: JSONValue, at path: String, _ authenticator: String?,
    to fields: inout [JSONValue.Object.Member]
  ) {
    if let object = value.object {
      for member in object.members {
        add(member.value, at: "\(path).\(member.name)", authenticator, to: &fields)
      }
    } else if value.string == nil {
      fields.append(.init(path, value))
    } else {
      let last = path.split(separator: ".").last.map(String.init) ?? path
      let words = [last == path ? nil : authenticator, last].compactMap(\.self)
      let name = words.joined(separator: "_").uppercased()
      if !variables.contains(name) { variables.append(name) }
      fields.append(.init(path, ["env": .string(name)]))
    }
  }

  /// Whether a value has what an option fixes, such as the ID of its authenticator.
  private static func isChosen(_ option: Remediation.Field.Option, in value: JSONValue) -> Bool {
    guard let form = option.form else { return option.value == value }
    return form.fields.filter(\.isFixed).allSatisfy { field in
      guard let fixed = field.value else { return true }
      return value[field.name] == fixed
    }
  }
}
