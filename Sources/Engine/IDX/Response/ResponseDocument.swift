import IDXBase

/// The text of one response, which all its values share, and the positions of its authenticators.
final class ResponseDocument: Sendable {
  let json: JSONDocument
  /// The members of the whole response.
  let members: JSONMemberIndex
  /// Sorted by reference: by container, then in server order.
  private let entries: [Entry]

  private struct Entry {
    let reference: Reference
    let node: Int32
  }

  init(_ json: JSONDocument) {
    self.json = json
    members = json.index(of: 0)
    var entries: [Entry] = []
    for container in IDXAuthenticator.Container.ordered {
      guard let member = json.member(container.literal, of: 0, in: members),
        let list = json.member("value", of: member)
      else { continue }
      func add(_ node: Int, at index: Int?) {
        guard json.isObject(node) else { return }
        let reference = Reference(container: container, index: index)
        entries.append(Entry(reference: reference, node: Int32(truncatingIfNeeded: node)))
      }
      if json.isArray(list) {
        entries.reserveCapacity(entries.count + json.childCount(of: list))
        for (index, node) in json.children(of: list).enumerated() { add(node, at: index) }
      } else {
        add(list, at: nil)
      }
    }
    self.entries = entries
  }

  /// All authenticators, by container, then in server order.
  var authenticators: [IDXAuthenticator] { entries.map(authenticator) }

  /// The authenticator that a reference names; nil if it does not exist.
  ///
  /// A binary search, because a response can have thousands of references and authenticators.
  func authenticator(at reference: Reference) -> IDXAuthenticator? {
    var range = entries.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let found = entries[middle].reference
      if found == reference { return authenticator(entries[middle]) }
      range = found < reference ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  /// The first authenticator in a container.
  func firstAuthenticator(in container: IDXAuthenticator.Container) -> IDXAuthenticator? {
    entries.first { $0.reference.container == container }.map(authenticator)
  }

  private func authenticator(_ entry: Entry) -> IDXAuthenticator {
    IDXAuthenticator(
      container: entry.reference.container, index: entry.reference.index,
      raw: RawJSON(document: self, node: Int(entry.node)))
  }
}

/// The target of a `relatesTo` path: `$.authenticators.value[0]`, `$.currentAuthenticator` and so on.
///
/// Only paths to authenticators are read.
struct Reference: Sendable, Hashable {
  let container: IDXAuthenticator.Container
  /// The position in the list, or -1 if the container holds a single authenticator.
  private let position: Int32

  init(container: IDXAuthenticator.Container, index: Int?) {
    self.container = container
    position = index.flatMap(Int32.init(exactly:)) ?? -1
  }

  /// Reads a path: `$.` (optional), a container, `.value` (optional), `[index]` (optional).
  init?(path: ArraySlice<UInt8>) {
    var rest = path
    if rest.first == UInt8(ascii: "$") { rest.removeFirst() }
    if rest.first == UInt8(ascii: ".") { rest.removeFirst() }
    let word = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
    guard let container = IDXAuthenticator.Container.ordered.first(where: { $0.isWritten(word) })
    else { return nil }
    rest.removeFirst(word.count)
    if rest.begins(with: ".value") {
      rest.removeFirst(".value".utf8.count)
      if rest.first == UInt8(ascii: "["), rest.last == UInt8(ascii: "]") {
        guard let index = Self.index(rest.dropFirst().dropLast()) else { return nil }
        self.init(container: container, index: index)
        return
      }
    }
    guard rest.isEmpty else { return nil }
    self.init(container: container, index: nil)
  }

  /// The position in the list; nil if the container holds a single authenticator.
  var index: Int? { position < 0 ? nil : Int(position) }

  /// The number written by these digits; nil if there is any other character, or more than nine of them.
  private static func index(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...9).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return nil
    }
    return digits.reduce(0) { 10 * $0 + Int($1 - 0x30) }
  }
}

extension Reference: Comparable {
  static func < (left: Reference, right: Reference) -> Bool {
    (left.container.order, left.position) < (right.container.order, right.position)
  }
}

extension IDXAuthenticator.Container {
  /// All cases; stored, because `allCases` makes a new array each time.
  fileprivate static let ordered = allCases

  /// The name on the wire, in a form that can be compared without creating strings.
  var literal: StaticString {
    switch self {
    case .currentAuthenticator: "currentAuthenticator"
    case .currentAuthenticatorEnrollment: "currentAuthenticatorEnrollment"
    case .enrollmentAuthenticator: "enrollmentAuthenticator"
    case .recoveryAuthenticator: "recoveryAuthenticator"
    case .authenticatorChallenge: "authenticatorChallenge"
    case .authenticators: "authenticators"
    case .authenticatorEnrollments: "authenticatorEnrollments"
    }
  }

  fileprivate func isWritten(_ word: ArraySlice<UInt8>) -> Bool {
    literal.utf8CodeUnitCount == word.count && word.begins(with: literal)
  }

  /// The position among all cases.
  fileprivate var order: Int {
    switch self {
    case .currentAuthenticator: 0
    case .currentAuthenticatorEnrollment: 1
    case .enrollmentAuthenticator: 2
    case .recoveryAuthenticator: 3
    case .authenticatorChallenge: 4
    case .authenticators: 5
    case .authenticatorEnrollments: 6
    }
  }
}

extension ArraySlice<UInt8> {
  fileprivate func begins(with literal: StaticString) -> Bool {
    count >= literal.utf8CodeUnitCount
      && withUnsafeBytes { $0.has(UnsafeRawBufferPointer(literal), at: 0) }
  }
}
