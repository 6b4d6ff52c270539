public import IDXBase

/// The JSON text that a typed value was read from, with all its members.
///
/// It copies nothing and keeps the whole response in memory. Two values are equal if their bytes are.
public struct RawJSON: Sendable {
  let document: ResponseDocument
  private let node: Int

  /// Creates a value from its number in the document.
  init(document: ResponseDocument, node: Int) {
    self.document = document
    self.node = node
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
}

// MARK: - Members

extension RawJSON {
  var isObject: Bool { text.isObject(node) }

  /// A member with a name; nil if there is none, or if this is not an object.
  func member(_ name: StaticString) -> RawJSON? {
    text.member(name, of: node).map { RawJSON(document: document, node: $0) }
  }

  /// A member that is a string; nil for anything else.
  func string(_ name: StaticString) -> String? { text.member(name, of: node).flatMap(text.string) }

  /// A member that is a string of at most this number of bytes; nil for anything else.
  func string(_ name: StaticString, atMost limit: Int) -> String? {
    guard let bytes = text.member(name, of: node).flatMap(text.utf8), bytes.count <= limit else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A member that is a boolean, or a string such as `"true"`; nil for anything else.
  func flag(_ name: StaticString) -> Bool? { text.member(name, of: node).flatMap(text.flag) }

  /// A member that is a whole number; nil for anything else.
  func integer(_ name: StaticString) -> Int? {
    text.member(name, of: node).flatMap(text.integer)
  }

  /// Reads the objects of an array that is a member; other elements are skipped.
  func objects<Value>(_ name: StaticString, _ make: (RawJSON) -> Value) -> [Value] {
    guard let list = text.member(name, of: node), text.isArray(list) else { return [] }
    return objects(in: list, make)
  }

  /// Reads the objects of a collection that is a member: `{"type": "array", "value": [...]}`, or with
  /// a single object as its value.
  func collection<Value>(_ name: StaticString, _ make: (RawJSON) -> Value) -> [Value] {
    text.member(name, of: node).map { collection(at: $0, make) } ?? []
  }

  /// Reads the objects of this collection.
  func collection<Value>(_ make: (RawJSON) -> Value) -> [Value] { collection(at: node, make) }

  private func collection<Value>(at node: Int, _ make: (RawJSON) -> Value) -> [Value] {
    guard let value = text.member("value", of: node) else { return [] }
    if text.isObject(value) { return [make(RawJSON(document: document, node: value))] }
    return text.isArray(value) ? objects(in: value, make) : []
  }

  private func objects<Value>(in list: Int, _ make: (RawJSON) -> Value) -> [Value] {
    var found: [Value] = []
    found.reserveCapacity(text.childCount(of: list))
    for child in text.children(of: list) where text.isObject(child) {
      found.append(make(RawJSON(document: document, node: child)))
    }
    return found
  }
}

// MARK: - Actions

extension RawJSON {
  /// The members of the object that are actions, in order, except those with these names.
  func actions(except names: [StaticString]) -> [RawJSON] {
    guard isObject else { return [] }
    var found: [RawJSON] = []
    for child in text.children(of: node) {
      let member = RawJSON(document: document, node: child)
      if member.isAction, !names.contains(where: { text.isNamed($0, child) }) {
        found.append(member)
      }
    }
    return found
  }

  /// Whether this is an object with a `name` and an `href`.
  var isAction: Bool { hasString("href") && hasString("name") }

  private func hasString(_ name: StaticString) -> Bool {
    text.member(name, of: node).map(text.isString) ?? false
  }
}

// MARK: - Related authenticators

extension RawJSON {
  /// The authenticators that `relatesTo` names, each once; those that do not exist are left out.
  var relatedAuthenticators: [IDXAuthenticator] {
    var references = references
    // A list can name the same authenticator many thousand times.
    if references.count > 1 {
      var known: Set<Reference> = []
      references.removeAll { !known.insert($0).inserted }
    }
    return references.compactMap(document.authenticator(at:))
  }

  /// The first of them.
  var firstRelatedAuthenticator: IDXAuthenticator? {
    references.lazy.compactMap(document.authenticator(at:)).first
  }

  var references: [Reference] {
    guard let list = text.member("relatesTo", of: node) else { return [] }
    return references(listedAt: list)
  }

  private func references(listedAt list: Int) -> [Reference] {
    guard text.isArray(list) else {
      return text.utf8(list).flatMap(Reference.init(path:)).map { [$0] } ?? []
    }
    return text.children(of: list).compactMap { text.utf8($0).flatMap(Reference.init(path:)) }
  }

  /// Whether each `relatesTo` inside leads to the same authenticators as in the other text, which must
  /// have the same bytes.
  private func relates(like other: RawJSON) -> Bool {
    let references = text.descendants(of: node).filter { text.isNamed("relatesTo", $0) }
      .flatMap(references(listedAt:))
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
