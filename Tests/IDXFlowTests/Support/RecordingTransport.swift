import Foundation
import IDX
import IDXFlow
import IDXOAuth

/// Passes requests on and remembers them: those of the sign-in in order, and apart from them those for
/// the issuer's keys, which come when they come.
actor RecordingTransport: Transport {
  private let transport: any Transport
  private(set) var requests: [HTTPRequest] = []
  private(set) var keyRequests: [HTTPRequest] = []

  init(_ transport: any Transport) { self.transport = transport }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
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

extension HTTPRequest {
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

  var json: JSON? { try? JSON(parsing: body) }
}

/// Answers requests to `/interact` and `/introspect` with the first document, and any other with what
/// it is told.
struct StubServer: Transport {
  let document: JSON
  var interact: HTTPResponse = .json(["interaction_handle": "ih_stub"])
  var answer: @Sendable (HTTPRequest) async throws -> HTTPResponse = { _ in
    .json(Wire.document([]))
  }

  func send(_ request: HTTPRequest) async throws -> HTTPResponse {
    switch request.url.lastPathComponent {
    case "interact": interact
    case "introspect": .json(document)
    case "keys": .json(["keys": []])
    default: try await answer(request)
    }
  }
}

extension HTTPResponse {
  static func json(
    _ body: JSON, status: Int = 200, headers: [String: String] = [:]
  ) -> HTTPResponse {
    HTTPResponse(status: status, headers: headers, body: body.bytes)
  }
}
