import IDXFlow

/// Adds a header field to each request, and counts the requests.
actor TracingTransport: Transport {
  private let transport: any Transport
  private let traceID: String
  private(set) var count = 0

  init(_ transport: any Transport, traceID: String) {
    self.transport = transport
    self.traceID = traceID
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var request = request
    request.headers["X-Trace-ID"] = traceID
    count += 1
    return try await transport.send(request)
  }
}
