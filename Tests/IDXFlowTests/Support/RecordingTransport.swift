import IDXBase
import Foundation
import IDX
import IDXFlow
import IDXOAuth

/// Passes requests on and remembers them: those of the sign-in in order, and apart from them those for
/// the issuer's keys, which come when they come.
actor RecordingTransport: Transport {
  private let transport: any Transport
  private(set) var requests: [TransportRequest] = []
  private(set) var keyRequests: [TransportRequest] = []

  init(_ transport: any Transport) { self.transport = transport }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    if request.url.lastPathComponent == "keys" {
      keyRequests.append(request)
    } else {
      requests.append(request)
    }
    return try await transport.send(request)
  }

  /// The last parts of the paths, in order: `interact`, `introspect`, `identify`.
  var steps: [String] { requests.map(\.url.lastPathComponent) }

  func count(of step: String) -> Int { steps.count { $0 == step } }
}

extension TransportRequest {
  /// The parameters of a form-encoded body.
  var parameters: [String: String] {
    let pairs = String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map { part in
        part.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
      }
      return (parts[0], parts[1])
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  var json: JSONValue? { try? JSONValue(parsing: body) }
}

/// Answers requests to `/interact` and `/introspect` with the first document, and any other with what
/// it is told.
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

extension TransportResponse {
  static func json(
    _ body: JSONValue, status: Int = 200, headers: [String: String] = [:]
  ) -> TransportResponse {
    TransportResponse(status: status, headers: headers, body: body.bytes)
  }
}
