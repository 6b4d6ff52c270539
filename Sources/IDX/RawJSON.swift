public import IDXBase

/// The JSON text that a typed value was read from: what this package does not know survives here.
///
/// It keeps the whole response alive and copies nothing. Two are equal when their bytes are.
public struct RawJSON: Sendable {
  let document: ResponseDocument
  private let node: Int

  /// A value of a response, by its number.
  init(document: ResponseDocument, node: Int) {
    self.document = document
    self.node = node
  }

  private var text: JSONDocument { document.json }

  /// The bytes of the text, UTF-8.
  public var bytes: ArraySlice<UInt8> { text.bytes[text.range(of: node)] }

  /// The value, read anew on each call.
  public var json: JSONValue { text.value(node) }

  /// A member of the object, by its name on the wire; nil where there is none.
  ///
  /// Read anew on each call.
  public subscript(name: String) -> JSONValue? {
    guard isObject else { return nil }
    var found: Int?
    for child in text.children(of: node) where text.name(of: child) == name { found = child }
    return found.map(text.value)
  }
}

// MARK: - Reading a value where it stands

extension RawJSON {
  var isObject: Bool { text.isObject(node) }

  /// A member by its name; nil where there is none, or where this is no object.
  func member(_ name: StaticString) -> RawJSON? {
    text.member(name, of: node).map { RawJSON(document: document, node: $0) }
  }

  /// A member that is a string; nil for anything else.
  func string(_ name: StaticString) -> String? { text.member(name, of: node).flatMap(text.string) }

  /// A member that is a boolean, or is written as one; nil for anything else.
  func flag(_ name: StaticString) -> Bool? { text.member(name, of: node).flatMap(text.flag) }

  /// A member that is a whole number; nil for anything else.
  func integer(_ name: StaticString) -> Int? {
    text.member(name, of: node).flatMap(text.integer)
  }

  private func hasString(_ name: StaticString) -> Bool {
    text.member(name, of: node).map(text.isString) ?? false
  }

  /// The members of the object that are actions, objects with a name and an address, in order; those
  /// of these names stand for something else.
  func actions(but names: [StaticString]) -> [RawJSON] {
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

  /// Whether this is an object with a name and an address.
  var isAction: Bool { hasString("href") && hasString("name") }

  /// What the objects of an array make that is a member; what is no object is passed over.
  func objects<Value>(_ name: StaticString, _ make: (RawJSON) -> Value) -> [Value] {
    guard let list = text.member(name, of: node), text.isArray(list) else { return [] }
    return objects(in: list, make)
  }

  /// What the objects of a collection make that is a member: `{"type": "array", "value": [...]}`, or
  /// one object as the value.
  ///
  /// Source: protocol sections 2.1 and 2.7. Empty where there is no collection.
  func collection<Value>(_ name: StaticString, _ make: (RawJSON) -> Value) -> [Value] {
    text.member(name, of: node).map { collection(at: $0, make) } ?? []
  }

  /// What the objects of the collection make that stands here.
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

  /// What a `relatesTo` here points at, what is no path to authenticators being left out.
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

  /// The authenticators that a `relatesTo` here points at, each once, those that are not there left
  /// out.
  ///
  /// A list can name a long one very often.
  var relatedAuthenticators: [IDXAuthenticator] {
    var references = references
    if references.count > 1 {
      var known: Set<Reference> = []
      references.removeAll { !known.insert($0).inserted }
    }
    return references.compactMap(document.authenticator(at:))
  }

  /// Whether a text of the same bytes relates to the same authenticators, wherever in it.
  fileprivate func relates(like other: RawJSON) -> Bool {
    let references = text.descendants(of: node).filter { text.isNamed("relatesTo", $0) }
      .flatMap(references(listedAt:))
    return Set(references).allSatisfy {
      document.authenticator(at: $0) == other.document.authenticator(at: $0)
    }
  }
}

// MARK: - Equality

extension RawJSON: Hashable {
  /// Whether both texts have the same bytes.
  public static func == (left: RawJSON, right: RawJSON) -> Bool {
    left.isSame(as: right) || left.bytes == right.bytes
  }
  /// Feeds the bytes to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

  /// Whether the texts have the same bytes, and so have the authenticators that they relate to.
  func isEqualWithRelations(to other: RawJSON) -> Bool {
    isSame(as: other) || (bytes == other.bytes && relates(like: other))
  }

  private func isSame(as other: RawJSON) -> Bool {
    document === other.document && node == other.node
  }
}

// A response holds state handles and shared secrets: its text is shown to nobody unasked.
extension RawJSON: Redacted {
  /// How many bytes there are, and none of them.
  public var description: String { "\(text.range(of: node).count) bytes of JSON" }
}
