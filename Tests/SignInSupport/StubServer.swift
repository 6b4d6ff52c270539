package import IDXBase

/// A server whose sign-in starts with a document; all other requests get what `answer` returns.
package struct StubServer: Transport {
  let document: JSONValue
  let interact: TransportResponse
  let answer: @Sendable (TransportRequest) async throws -> TransportResponse

  package init(
    document: JSONValue, interact: TransportResponse = .json(["interaction_handle": "ih_stub"]),
    answer: @escaping @Sendable (TransportRequest) async throws -> TransportResponse = { _ in
      .json(Wire.document([]))
    }
  ) {
    self.document = document
    self.interact = interact
    self.answer = answer
  }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    switch request.url.lastPathComponent {
    case "interact": interact
    case "introspect": .json(document)
    case "keys": .json(["keys": []])
    default: try await answer(request)
    }
  }
}

extension StubServer {
  /// A server that answers the start with the first document and each later request with the next one.
  ///
  /// After the last document, it answers with a document without forms.
  package init(_ documents: [JSONValue]) {
    let rest = Locked(documents.dropFirst())
    self.init(document: documents[0]) { _ in
      .json(rest.withLock { $0.popFirst() } ?? Wire.document([]))
    }
  }
}

extension TransportResponse {
  package static func json(
    _ body: JSONValue, status: Int = 200, headers: [String: String] = [:]
  ) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: body.bytes)
  }
}

extension Locked where Value == Int {
  /// Adds one and returns the new number.
  package func increment() -> Int {
    withLock { count in
      count += 1
      return count
    }
  }
}
