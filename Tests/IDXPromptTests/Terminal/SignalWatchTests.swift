import Testing

@testable import IDXPrompt

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

// These two signals are ignored by default, so they do not disturb other tests. A process has one watch
// at a time, so the tests are serialized.
@Suite(.serialized) struct SignalWatchTests {
  private func action(of signal: Int32) -> Int {
    var action = sigaction()
    sigaction(signal, nil, &action)
    return withUnsafeBytes(of: &action) { $0.load(as: Int.self) }
  }

  @Test("Each signal calls the closure until the watch ends, also for a second watch")
  func calls() async throws {
    let before = action(of: SIGWINCH)
    for _ in 0..<3 {
      let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
      let watch = SignalWatch(interrupts: [SIGWINCH], terminal: nil) { continuation.yield($0) }
      var iterator = signals.makeAsyncIterator()
      for _ in 0..<3 {
        kill(getpid(), SIGWINCH)
        #expect(await iterator.next() == SIGWINCH)
      }
      watch.end()
      watch.end()
      #expect(action(of: SIGWINCH) == before)
    }
  }

  @Test("A signal that is ignored stays ignored")
  func ignored() {
    signal(SIGURG, SIG_IGN)
    defer { signal(SIGURG, SIG_DFL) }
    let ignoring = action(of: SIGURG)
    let watch = SignalWatch(interrupts: [SIGURG], terminal: nil) { _ in }
    #expect(action(of: SIGURG) == ignoring)
    watch.end()
    #expect(action(of: SIGURG) == ignoring)
  }
}
