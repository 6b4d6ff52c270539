/// What a `relatesTo` points at: `$.authenticators.value[0]`, `$.currentAuthenticator`, ...
///
/// Source: protocol section 2.4. A path to anything but authenticators is kept in `raw` alone.
struct Reference: Sendable, Hashable {
  let container: Authenticator.Container
  /// The position in the list; nil where the container holds one.
  let index: Int?

  init(container: Authenticator.Container, index: Int?) {
    self.container = container
    self.index = index
  }

  /// Reads a path: an optional `$.`, a container, then perhaps `.value`, then perhaps `[index]`.
  init?(path: String) {
    var rest = path.utf8[...]
    if rest.first == UInt8(ascii: "$") { rest.removeFirst() }
    if rest.first == UInt8(ascii: ".") { rest.removeFirst() }
    let word = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
    let containers = Authenticator.Container.allCases
    guard let container = containers.first(where: { $0.rawValue.utf8.elementsEqual(word) })
    else { return nil }
    rest.removeFirst(word.count)
    guard rest.starts(with: ".value".utf8) else {
      guard rest.isEmpty else { return nil }
      self.init(container: container, index: nil)
      return
    }
    rest.removeFirst(".value".utf8.count)
    if rest.isEmpty {
      self.init(container: container, index: nil)
    } else if rest.first == UInt8(ascii: "["), rest.last == UInt8(ascii: "]"),
      let index = Int(Substring(rest.dropFirst().dropLast()))
    {
      self.init(container: container, index: index)
    } else {
      return nil
    }
  }

  /// Reads one path or a list of paths; what is none is passed over.
  static func list(reading reader: inout JSONReader) throws(JSONError) -> [Reference] {
    guard reader.isAtArray else {
      return try reader.stringOrSkip().flatMap(Reference.init(path:)).map { [$0] } ?? []
    }
    var found: [Reference] = []
    try reader.forEachElement { reader, _ throws(JSONError) in
      if let path = try reader.stringOrSkip(), let reference = Reference(path: path) {
        found.append(reference)
      }
    }
    return found
  }
}

// Authenticators may stand after the remediations that name them, so references are followed last.
extension Remediation {
  mutating func resolve(among table: AuthenticatorTable) {
    self.authenticators = references.compactMap { table[$0] }
    form.resolve(among: table)
  }
}

extension Form {
  mutating func resolve(among table: AuthenticatorTable) {
    for index in fields.indices { fields[index].resolve(among: table) }
  }
}

extension Field {
  mutating func resolve(among table: AuthenticatorTable) {
    authenticator = reference.flatMap { table[$0] }
    form?.resolve(among: table)
    for index in options.indices {
      options[index].authenticator = options[index].reference.flatMap { table[$0] }
      options[index].form?.resolve(among: table)
    }
  }
}
