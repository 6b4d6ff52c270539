import Foundation
package import IDXBase
package import IDXSimulatedOrg

/// Forwards requests and keeps them.
///
/// Requests for the issuer's keys are kept separately, because their time is not fixed.
package actor RequestLog: Transport {
  private let transport: any Transport
  package private(set) var requests: [TransportRequest] = []
  package private(set) var keyRequests: [TransportRequest] = []

  package init(_ transport: any Transport) { self.transport = transport }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    if request.url.lastPathComponent == "keys" {
      keyRequests.append(request)
    } else {
      requests.append(request)
    }
    return try await transport.send(request)
  }

  /// The last parts of the paths: `interact`, `introspect`, `identify`.
  package var steps: [String] { requests.map(\.url.lastPathComponent) }

  package func count(of step: String) -> Int { steps.count { $0 == step } }

  /// The answers to forms, without polls.
  package var sent: [Sent] {
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
package struct Sent: Hashable, CustomStringConvertible {
  package let path: String
  package let body: JSONValue

  package init(_ path: String, _ body: JSONValue = [:]) {
    self.path = path
    self.body = body
  }

  package var description: String { "\(path) \(body.text)" }
}

extension TransportRequest {
  /// The parameters of a form-encoded body.
  package var parameters: [String: String] {
    let pairs = String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map { part in
        part.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? ""
      }
      return (parts[0], parts[1])
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  package var json: JSONValue? { try? JSONValue(parsing: body) }
}

extension SimulatedOrg {
  /// The ``requests`` without those for keys, because their time is not fixed.
  package var signInRequests: [String] { requests.filter { !$0.hasSuffix("/keys") } }
}
