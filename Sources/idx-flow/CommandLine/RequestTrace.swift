import Foundation
import IDXBase
import IDXOAuth

/// Writes one line for each request: the method, the path, the status, the time, and the ID of the request.
///
/// A trace contains no secret: bodies, header fields and the query of an address are left out. With
/// `--verbose`, it goes to standard error.
struct RequestTrace: Transport {
  static let option = OptionSpec(
    "--verbose", "write each request to standard error: method, path, status, time, ID")

  private let other: any Transport
  private let now: @Sendable () -> ContinuousClock.Instant
  private let write: @Sendable (String) -> Void
  /// What was sent, which the server may repeat in the path of a later request or in an ID.
  private let sent = Locked<[SecretRedactor]>([])

  /// The transport, traced if the command line asks for it.
  static func ifAsked(_ call: CommandCall, _ transport: any Transport) -> any Transport {
    guard call.has(option) else { return transport }
    let streams = call.streams
    return RequestTrace(transport) { streams.log(text: $0) }
  }

  init(
    _ other: any Transport, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.other = other
    self.now = now
    self.write = write
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let start = now()
    let redactors = sent.withLock { sent in
      sent = sent.suffix(50) + [SecretRedactor(request)]
      return sent
    }
    func line(_ result: String) {
      let milliseconds = Int((now() - start) / .milliseconds(1))
      let path = request.url.path(percentEncoded: true).shortened(to: 300)
      let text = redactors.reduce("\(path) \(result)") { $1.removed(from: $0) }
      write("trace: \(request.method) \(text), \(milliseconds) ms".sanitized)
    }
    do {
      let response = try await other.send(request)
      let id = response.header("X-Okta-Request-Id").map { ", request \($0.shortened(to: 100))" }
      line("\(response.status)\(id ?? "")")
      return response
    } catch {
      let other = error is CancellationError ? "canceled" : "failed"
      line((error as? TransportError)?.code.rawValue ?? other)
      throw error
    }
  }
}
