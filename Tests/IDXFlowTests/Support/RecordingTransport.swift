import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// Forwards requests and records them.
///
/// Requests for the issuer's keys are recorded separately, because their time is not fixed.
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

  /// The last parts of the paths: `interact`, `introspect`, `identify`.
  var steps: [String] { requests.map(\.url.lastPathComponent) }

  func count(of step: String) -> Int { steps.count { $0 == step } }

  /// The answers to forms, without polls.
  var sent: [Sent] {
    requests.compactMap { request in
      let path = request.url.lastPathComponent
      guard request.url.path.hasPrefix("/idp/idx/"), !["introspect", "poll"].contains(path),
        let members = request.json?.object?.members
      else { return nil }
      return Sent(path, .object(JSONValue.Object(members.filter { $0.name != "stateHandle" })))
    }
  }
}

/// An answer to a form: the last part of its path, and the body without the state handle.
struct Sent: Hashable, CustomStringConvertible {
  let path: String
  let body: JSONValue

  init(_ path: String, _ body: JSONValue = [:]) {
    self.path = path
    self.body = body
  }

  var description: String { "\(path) \(body.text)" }
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
