public import IDXBase

extension Remediation {
  /// The request body that answers this form.
  ///
  /// It contains fixed values and defaults as they are, a nested object for each nested form, and the
  /// fields of each chosen option. Values keep the type of their field. Fields with the same name are
  /// merged. Throws all problems at once.
  public func body(answering answers: Answers) throws(InvalidAnswers) -> JSONValue {
    try encoding(answers).json
  }

  /// The answers as the body that is sent; throws all problems at once, like ``body(answering:)``.
  package func encoding(_ answers: Answers) throws(InvalidAnswers) -> EncodedAnswers {
    var encoder = AnswerEncoder(answers)
    let members = encoder.encode(form, at: "")
    if !encoder.answers.areAllUsed { encoder.reportUnknown() }
    guard encoder.problems.isEmpty else {
      throw InvalidAnswers(remediation: name, problems: encoder.problems)
    }
    return EncodedAnswers(body: .object(members))
  }
}

/// A request body that answers a form.
package struct EncodedAnswers: Sendable, Redacted {
  fileprivate let body: BodyValue

  /// Nothing of the body.
  package var description: String { "encoded answers" }

  /// The body as a value.
  package var json: JSONValue { body.json }

  /// The body as UTF-8 JSON, in which the values of the response are copied as they were sent.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    // Most bodies fit into this capacity, so that the bytes are allocated once.
    bytes.reserveCapacity(480)
    body.write(to: &bytes)
    return bytes
  }
}

extension Remediation.Field {
  /// The problem of an answer to this field alone, at a path; nil if the answer is valid.
  public func problem(with answer: Answer, at path: String) -> InvalidAnswers.Problem? {
    var encoder = AnswerEncoder([path: answer])
    _ = encoder.encode(self, at: FieldPath(prefix: "", name: path))
    return encoder.problems.first { $0.path == path }
  }
}

/// A value of a body.
private enum BodyValue: Sendable {
  /// A value of the response, as it was sent.
  case sent(RawJSON)
  /// An answer.
  case new(JSONValue)
  /// An object, in which each name occurs once.
  case object([Member])

  struct Member: Sendable {
    let name: String
    let value: BodyValue
  }

  var json: JSONValue {
    switch self {
    case .sent(let raw): raw.json
    case .new(let value): value
    case .object(let members):
      .object(JSONValue.Object(members.map { JSONValue.Object.Member($0.name, $0.value.json) }))
    }
  }

  func write(to bytes: inout [UInt8]) {
    switch self {
    case .sent(let raw): bytes += raw.bytes
    case .new(let value): bytes.write(value)
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      // Iterating over the members would retain each of them.
      for index in members.indices {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.write(members[index].name)
        bytes.append(UInt8(ascii: ":"))
        members[index].value.write(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }
}

/// Encodes the answers to a form and collects the problems.
private struct AnswerEncoder {
  private(set) var answers: SortedAnswers
  private(set) var problems: [InvalidAnswers.Problem] = []

  init(_ answers: Answers) { self.answers = SortedAnswers(answers) }

  mutating func encode(_ form: Remediation.Form, at prefix: String) -> [BodyValue.Member] {
    var members: [BodyValue.Member] = []
    members.reserveCapacity(form.fields.count)
    for field in form.fields {
      let name = field.name
      guard !name.isEmpty,
        let value = encode(field, at: FieldPath(prefix: prefix, name: name))
      else { continue }
      members.append(BodyValue.Member(name: name, value: value))
    }
    return BodyValue.hasRepeatedName(members) ? BodyValue.merged(members) : members
  }

  /// Reports the answers whose field does not exist.
  mutating func reportUnknown() {
    for path in answers.entries.filter({ !$0.isUsed }).map(\.path).sorted() {
      problems.append(InvalidAnswers.Problem(path: path, label: nil, reason: .unknown))
    }
  }

  mutating func encode(_ field: Remediation.Field, at path: FieldPath) -> BodyValue? {
    let answer = answers.use(path)
    if field.isFixed, let value = field.raw.plainValue {
      if let answer, answer.json != value.json { report(.notChangeable, at: path, field) }
      return .sent(value)
    }
    let choices = field.choices
    if !choices.isEmpty { return encodeChoice(of: choices, for: field, at: path, answer) }
    if let form = field.form { return encodeNested(form, of: field, at: path, answer) }
    guard let answer else { return encodeDefault(of: field, at: path) }
    guard let value = answer.json else {
      report(.notAnOption(allowed: []), at: path, field)
      return nil
    }
    return encode(value, for: field, at: path).map(BodyValue.new)
  }

  private mutating func encodeNested(
    _ form: Remediation.Form, of field: Remediation.Field, at path: FieldPath, _ answer: Answer?
  ) -> BodyValue? {
    if answer != nil { report(.wrongType(.object), at: path, field) }
    let before = problems.count
    let members = encode(form, at: path.inside)
    // An explicitly optional object may be left out, even if it has required members.
    if problems.count > before, field.isExplicitlyOptional, !answers.hasAny(inside: path.inside) {
      problems.removeSubrange(before...)
      return nil
    }
    guard members.isEmpty else { return .object(members) }
    if field.isRequired, problems.count == before {
      let open = form.fields.filter { !$0.isFixed && !$0.name.isEmpty }
      let inner = open.count == 1 ? open.first : nil
      report(
        .missing, at: inner.map { FieldPath(prefix: path.inside, name: $0.name) } ?? path,
        inner ?? field)
    }
    return nil
  }

  private mutating func encodeChoice(
    of choices: [Remediation.Field.Option], for field: Remediation.Field, at path: FieldPath,
    _ answer: Answer?
  ) -> BodyValue? {
    guard let answer else {
      let value =
        answers.hasAny(inside: path.inside) ? encodeFirstMatch(of: choices, at: path) : nil
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
    of options: [Remediation.Field.Option], at path: FieldPath, orFirst: Bool = false
  ) -> BodyValue? {
    let inside = path.inside
    let open = answers.entries.indices.filter {
      !answers.entries[$0].isUsed && answers.entries[$0].path.hasPrefix(inside)
    }
    var first: (trial: AnswerEncoder, value: BodyValue?)?
    for option in options {
      var trial = self
      trial.problems = []
      let value = trial.encode(option, at: path)
      if trial.problems.isEmpty, open.allSatisfy({ trial.answers.entries[$0].isUsed }) {
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
    answers = trial.answers
  }

  /// The value of an option; wrapped options of a boolean field have texts as their values.
  private func converted(_ value: BodyValue?, for field: Remediation.Field) -> BodyValue? {
    guard field.type == .boolean, field.hasWrappedOptions,
      let flag = value?.json.string.flatMap(Bool.init)
    else { return value }
    return .new(.bool(flag))
  }

  private mutating func encode(_ option: Remediation.Field.Option, at path: FieldPath) -> BodyValue?
  {
    option.form.map { .object(encode($0, at: path.inside)) }
      ?? option.raw.plainValue.map(BodyValue.sent)
  }

  private mutating func encode(
    _ value: JSONValue, for field: Remediation.Field, at path: FieldPath
  ) -> JSONValue? {
    if let kind = field.valueKind, kind != .string {
      if kind == .boolean {
        guard let flag = value.bool ?? value.string.flatMap({ Bool($0.lowercased()) }) else {
          report(.wrongType(.boolean), at: path, field)
          return nil
        }
        return .bool(flag)
      }
      if kind == "number" || kind == "integer", let number = value.number { return number }
      guard field.type == nil else { return value }
    }
    guard let text = value.plainText else {
      report(.wrongType(.string), at: path, field)
      return nil
    }
    // Servers count characters in different ways. Only a text that breaks the limit by every way to
    // count is reported.
    if let minimum = field.minimumLength, text.utf16.count < minimum {
      report(.tooShort(minimum: minimum), at: path, field)
    }
    if let maximum = field.maximumLength, text.utf8.count > maximum, text.count > maximum {
      report(.tooLong(maximum: maximum), at: path, field)
    }
    if field.format == .alphanumeric, !text.utf8.allSatisfy(\.isASCIIAlphanumeric) {
      report(.notAlphanumeric, at: path, field)
    }
    return .string(text)
  }

  /// The value of a field without an answer.
  private mutating func encodeDefault(of field: Remediation.Field, at path: FieldPath) -> BodyValue?
  {
    if let value = field.defaultValue { return .sent(value) }
    if field.isRequired { report(.missing, at: path, field) }
    return nil
  }

  private mutating func report(
    _ reason: InvalidAnswers.Problem.Reason, at path: FieldPath, _ field: Remediation.Field
  ) {
    problems.append(
      InvalidAnswers.Problem(path: path.text, label: field.label, reason: reason))
  }
}

/// The path of a field, which becomes one text only where it is needed.
private struct FieldPath {
  /// The path of the form around it, with a dot at the end; empty for the outermost form.
  let prefix: String
  let name: String

  var text: String { prefix.isEmpty ? name : prefix + name }
  /// How the paths of the fields inside it begin.
  var inside: String { text + "." }
  var length: Int { prefix.utf8.count + name.utf8.count }

  /// Whether a text, which must have the same length, has the same bytes; false if that is not known.
  func hasBytes(of text: String) -> Bool {
    // To make one text of the prefix and the name takes an allocation.
    let isSame = text.withRawBytes { text in
      prefix.withRawBytes { prefix in
        name.withRawBytes { name in text.has(prefix, at: 0) && text.has(name, at: prefix.count) }
      }
    }
    return isSame == true
  }
}

extension String {
  /// Reads the UTF-8 bytes; nil if they are not in one place, or if `read` returns nil.
  fileprivate func withRawBytes<Result>(_ read: (UnsafeRawBufferPointer) -> Result?) -> Result? {
    utf8.withContiguousStorageIfAvailable { read(UnsafeRawBufferPointer($0)) } ?? nil
  }
}

/// All answers except empty texts and `null`, sorted by the length of their path, then by path.
///
/// A form has few answers: comparing their paths takes less time than hashing the path of each field, and
/// most lengths differ.
private struct SortedAnswers {
  struct Entry {
    let path: String
    let answer: Answer
    /// Whether its field has been found.
    fileprivate(set) var isUsed = false
  }

  private(set) var entries: [Entry] = []
  /// The lengths of all paths, modulo 64, as bits: most fields without an answer are found without a
  /// comparison.
  private var lengths: UInt64 = 0

  init(_ answers: Answers) {
    entries.reserveCapacity(answers.entries.count)
    for (path, answer) in answers.entries where !answer.isEmpty {
      entries.append(Entry(path: path, answer: answer))
      lengths |= Self.bit(path.utf8.count)
    }
    if entries.count > 1 { entries.sort { Self.precedes($0.path, $1.path) } }
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    let (length, otherLength) = (left.utf8.count, right.utf8.count)
    return length == otherLength ? left < right : length < otherLength
  }

  private static func bit(_ length: Int) -> UInt64 { 1 << UInt64(length % 64) }

  /// The answer at a path, which is used from now on.
  mutating func use(_ path: FieldPath) -> Answer? {
    let length = path.length
    guard lengths & Self.bit(length) != 0 else { return nil }
    var range = entries.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let found = entries[middle].path
      // Texts of other lengths need not be compared.
      var isBefore = found.utf8.count < length
      if found.utf8.count == length {
        let text = path.hasBytes(of: found) ? found : path.text
        if found == text {
          entries[middle].isUsed = true
          return entries[middle].answer
        }
        isBefore = found < text
      }
      range = isBefore ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  var areAllUsed: Bool { entries.allSatisfy(\.isUsed) }

  /// Whether the path of an answer begins like this, such as with `credentials.`.
  func hasAny(inside prefix: String) -> Bool { entries.contains { $0.path.hasPrefix(prefix) } }
}

extension Answer {
  /// Whether it counts as no answer, like a field that a person left empty.
  fileprivate var isEmpty: Bool {
    switch self {
    case .text(let text): text.revealed.isEmpty
    case .value(.string(let text)): text.isEmpty
    case .value(.null): true
    default: false
    }
  }
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

extension BodyValue {
  /// The members with each name once: of several members with a name, the last one counts, and objects are
  /// merged.
  static func merged(_ members: [Member]) -> [Member] {
    // All values of a name are merged at once, because there can be very many.
    var positions: [String: Int] = [:]
    var groups: [(name: String, values: [BodyValue])] = []
    for member in members {
      if let position = positions[member.name] {
        groups[position].values.append(member.value)
      } else {
        positions[member.name] = groups.count
        groups.append((member.name, [member.value]))
      }
    }
    return groups.map { name, values in
      let objects = values.map(\.members).reversed().prefix { $0 != nil }.reversed()
        .compactMap(\.self)
      guard objects.count > 1 else { return Member(name: name, value: values[values.count - 1]) }
      let inside = objects.flatMap(\.self)
      return Member(
        name: name, value: .object(hasRepeatedName(inside) ? merged(inside) : inside))
    }
  }

  /// The members, if this is an object.
  private var members: [Member]? {
    switch self {
    case .object(let members): members
    case .sent(let raw) where !raw.isObject: nil
    case .sent, .new: json.object?.members.map { Member(name: $0.name, value: .new($0.value)) }
    }
  }

  /// Whether several members have the same name, so that ``merged(_:)`` changes them.
  static func hasRepeatedName(_ members: [Member]) -> Bool {
    // To compare all names is faster for few members, and too slow for many.
    guard members.count <= 32 else { return Set(members.map(\.name)).count < members.count }
    for index in members.indices {
      let name = members[index].name
      for other in members[..<index] where other.name == name { return true }
    }
    return false
  }
}
