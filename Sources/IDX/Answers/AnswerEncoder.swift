public import IDXBase

extension Remediation {
  /// The request body that answers this form.
  ///
  /// It contains fixed values and defaults as they are, a nested object for each nested form, and the
  /// fields of each chosen option. Values keep the type of their field. Fields with the same name are
  /// merged. Throws all problems at once.
  public func body(answering answers: Answers) throws(InvalidAnswers) -> JSONValue {
    var encoder = AnswerEncoder(answers: SortedAnswers(answers))
    let object = encoder.encode(form, at: "")
    encoder.reportUnknown()
    guard encoder.problems.isEmpty else {
      throw InvalidAnswers(remediation: name, problems: encoder.problems)
    }
    return .object(object)
  }
}

extension Remediation.Field {
  /// The problem of an answer to this field alone, at a path; nil if the answer is valid.
  public func problem(with answer: Answer, at path: String) -> InvalidAnswers.Problem? {
    var encoder = AnswerEncoder(answers: SortedAnswers([path: answer]))
    _ = encoder.encode(self, at: path)
    return encoder.problems.first { $0.path == path }
  }
}

/// Encodes the answers to a form and collects the problems.
private struct AnswerEncoder {
  let answers: SortedAnswers
  private(set) var problems: [InvalidAnswers.Problem] = []
  /// Whether the field of each answer has been found.
  private var isUsed: [Bool]

  init(answers: SortedAnswers) {
    self.answers = answers
    isUsed = Array(repeating: false, count: answers.entries.count)
  }

  mutating func encode(_ form: Remediation.Form, at prefix: String) -> JSONValue.Object {
    var members: [JSONValue.Object.Member] = []
    members.reserveCapacity(form.fields.count)
    for field in form.fields {
      let name = field.name
      guard !name.isEmpty, let value = encode(field, at: prefix.isEmpty ? name : prefix + name)
      else { continue }
      members.append(JSONValue.Object.Member(name, value))
    }
    return JSONValue.Object(merging: members)
  }

  /// Reports the answers whose field does not exist.
  mutating func reportUnknown() {
    for (index, entry) in answers.entries.enumerated() where !isUsed[index] {
      report(.unknown, at: entry.path, nil)
    }
  }

  mutating func encode(_ field: Remediation.Field, at path: String) -> JSONValue? {
    let index = answers.index(of: path)
    if let index { isUsed[index] = true }
    let answer = index.map { answers.entries[$0].answer }
    if !field.isMutable, let value = field.value {
      if let answer, answer != .value(value) { report(.notChangeable, at: path, field) }
      return value
    }
    let choices = field.choices
    if !choices.isEmpty { return encodeChoice(of: choices, for: field, at: path, answer) }
    if let form = field.form { return encodeNested(form, of: field, at: path, answer) }
    guard let answer else { return encodeDefault(of: field, at: path) }
    guard case .value(let value) = answer else {
      report(.notAnOption(allowed: []), at: path, field)
      return nil
    }
    return encode(value, for: field, at: path)
  }

  private mutating func encodeNested(
    _ form: Remediation.Form, of field: Remediation.Field, at path: String, _ answer: Answer?
  ) -> JSONValue? {
    if answer != nil { report(.wrongType(.object), at: path, field) }
    let before = problems.count
    let object = encode(form, at: path + ".")
    let isAnswered = answers.hasAny(below: path)
    // An explicitly optional object may be left out, even if it has required members.
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
    of choices: [Remediation.Field.Option], for field: Remediation.Field, at path: String,
    _ answer: Answer?
  ) -> JSONValue? {
    guard let answer else {
      let value = answers.hasAny(below: path) ? encodeFirstMatch(of: choices, at: path) : nil
      return value.map { converted($0, for: field) } ?? encodeDefault(of: field, at: path)
    }
    let matching = choices.indices.filter { choices[$0].matches(answer, at: $0) }
      .map { choices[$0] }
    guard let first = matching.first else {
      let allowed = choices.compactMap { $0.label ?? $0.value?.plainText }
      report(.notAnOption(allowed: allowed), at: path, field)
      return nil
    }
    if matching.count == 1 { return converted(encode(first, at: path), for: field) }
    return converted(
      encodeFirstMatch(of: matching, at: path, orFirst: true), for: field)
  }

  /// Encodes the first of the options (which may share a name) whose form takes all answers below the path.
  ///
  /// If there is none, encodes the first option and reports its problems, or does nothing. Every option
  /// is encoded once, because choices can be nested.
  private mutating func encodeFirstMatch(
    of options: [Remediation.Field.Option], at path: String, orFirst: Bool = false
  ) -> JSONValue? {
    let inside = path + "."
    let open = answers.entries.indices.filter {
      !isUsed[$0] && answers.entries[$0].path.hasPrefix(inside)
    }
    var first: (trial: AnswerEncoder, value: JSONValue?)?
    for option in options {
      var trial = self
      trial.problems = []
      let value = trial.encode(option, at: path)
      if trial.problems.isEmpty, open.allSatisfy({ trial.isUsed[$0] }) {
        add(trial)
        return value
      }
      first = first ?? (trial, value)
    }
    guard orFirst, let first else { return nil }
    add(first.trial)
    return first.value
  }

  private mutating func add(_ trial: AnswerEncoder) {
    problems += trial.problems
    isUsed = trial.isUsed
  }

  /// The value of an option; wrapped options of a boolean field have texts as their values.
  private func converted(_ value: JSONValue?, for field: Remediation.Field) -> JSONValue? {
    guard field.type == .boolean, field.hasWrappedOptions,
      let flag = value?.string.flatMap(Bool.init)
    else { return value }
    return .bool(flag)
  }

  private mutating func encode(_ option: Remediation.Field.Option, at path: String) -> JSONValue? {
    option.form.map { .object(encode($0, at: path + ".")) } ?? option.value
  }

  private mutating func encode(
    _ value: JSONValue, for field: Remediation.Field, at path: String
  ) -> JSONValue? {
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
    // Servers count characters in different ways. Only a text that breaks the limit by every way to
    // count is reported.
    if let minimum = field.minimumLength, text.utf16.count < minimum {
      report(.tooShort(minimum: minimum), at: path, field)
    }
    if let maximum = field.maximumLength, text.count > maximum {
      report(.tooLong(maximum: maximum), at: path, field)
    }
    if field.format == .alphanumeric, !text.utf8.allSatisfy(\.isASCIIAlphanumeric) {
      report(.notAlphanumeric, at: path, field)
    }
    return .string(text)
  }

  /// The value of a field without an answer.
  private mutating func encodeDefault(of field: Remediation.Field, at path: String) -> JSONValue? {
    if let value = field.defaultValue { return value }
    if field.isRequired { report(.missing, at: path, field) }
    return nil
  }

  private mutating func report(
    _ reason: InvalidAnswers.Problem.Reason, at path: String, _ field: Remediation.Field?
  ) {
    problems.append(InvalidAnswers.Problem(path: path, label: field?.label, reason: reason))
  }
}

/// All answers except empty texts and `null`, sorted by path.
///
/// A form has few answers: comparing their paths takes less time than hashing the path of each field.
private struct SortedAnswers {
  let entries: [(path: String, answer: Answer)]

  init(_ answers: Answers) {
    entries = answers.entries.lazy.filter { !$0.value.isEmpty }
      .map { (path: $0.key, answer: $0.value) }
      .sorted { $0.path < $1.path }
  }

  /// The position of the answer at a path.
  func index(of path: String) -> Int? {
    var range = entries.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      if entries[middle].path == path { return middle }
      range =
        entries[middle].path < path
        ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// Whether there is an answer below a path, such as `credentials.passcode` below `credentials`.
  func hasAny(below path: String) -> Bool {
    let inside = path + "."
    return entries.contains { $0.path.hasPrefix(inside) }
  }
}

extension Answer {
  /// Whether it counts as no answer, like a field that a person left empty.
  fileprivate var isEmpty: Bool { self == .value(.string("")) || self == .value(.null) }
}

extension JSONValue {
  /// The number, also if it is written as a string; nil for anything else.
  fileprivate var number: JSONValue? {
    if case .number = self { return self }
    guard let text = string, let read = try? JSONValue(parsing: text.utf8), case .number = read
    else { return nil }
    return read
  }
}

extension JSONValue.Object {
  /// An object in which each name occurs once: of several members with a name, the last one counts, and
  /// objects are merged.
  fileprivate init(merging members: [Member]) {
    guard Self.hasRepeatedName(members) else {
      self.init(members)
      return
    }
    // All values of a name are merged at once, because there can be very many.
    var positions: [String: Int] = [:]
    var groups: [(name: String, values: [JSONValue])] = []
    for member in members {
      if let position = positions[member.name] {
        groups[position].values.append(member.value)
      } else {
        positions[member.name] = groups.count
        groups.append((member.name, [member.value]))
      }
    }
    self.init(
      groups.map { name, values in
        let objects = values.reversed().prefix { $0.object != nil }.reversed()
        let inside = objects.flatMap { $0.object?.members ?? [] }
        let value = objects.count > 1 ? .object(Self(merging: inside)) : values[values.count - 1]
        return Member(name, value)
      })
  }

  private static func hasRepeatedName(_ members: [Member]) -> Bool {
    // To compare all names is faster for few members, and too slow for many.
    guard members.count <= 32 else { return Set(members.map(\.name)).count < members.count }
    return members.indices.contains { index in
      members[..<index].contains { $0.name == members[index].name }
    }
  }
}
