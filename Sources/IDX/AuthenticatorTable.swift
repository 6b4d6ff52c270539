/// The authenticators of a response, found by what points at them.
struct AuthenticatorTable {
  private let authenticators: [Authenticator]
  /// Where each stands; empty for the few of an ordinary response, which are searched faster.
  private let positions: [Reference: Int]

  init(_ authenticators: [Authenticator]) {
    self.authenticators = authenticators
    guard authenticators.count > 32 else {
      positions = [:]
      return
    }
    let references = authenticators.enumerated().map { position, authenticator in
      (Reference(container: authenticator.container, index: authenticator.index), position)
    }
    positions = Dictionary(references) { first, _ in first }
  }

  /// The authenticator that is pointed at; nil where the reference dangles.
  subscript(reference: Reference) -> Authenticator? {
    guard positions.isEmpty else { return positions[reference].map { authenticators[$0] } }
    return authenticators.first {
      $0.container == reference.container && $0.index == reference.index
    }
  }
}
