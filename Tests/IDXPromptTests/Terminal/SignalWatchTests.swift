import Dispatch
import Expectations
import TerminalSupport
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

  @Test("The first signal interrupts and each further one is a repetition, also for a second watch")
  func calls() async throws {
    let before = action(of: SIGWINCH)
    for _ in 0..<3 {
      let (signals, continuation) = AsyncStream.makeStream(of: String.self)
      let watch = SignalWatch(
        interrupts: [SIGWINCH], terminal: nil, onInterrupt: { continuation.yield("first \($0)") },
        onRepetition: { continuation.yield("again \($0)") })
      var iterator = signals.makeAsyncIterator()
      for call in ["first", "again", "again"] {
        kill(getpid(), SIGWINCH)
        await expectEqual(iterator.next(), "\(call) \(SIGWINCH)")
      }
      watch.end()
      watch.end()
      expectEqual(action(of: SIGWINCH), before)
    }
  }

  @Test("A second signal restores the terminal even while the first one is handled")
  func restores() async throws {
    let pseudo = try PseudoTerminal()
    let before = pseudo.settings
    let terminal = try InteractiveTerminal(path: pseudo.path, environment: [:])
    let isBusy = DispatchSemaphore(value: 0)
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let watch = SignalWatch(
      interrupts: [SIGWINCH], terminal: terminal, restoreTimeout: .seconds(3600),
      onInterrupt: { _ in
        continuation.yield(1)
        isBusy.wait()
      }, onRepetition: { _ in continuation.yield(2) })
    var iterator = signals.makeAsyncIterator()
    let answer = Task { try await terminal.readLine(prompt: "Password: ", secret: true) }
    _ = try await pseudo.shown(until: "Password: ")
    kill(getpid(), SIGWINCH)
    await expect(iterator.next() == 1 && !pseudo.settings.echoes)
    kill(getpid(), SIGWINCH)
    await expect(iterator.next() == 2 && pseudo.settings == before)
    isBusy.signal()
    watch.end()
    answer.cancel()
    _ = await answer.result
  }

  @Test("A second signal is handled even while the terminal takes no output")
  func blocked() async throws {
    let pseudo = try PseudoTerminal()
    let terminal = try InteractiveTerminal(path: pseudo.path, environment: [:])
    let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
    let watch = SignalWatch(
      interrupts: [SIGWINCH], terminal: terminal, restoreTimeout: .milliseconds(1),
      onInterrupt: { _ in continuation.yield(1) }, onRepetition: { _ in continuation.yield(2) })
    var iterator = signals.makeAsyncIterator()
    // More than the system keeps until somebody reads it.
    let text = String(repeating: "x", count: 1 << 17) + "end"
    DispatchQueue(label: "writer").async { terminal.write(text) }
    _ = try await pseudo.shown(until: "x")
    kill(getpid(), SIGWINCH)
    await expectEqual(iterator.next(), 1)
    kill(getpid(), SIGWINCH)
    await expectEqual(iterator.next(), 2)
    _ = try await pseudo.shown(until: "end")
    watch.end()
  }

  @Test("A signal that is ignored stays ignored")
  func ignored() {
    signal(SIGURG, SIG_IGN)
    defer { signal(SIGURG, SIG_DFL) }
    let ignoring = action(of: SIGURG)
    let watch = SignalWatch(
      interrupts: [SIGURG], terminal: nil, onInterrupt: { _ in }, onRepetition: { _ in })
    expectEqual(action(of: SIGURG), ignoring)
    watch.end()
    expectEqual(action(of: SIGURG), ignoring)
  }
}
