import Foundation
import IDXNetwork
import IDXOAuth

/// Posts to the loopback interface.
enum LoopbackClient {
  static func post(_ url: URL, _ body: String) async throws -> (String, Int) {
    let response = try await URLSessionTransport().send(
      TransportRequest(
        method: "POST", url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
        body: Array(body.utf8)))
    return (String(decoding: response.body, as: UTF8.self), response.status)
  }
}
