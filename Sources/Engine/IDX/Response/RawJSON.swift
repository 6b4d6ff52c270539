public import IDXBase

/// The JSON text that a typed value was read from, with all its members.
///
/// It copies nothing and keeps the whole response in memory. Two values are equal if their bytes are.
public struct RawJSON: Sendable {
  let document: ResponseDocument
  /// The number of the value in the document.
  private let node: Int
  private let members: JSONMemberIndex

  /// The whole text of a document.
  init(_ document: ResponseDocument) {
    self.init(document: document, node: 0, members: document.members)
  }

  /// Creates a value from its number in the document.
  init(document: ResponseDocument, node: Int) {
    self.init(document: document, node: node, members: document.json.index(of: node))
  }

  private init(document: ResponseDocument, node: Int, members: JSONMemberIndex) {
    self.document = document
    self.node = node
    self.members = members
  }

  /// The bytes of the text, UTF-8.
  public var bytes: ArraySlice<UInt8> { text.bytes[text.range(of: node)] }

  /// The value, read again at each access.
  public var json: JSONValue { text.value(node) }

  /// A member of the object, read again at each access; nil if there is none, or if this is no object.
  public subscript(name: String) -> JSONValue? {
    guard isObject else { return nil }
    var found: Int?
    for child in text.children(of: node) where text.name(of: child) == name { found = child }
    return found.map(text.value)
  }

  private var text: JSONDocument { document.json }

  /// The number of a member; nil if there is none, or if this is not an object.
  @inline(__always)
  private func node(of name: StaticString) -> Int? {
    text.member(name, of: node, in: members)
  }
}

// MARK: - Members

extension RawJSON {
  var isObject: Bool { text.isObject(node) }

  var isNull: Bool { text.isNull(node) }

  /// Whether there is a member with a name.
  func has(_ name: StaticString) -> Bool { node(of: name) != nil }

  /// A member with a name; nil if there is none, or if this is not an object.
  func member(_ name: StaticString) -> RawJSON? {
    // Few members are asked for more than one name.
    node(of: name).map { RawJSON(document: document, node: $0, members: .unknown) }
  }

  /// A member that is a string; nil for anything else.
  func string(_ name: StaticString) -> String? { node(of: name).flatMap { text.string($0) } }

  /// A member that is a string; nil for anything else.
  ///
  /// If it is `common`, nothing is copied.
  func string(_ name: StaticString, usually common: String) -> String? {
    node(of: name).flatMap { text.isString($0, common) ? common : text.string($0) }
  }

  /// A member that is a string of at most this number of bytes; nil for anything else.
  func string(_ name: StaticString, atMost limit: Int) -> String? {
    // An escape takes at most six bytes; a longer text is not even copied.
    guard let node = node(of: name), text.length(of: node) <= 6 * limit,
      let string = text.string(node), string.utf8.count <= limit
    else { return nil }
    return string
  }

  /// A member that is a boolean, or a string such as `"true"`; nil for anything else.
  func flag(_ name: StaticString) -> Bool? { node(of: name).flatMap { text.flag($0) } }

  /// A member that is a whole number; nil for anything else.
  func integer(_ name: StaticString) -> Int? {
    node(of: name).flatMap { text.integer($0) }
  }

  /// Reads the objects of an array that is a member; other elements are skipped, and so is nil.
  func objects<Value>(_ name: StaticString, _ make: (RawJSON) -> Value?) -> [Value] {
    guard let list = node(of: name), text.isArray(list) else { return [] }
    return objects(in: list, make)
  }

  /// Reads the objects of a collection that is a member: `{"type": "array", "value": [...]}`, or with
  /// a single object as its value.
  func collection<Value>(_ name: StaticString, _ make: (RawJSON) -> Value) -> [Value] {
    node(of: name).map { collection(at: $0, make) } ?? []
  }

  /// The first object of a collection that is a member; nil if there is none.
  func firstOfCollection(_ name: StaticString) -> RawJSON? {
    guard let value = node(of: name).flatMap({ text.member("value", of: $0) }) else { return nil }
    let object = text.isArray(value) ? text.children(of: value).first { text.isObject($0) } : value
    // It is made again at each access, to read one member.
    return object.flatMap {
      text.isObject($0) ? RawJSON(document: document, node: $0, members: .unknown) : nil
    }
  }

  /// Reads the objects of this collection.
  func collection<Value>(_ make: (RawJSON) -> Value) -> [Value] { collection(at: node, make) }

  private func collection<Value>(at node: Int, _ make: (RawJSON) -> Value) -> [Value] {
    guard let value = text.member("value", of: node) else { return [] }
    if text.isObject(value) { return [make(RawJSON(document: document, node: value))] }
    return text.isArray(value) ? objects(in: value, make) : []
  }

  private func objects<Value>(in list: Int, _ make: (RawJSON) -> Value?) -> [Value] {
    var found: [Value] = []
    found.reserveCapacity(text.childCount(of: list))
    for child in text.children(of: list) where text.isObject(child) {
      if let value = make(RawJSON(document: document, node: child)) { found.append(value) }
    }
    return found
  }
}

// MARK: - Fields and options

extension RawJSON {
  /// The nested form of a field or an option: under `form`, or in an object under `value`.
  var nestedForm: Remediation.Form? {
    formNode.map { Remediation.Form(fields: collection(at: $0, Remediation.Field.init)) }
  }

  /// Whether there is a ``nestedForm``.
  var hasForm: Bool { formNode != nil }

  @inline(__always)
  private var formNode: Int? {
    let direct = node(of: "form").flatMap { text.isObject($0) ? $0 : nil }
    return direct ?? node(of: "value").flatMap { form(in: $0) }
  }

  /// The value of a field or an option; nil if it is a nested form.
  var plainValue: RawJSON? {
    guard let value = node(of: "value"), form(in: value) == nil else { return nil }
    return RawJSON(document: document, node: value, members: .unknown)
  }

  private func form(in value: Int) -> Int? {
    guard text.isObject(value) else { return nil }
    return text.member("form", of: value).flatMap { text.isObject($0) ? $0 : nil }
  }
}

// MARK: - Actions

extension RawJSON {
  /// The members of the object that are actions, in order, except those with these names.
  func actions(except names: [StaticString]) -> [RawJSON] {
    guard isObject else { return [] }
    var found: [RawJSON] = []
    for child in text.children(of: node)
    where isAction(child) && !names.contains(where: { text.isNamed($0, child) }) {
      found.append(RawJSON(document: document, node: child))
    }
    return found
  }

  /// Whether this is an object with a `name` and an `href`.
  var isAction: Bool { isAction(node) }

  private func isAction(_ node: Int) -> Bool {
    // Most values are not objects, and the check saves two calls for them.
    text.isObject(node) && text.member("href", of: node).map { text.isString($0) } == true
      && text.member("name", of: node).map { text.isString($0) } == true
  }
}

// MARK: - Related authenticators

extension RawJSON {
  /// The authenticators that `relatesTo` names, each once; those that do not exist are left out.
  var relatedAuthenticators: [IDXAuthenticator] {
    var references = node(of: "relatesTo").map { Array(self.references(at: $0)) } ?? []
    // A list can name the same authenticator many thousand times.
    if references.count > 1 {
      var known: Set<Reference> = []
      references.removeAll { !known.insert($0).inserted }
    }
    return references.compactMap(document.authenticator(at:))
  }

  /// The first of ``relatedAuthenticators``.
  var firstRelatedAuthenticator: IDXAuthenticator? {
    guard let list = node(of: "relatesTo") else { return nil }
    for reference in references(at: list) {
      if let found = document.authenticator(at: reference) { return found }
    }
    return nil
  }

  /// The references in a list, or the one that is a string.
  private func references(at node: Int) -> some Sequence<Reference> {
    text.elements(of: node).lazy.compactMap { text.utf8($0).flatMap(Reference.init(path:)) }
  }

  /// Whether each `relatesTo` inside leads to the same authenticators as in the other text, which must
  /// have the same bytes.
  private func relates(like other: RawJSON) -> Bool {
    let references = text.descendants(of: node).filter { text.isNamed("relatesTo", $0) }
      .flatMap { Array(self.references(at: $0)) }
    return Set(references).allSatisfy {
      document.authenticator(at: $0) == other.document.authenticator(at: $0)
    }
  }
}

// MARK: - Conformances

extension RawJSON: Hashable {
  /// Whether both texts have the same bytes.
  public static func == (left: RawJSON, right: RawJSON) -> Bool {
    left.isSame(as: right) || left.hasSameBytes(as: right)
  }
  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// Whether the texts have the same bytes and relate to equal authenticators.
  func isEqualWithRelations(to other: RawJSON) -> Bool {
    isSame(as: other) || (hasSameBytes(as: other) && relates(like: other))
  }

  private func hasSameBytes(as other: RawJSON) -> Bool {
    // To find the end of a text takes longer than to compare the numbers of values inside.
    text.descendants(of: node).count == other.text.descendants(of: other.node).count
      && bytes == other.bytes
  }

  private func isSame(as other: RawJSON) -> Bool {
    document === other.document && node == other.node
  }
}

// The text contains state handles and shared secrets.
extension RawJSON: Redacted {
  /// The number of bytes.
  public var description: String { "\(text.range(of: node).count) bytes of JSON" }
}
