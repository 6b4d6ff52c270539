import Dispatch
import Foundation

/// Ctrl-C and SIGTERM, which no longer end the process as soon as this value exists.
///
///     let signals = EndSignals()
///     let server = try HTTPServer(port: 8080, handler: handler)
///     await signals.wait()
///     await server.stop()
public struct EndSignals {
  private let ends: AsyncStream<Void>
  private let sources: [any DispatchSourceSignal]

  /// Begins to receive the signals.
  public init() {
    let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
    self.ends = ends
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setEventHandler { continuation.finish() }
      source.resume()
      return source
    }
  }

  /// Waits for one of the signals; returns immediately if it has already arrived.
  public func wait() async {
    for await _ in ends {}
    withExtendedLifetime(sources) {}
  }
}
