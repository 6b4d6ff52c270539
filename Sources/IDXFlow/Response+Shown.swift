package import IDX

extension Response.Draft {
  /// The response, for a state; throws a ``FlowError`` where it cannot be shown.
  package func shown() throws -> Response {
    do { return try response() } catch {
      throw FlowError(
        .unexpectedResponse, "The server sent something that cannot be shown. \(error)",
        underlying: error)
    }
  }
}
