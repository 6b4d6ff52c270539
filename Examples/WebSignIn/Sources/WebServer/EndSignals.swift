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
    let numbers = [SIGINT, SIGTERM]
    // A source receives signals only some time after it is resumed; a signal that is ignored until then would be lost.
    let registered = DispatchSemaphore(value: 0)
    sources = numbers.map { number in
      let source = DispatchSource.makeSignalSource(signal: number)
      source.setRegistrationHandler { registered.signal() }
      source.setEventHandler { continuation.finish() }
      source.resume()
      return source
    }
    for _ in numbers { registered.wait() }
    // On Linux, the source has a handler of its own, which this would replace.
    #if !os(Linux)
      for number in numbers { signal(number, SIG_IGN) }
    #endif
  }

  /// Waits for one of the signals; returns immediately if it has already arrived.
  public func wait() async {
    for await _ in ends {}
    withExtendedLifetime(sources) {}
  }
}
