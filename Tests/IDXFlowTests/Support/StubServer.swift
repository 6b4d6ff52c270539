import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// A server whose sign-in starts with a document; all other requests get what `answer` returns.
struct StubServer: Transport {
  let document: JSONValue
  var interact: TransportResponse = .json(["interaction_handle": "ih_stub"])
  var answer: @Sendable (TransportRequest) async throws -> TransportResponse = { _ in
    .json(Wire.document([]))
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
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
  init(_ documents: [JSONValue]) {
    let rest = Shared(documents.dropFirst())
    self.init(document: documents[0]) { _ in
      .json(rest.withLock { $0.popFirst() } ?? Wire.document([]))
    }
  }
}

extension TransportResponse {
  static func json(
    _ body: JSONValue, status: Int = 200, headers: [String: String] = [:]
  ) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: body.bytes)
  }
}

/// A value that several tasks of a test change.
final class Shared<Value: Sendable>: @unchecked Sendable {
  // The lock guards the value.
  private let lock = NSLock()
  private var value: Value

  init(_ value: Value) { self.value = value }

  func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    try lock.withLock { try body(&value) }
  }
}

extension Shared where Value == Int {
  /// Adds one and returns the new number.
  func increment() -> Int {
    withLock { count in
      count += 1
      return count
    }
  }
}
