import Dispatch
import IDXBase
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Handles the signals of a terminal: interrupts cancel the work, and stopping restores the terminal for
/// the shell.
///
/// Signal handlers belong to the whole process, so a program has at most one watch, created where the
/// program is put together. While the watch exists:
/// - The first SIGINT, SIGQUIT, SIGTERM or SIGHUP does not end the process. It calls the closure, which
///   should cancel the running task.
/// - A further SIGINT, SIGQUIT or SIGTERM restores the terminal and ends the process at once, with the
///   exit status 130. (A closed window can send SIGHUP more than once, so that changes nothing.)
/// - SIGTSTP (Ctrl-Z) restores the terminal and stops the process.
/// - SIGCONT continues to read the line that was being read.
/// - SIGWINCH draws it again for the new size of the window.
/// - A signal of a crash, or another one that ends the process, restores the terminal and then does what it would
///   without the watch.
///
/// A signal that is ignored when the watch is created, such as SIGHUP under `nohup`, stays ignored.
///
///     let watch = SignalWatch(terminal: terminal) { _ in task.cancel() }
///     defer { watch.end() }
package final class SignalWatch {
  // A signal handler can use global values only. Nil if the process has no descriptors left; signals
  // then keep their actions. (The signal sources of Dispatch would need no pipe, but on Linux they stop
  // working after the action of the signal was restored.)
  private static let caught = try? SelfPipe()

  private var earlierActions: [(signal: Int32, action: sigaction)] = []
  private let active = DispatchGroup()
  private var source: (any DispatchSourceRead)?

  /// Creates a watch and starts it.
  ///
  /// - Parameters:
  ///   - terminal: The terminal to suspend and resume; if nil, the system handles SIGTSTP and SIGCONT.
  ///   - onInterrupt: Called with the number of the first signal, outside any task.
  package convenience init(
    terminal: InteractiveTerminal?, onInterrupt: @escaping @Sendable (Int32) -> Void
  ) {
    self.init(
      interrupts: [SIGINT, SIGQUIT, SIGTERM, SIGHUP], terminal: terminal, onInterrupt: onInterrupt,
      onRepetition: { signal in if signal != SIGHUP { _exit(130) } })
  }

  /// `onRepetition` is called for each further signal, even while `onInterrupt` runs: after the terminal
  /// was restored, or after a timeout, because a terminal that takes no output cannot be.
  init(
    interrupts: [Int32], terminal: InteractiveTerminal?,
    restoreTimeout: DispatchTimeInterval = .seconds(1),
    onInterrupt: @escaping @Sendable (Int32) -> Void,
    onRepetition: @escaping @Sendable (Int32) -> Void
  ) {
    guard let caught = Self.caught else { return }
    caught.drain()
    // The work has a queue of its own, so that it may call `end()`, which waits for the source.
    let events = DispatchQueue(label: "idx-flow.signals.events", qos: .userInitiated)
    let work = DispatchQueue(label: "idx-flow.signals", qos: .userInitiated)
    let source = DispatchSource.makeReadSource(fileDescriptor: caught.descriptor, queue: events)
    let wasInterrupted = Locked(false)
    source.setEventHandler {
      for signal in caught.drain().map(Int32.init) {
        switch (signal, terminal) {
        case (SIGTSTP, let terminal?): work.async { Self.stop(terminal) }
        // Queued again, so that a signal to end that arrived while stopped is handled first.
        case (SIGCONT, let terminal?): work.async { work.async { terminal.resume() } }
        case (SIGWINCH, let terminal?) where !interrupts.contains(SIGWINCH):
          work.async { terminal.resized() }
        case _ where !wasInterrupted.withLock { $0 }:
          wasInterrupted.withLock { $0 = true }
          work.async { onInterrupt(signal) }
        default:
          if signal != SIGHUP, let terminal {
            let isRestored = DispatchSemaphore(value: 0)
            DispatchQueue(label: "idx-flow.signals.end", qos: .userInitiated).async {
              terminal.suspend()
              isRestored.signal()
            }
            _ = isRestored.wait(timeout: .now() + restoreTimeout)
          }
          onRepetition(signal)
        }
      }
    }
    active.enter()
    source.setCancelHandler { [active] in active.leave() }
    source.activate()
    self.source = source
    let ofTerminal = terminal == nil ? [] : [SIGTSTP, SIGCONT, SIGWINCH]
    for signal in interrupts + ofTerminal.filter({ !interrupts.contains($0) }) {
      if let action = Self.catch(signal) { earlierActions.append((signal, action)) }
    }
    if let terminal { earlierActions += TerminalRestoration.prepare(terminal) }
  }

  deinit { end() }

  /// Ends the watch and restores the earlier action of each signal; idempotent.
  package func end() {
    for (signal, var action) in earlierActions { sigaction(signal, &action, nil) }
    earlierActions = []
    source?.cancel()
    source = nil
    // Otherwise it could take the signals of the next watch.
    active.wait()
  }

  /// Installs a handler and returns the earlier action; nil if the signal is ignored, and stays so.
  private static func `catch`(_ number: Int32) -> sigaction? {
    var action = sigaction()
    sigaction(number, nil, &action)
    let earlier = signal(number) { SignalWatch.caught?.send(UInt8(truncatingIfNeeded: $0)) }
    if unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(number, SIG_IGN)
      return nil
    }
    // One handler at a time. If handlers were nested, the last of several signals would be sent first,
    // and SIGCONT would overtake the SIGTERM that `kill` sends to a stopped process before it.
    var alone = sigaction()
    sigaction(number, nil, &alone)
    sigfillset(&alone.sa_mask)
    sigaction(number, &alone, nil)
    return action
  }

  private static func stop(_ terminal: InteractiveTerminal) {
    // In the process group of the session leader, no shell could continue the process.
    guard getpgrp() != getsid(0) else { return }
    terminal.suspend()
    raise(SIGSTOP)
  }
}
