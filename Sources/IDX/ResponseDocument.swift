import IDXBase

/// What all values of one response share: its text, and where its authenticators stand.
///
/// It is the only object among values; whoever holds any value of a response keeps all of it.
final class ResponseDocument: Sendable {
  let json: JSONDocument
  /// In the order of the containers, then in that of the server.
  private let places: [Place]

  private struct Place {
    let reference: Reference
    let node: Int32
  }

  init(_ json: JSONDocument) {
    self.json = json
    var places: [Place] = []
    for container in IDXAuthenticator.Container.allCases {
      guard
        let list = json.member(container.literal, of: 0).flatMap({ json.member("value", of: $0) })
      else { continue }
      func add(_ node: Int, at index: Int?) {
        guard json.isObject(node) else { return }
        let reference = Reference(container: container, index: index)
        places.append(Place(reference: reference, node: Int32(truncatingIfNeeded: node)))
      }
      if json.isArray(list) {
        for (index, node) in json.children(of: list).enumerated() { add(node, at: index) }
      } else {
        add(list, at: nil)
      }
    }
    self.places = places
  }

  /// All authenticators, container by container, in server order.
  var authenticators: [IDXAuthenticator] { places.map(authenticator) }

  /// The authenticator that is pointed at; nil where the reference dangles.
  ///
  /// Halving takes no longer where a response holds thousands of both.
  func authenticator(at reference: Reference) -> IDXAuthenticator? {
    var range = places.indices
    while !range.isEmpty {
      let middle = range.lowerBound + range.count / 2
      let found = places[middle].reference
      if found == reference { return authenticator(places[middle]) }
      range = found < reference ? middle + 1..<range.upperBound : range.lowerBound..<middle
    }
    return nil
  }

  private func authenticator(_ place: Place) -> IDXAuthenticator {
    IDXAuthenticator(
      container: place.reference.container, index: place.reference.index,
      raw: RawJSON(document: self, node: Int(place.node)))
  }
}
