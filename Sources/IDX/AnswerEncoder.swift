public import IDXBase

extension Remediation {
  /// The body of the request that answers this form.
  ///
  /// Every field is walked: fixed values and defaults are copied as they are, a nested form becomes a
  /// nested object, a chosen option brings the fields of its own form, types are kept. Fields of one
  /// name are merged. Throws everything that is wrong at once. Source: protocol section 1.5.
  public func body(answering answers: Answers) throws(InvalidAnswers) -> JSONValue {
    var encoder = AnswerEncoder(answers: answers)
    let object = encoder.encode(form, at: "")
    encoder.reportUnknown()
    guard encoder.problems.isEmpty else {
      throw InvalidAnswers(remediation: name, problems: encoder.problems)
    }
    return .object(object)
  }
}

/// Walks a form with the answers to it.
struct AnswerEncoder {
  let answers: Answers
  private(set) var problems: [InvalidAnswers.Problem] = []
  /// The paths that are answered and were met.
  private var met: Set<String> = []

  /// Starts with the answers that are given: an empty text and `null` are none.
  init(answers: Answers) {
    let hasEmpty = answers.entries.values.contains { $0.isEmpty }
    self.answers = hasEmpty ? Answers(answers.entries.filter { !$0.value.isEmpty }) : answers
  }

  mutating func encode(_ form: Remediation.Form, at prefix: String) -> JSONValue.Object {
    var object = JSONValue.Object()
    object.members.reserveCapacity(form.fields.count)
    // Looking through what is there is faster while that is little, and takes too long when it is not.
    var known: Set<String> = []
    let isLong = form.fields.count > 32
    for field in form.fields {
      let name = field.name
      guard !name.isEmpty, let value = encode(field, at: prefix + name) else { continue }
      if isLong, known.insert(name).inserted {
        object.members.append(JSONValue.Object.Member(name, value))
      } else {
        object.merge(value, at: name)
      }
    }
    return object
  }

  /// Says which answers met no field.
  mutating func reportUnknown() {
    guard met.count < answers.entries.count else { return }
    for path in answers.entries.keys.sorted() where !met.contains(path) {
      report(.unknown, at: path, nil)
    }
  }

  mutating func encode(_ field: Remediation.Field, at path: String) -> JSONValue? {
    let answer = answers[path]
    if answer != nil { met.insert(path) }
    if !field.isMutable, let value = field.value {
      if let answer, answer != .value(value) { report(.notChangeable, at: path, field) }
      return value
    }
    let choices = field.choices
    if !choices.isEmpty { return encodeChoice(of: choices, for: field, at: path) }
    if let form = field.form { return encodeNested(form, of: field, at: path) }
    guard let answer else { return unanswered(field, at: path) }
    guard case .value(let value) = answer else {
      report(.notAnOption(allowed: []), at: path, field)
      return nil
    }
    return encode(value, for: field, at: path)
  }

  private mutating func encodeNested(
    _ form: Remediation.Form, of field: Remediation.Field, at path: String
  ) -> JSONValue? {
    if answers[path] != nil { report(.wrongType(.object), at: path, field) }
    let before = problems.count
    let object = encode(form, at: path + ".")
    let isAnswered = answers.hasAny(below: path)
    // Who says that a whole object may be left out means it, whatever its members require.
    if problems.count > before, !isAnswered, field.isExplicitlyOptional {
      problems.removeSubrange(before...)
      return nil
    }
    guard object.members.isEmpty else { return .object(object) }
    if field.isRequired, problems.count == before {
      let open = form.fields.filter { !$0.isFixed && !$0.name.isEmpty }
      let inner = open.count == 1 ? open.first : nil
      report(.missing, at: inner.map { path + "." + $0.name } ?? path, inner ?? field)
    }
    return nil
  }

  private mutating func encodeChoice(
    of choices: [Remediation.Field.Option], for field: Remediation.Field, at path: String
  ) -> JSONValue? {
    guard let answer = answers[path] else {
      let fitting = answers.hasAny(below: path) ? encodeFitting(choices, at: path) : nil
      return fitting.map { typed($0, for: field) } ?? unanswered(field, at: path)
    }
    let matching = choices.indices.filter { choices[$0].matches(answer, at: $0) }
      .map { choices[$0] }
    guard let first = matching.first else {
      let allowed = choices.compactMap { $0.label ?? $0.value?.plainText }
      report(.notAnOption(allowed: allowed), at: path, field)
      return nil
    }
    return typed(encodeFitting(matching, at: path) ?? encode(first, at: path), for: field)
  }

  /// Encodes the first option whose form takes all answers below the path: several may bear one
  /// name.
  ///
  /// Nil where none does.
  private mutating func encodeFitting(_ options: [Remediation.Field.Option], at path: String)
    -> JSONValue?
  {
    let answered = answers.entries.keys.filter { $0.hasPrefix(path + ".") }
    for option in options {
      var trial = self
      let value = trial.encode(option, at: path)
      guard trial.problems.count == problems.count, answered.allSatisfy(trial.met.contains)
      else { continue }
      self = trial
      return value
    }
    return nil
  }

  /// Where options only say how a yes or no is to be drawn, their values are texts.
  private func typed(_ value: JSONValue?, for field: Remediation.Field) -> JSONValue? {
    guard field.type == .boolean, field.drawing != nil, let flag = value?.string.flatMap(Bool.init)
    else { return value }
    return .bool(flag)
  }

  private mutating func encode(_ option: Remediation.Field.Option, at path: String) -> JSONValue? {
    option.form.map { .object(encode($0, at: path + ".")) } ?? option.value
  }

  private mutating func encode(_ value: JSONValue, for field: Remediation.Field, at path: String)
    -> JSONValue?
  {
    if field.isBoolean {
      guard let flag = value.bool ?? value.string.flatMap({ Bool($0.lowercased()) }) else {
        report(.wrongType(.boolean), at: path, field)
        return nil
      }
      return .bool(flag)
    }
    if field.isNumber, let number = value.number { return number }
    guard field.type == nil || field.type == .string else { return value }
    guard let text = value.plainText else {
      report(.wrongType(.string), at: path, field)
      return nil
    }
    // Servers differ in what is a character: only what is too short or too long by any count is told.
    if let minimum = field.minimumLength, text.utf16.count < minimum {
      report(.tooShort(minimum: minimum), at: path, field)
    }
    if let maximum = field.maximumLength, text.count > maximum {
      report(.tooLong(maximum: maximum), at: path, field)
    }
    if field.format == .alphanumeric, !text.isAlphanumeric {
      report(.notAlphanumeric, at: path, field)
    }
    return .string(text)
  }

  private mutating func unanswered(_ field: Remediation.Field, at path: String) -> JSONValue? {
    if field.hasDefault { return field.value }
    if field.isRequired { report(.missing, at: path, field) }
    return nil
  }

  private mutating func report(
    _ reason: InvalidAnswers.Problem.Reason, at path: String, _ field: Remediation.Field?
  ) {
    problems.append(InvalidAnswers.Problem(path: path, label: field?.label, reason: reason))
  }
}

extension String {
  /// Whether it holds letters and digits of ASCII alone.
  fileprivate var isAlphanumeric: Bool {
    utf8.allSatisfy { byte in
      (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
    }
  }
}

extension Answer {
  /// Whether it says nothing, as a field that a person left empty does.
  fileprivate var isEmpty: Bool { self == .value(.string("")) || self == .value(.null) }
}

extension Remediation.Field {
  /// Whether the server has fixed the value: it is sent back as it is.
  public var isFixed: Bool { !isMutable && raw.plainValue != nil }

  /// Whether it is a yes or no.
  ///
  /// A field without a type is what its default is.
  package var isBoolean: Bool { type == .boolean || (type == nil && value?.bool != nil) }

  fileprivate var isNumber: Bool {
    if type == "number" || type == "integer" { return true }
    guard type == nil, case .number? = value else { return false }
    return true
  }
}

extension JSONValue {
  /// The number, also where it was typed as a text; nil for anything else.
  fileprivate var number: JSONValue? {
    if case .number = self { return self }
    guard let text = string, let read = try? JSONValue(parsing: text.utf8), case .number = read
    else { return nil }
    return read
  }

  /// A text, number or boolean as the characters that a person would type; nil for anything else.
  var plainText: String? {
    switch self {
    case .string(let text): text
    case .number(let number): number.literal
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }
}

extension JSONValue.Object {
  /// Sets a member, or adds the members of an object to those of the object that is already there.
  fileprivate mutating func merge(_ value: JSONValue, at name: String) {
    guard let known = self[name] else {
      members.append(JSONValue.Object.Member(name, value))
      return
    }
    guard case .object(let new) = value, case .object(var old) = known else {
      self[name] = value
      return
    }
    for member in new.members { old.merge(member.value, at: member.name) }
    self[name] = .object(old)
  }
}

extension Remediation.Field {
  /// What is wrong with an answer to this field alone, which stands at a path; nil where it fits.
  public func problem(with answer: Answer, at path: String) -> InvalidAnswers.Problem? {
    var encoder = AnswerEncoder(answers: [path: answer])
    _ = encoder.encode(self, at: path)
    return encoder.problems.first { $0.path == path }
  }
}
