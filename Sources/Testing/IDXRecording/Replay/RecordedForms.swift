import IDXBase
import IDXOAuth

/// The forms that a recorded response of Identity Engine offers, read without the code of the client, so
/// that a replay finds mistakes of the client.
struct RecordedForms {
  private struct Form {
    let method: String
    let path: String
    let fields: [JSONValue]
  }

  private var forms: [Form] = []

  init(_ response: JSONValue) { visit(response) }

  private mutating func visit(_ value: JSONValue) {
    if let object = value.object {
      if let address = value["href"]?.string, value["name"]?.string != nil {
        let form = Form(
          method: value["method"]?.string?.uppercased() ?? "POST",
          path: AddressParts(address)?.path ?? address,
          fields: value["value"]?.array ?? [])
        forms.append(form)
      }
      for member in object.members { visit(member.value) }
    } else {
      for element in value.array ?? [] { visit(element) }
    }
  }

  /// What is wrong with a request, in sentences; empty if one of the forms offers it.
  func mistakes(of body: JSONValue, method: String, path: String) -> [String] {
    let offered = forms.filter { $0.method == method && $0.path == path }
    guard !offered.isEmpty else {
      return ["The response before it offers no form for this address."]
    }
    let mistakes = offered.map { Self.mistakes(in: body, fields: $0.fields, at: "") }
    return mistakes.min { $0.count < $1.count } ?? []
  }

  private static func mistakes(
    in body: JSONValue, fields: [JSONValue], at place: String
  ) -> [String] {
    guard let members = body.object?.members else {
      return ["“\(place.isEmpty ? "The body" : place)” is not an object."]
    }
    var mistakes: [String] = []
    let names = Set(fields.compactMap { $0["name"]?.string })
    for member in members where !names.contains(member.name) {
      mistakes.append("“\(place)\(member.name)” is not a field of the form.")
    }
    for field in merged(fields) {
      guard let name = field["name"]?.string else { continue }
      guard let value = body[name] else {
        if field["required"]?.bool == true { mistakes.append("“\(place)\(name)” is missing.") }
        continue
      }
      mistakes += Self.mistakes(in: value, field: field, at: place + name)
    }
    return mistakes
  }

  private static func mistakes(
    in value: JSONValue, field: JSONValue, at place: String
  ) -> [String] {
    if field["mutable"]?.bool == false, let fixed = field["value"], fixed.object == nil,
      value != fixed
    {
      return ["“\(place)” is fixed, and was changed."]
    }
    let options = field["options"]?.array ?? []
    let choices = options.compactMap(nested)
    if !choices.isEmpty {
      let fits = choices.contains { mistakes(in: value, fields: $0, at: place + ".").isEmpty }
      return fits ? [] : ["“\(place)” is not one of its options."]
    }
    let values = options.compactMap { $0["value"] }.filter { $0.plainText != nil }
    if !values.isEmpty, !values.contains(value) { return ["“\(place)” is not one of its options."] }
    if let fields = nested(field) { return mistakes(in: value, fields: fields, at: place + ".") }
    if field["type"]?.string == "boolean", value.bool == nil {
      return ["“\(place)” is not a boolean."]
    }
    return []
  }

  /// The fields, with those of the same name as one whose form has the fields of all.
  private static func merged(_ fields: [JSONValue]) -> [JSONValue] {
    var merged: [JSONValue] = []
    for field in fields {
      let index = merged.firstIndex { $0["name"] == field["name"] }
      guard let index, let own = nested(merged[index]), let more = nested(field) else {
        merged.append(field)
        continue
      }
      merged[index] = merged[index].adding("form", ["value": .array(own + more)])
    }
    return merged
  }

  private static func nested(_ owner: JSONValue) -> [JSONValue]? {
    (owner["form"] ?? owner["value"]?["form"])?["value"]?.array
  }
}
