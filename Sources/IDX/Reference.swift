/// What a `relatesTo` points at: `$.authenticators.value[0]`, `$.currentAuthenticator`, ...
///
/// Source: protocol section 2.4. A path to anything but authenticators is kept in `raw` alone.
struct Reference: Sendable, Hashable {
  let container: IDXAuthenticator.Container
  /// The position in the list, or -1 where the container holds one.
  private let position: Int32

  init(container: IDXAuthenticator.Container, index: Int?) {
    self.container = container
    position = index.flatMap(Int32.init(exactly:)) ?? -1
  }

  /// The position in the list; nil where the container holds one.
  var index: Int? { position < 0 ? nil : Int(position) }

  /// Reads a path: an optional `$.`, a container, then perhaps `.value`, then perhaps `[index]`.
  init?(path: ArraySlice<UInt8>) {
    var rest = path
    if rest.first == UInt8(ascii: "$") { rest.removeFirst() }
    if rest.first == UInt8(ascii: ".") { rest.removeFirst() }
    let word = rest.prefix { $0 != UInt8(ascii: ".") && $0 != UInt8(ascii: "[") }
    guard let container = IDXAuthenticator.Container.allCases.first(where: { $0.isWritten(word) })
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
      let index = Self.index(rest.dropFirst().dropLast())
    {
      self.init(container: container, index: index)
    } else {
      return nil
    }
  }

  /// The number that digits write, and nothing but digits.
  private static func index(_ digits: ArraySlice<UInt8>) -> Int? {
    guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int32(String(decoding: digits, as: UTF8.self)).map { Int($0) }
  }
}

extension Reference: Comparable {
  /// The order in which authenticators are listed.
  static func < (left: Reference, right: Reference) -> Bool {
    (left.container.order, left.position) < (right.container.order, right.position)
  }
}

extension IDXAuthenticator.Container {
  /// The name on the wire, in the shape that is compared without making strings.
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
    literal.utf8CodeUnitCount == word.count && literal.withUTF8Buffer { word.elementsEqual($0) }
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
