import IDXBase

/// A transport that says once that a response takes long, for commands that show nothing else meanwhile.
struct PatientTransport: Transport {
  private let other: any Transport
  private let pause: @Sendable () async throws -> Void
  private let onWait: @Sendable (_ host: String) -> Void
  private let hasSaid = Locked(false)

  /// `onWait` gets the host that is waited for, after the `pause`: three seconds by default.
  init(
    _ other: any Transport,
    pause: @escaping @Sendable () async throws -> Void = { try await Task.sleep(for: .seconds(3)) },
    onWait: @escaping @Sendable (_ host: String) -> Void
  ) {
    (self.other, self.pause, self.onWait) = (other, pause, onWait)
  }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let waiting = Task { [pause, onWait, hasSaid] in
      try await pause()
      try Task.checkCancellation()
      let isFirst = hasSaid.withLock { said in
        defer { said = true }
        return !said
      }
      if isFirst { onWait(Origin(request.url).host) }
    }
    defer { waiting.cancel() }
    return try await other.send(request)
  }
}
