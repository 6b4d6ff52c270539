import IDXSystem
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Makes the signals of a terminal part of the program: interrupts end the work in good order, and
/// stopping leaves the terminal fit for the shell.
///
/// What a process does on a signal is one state for the whole process, so that a program has one watch
/// at most, made where it is put together. While the watch lives:
/// - SIGINT, SIGQUIT, SIGTERM and SIGHUP do not end the process but call the closure, which is to cancel
///   the running task;
/// - SIGTSTP (Ctrl-Z) puts the terminal back and stops the process, as it would without the watch;
/// - SIGCONT goes on asking where a line was being asked for.
///
/// A signal that is ignored when the watch is made, as SIGHUP under `nohup`, stays ignored.
///
///     let watch = SignalWatch(terminal: terminal) { _ in task.cancel() }
///     defer { watch.end() }
public final class SignalWatch {
  private struct Watched {
    let signal: Int32
    var earlierAction: sigaction
  }

  // A signal handler reaches nothing but what is global. It is nil where the process has no descriptors
  // left; signals then do what they did. (The signal sources of Dispatch would need no pipe, but on
  // Linux they catch nothing again once the action of the signal was put back.)
  private static let caught = try? SelfPipe()

  private var watched: [Watched] = []
  private let active = DispatchGroup()
  private var source: (any DispatchSourceRead)?

  /// Watches from now on.
  ///
  /// - Parameters:
  ///   - terminal: The terminal to suspend and resume; where it is nil, stopping is left to the system.
  ///   - onInterrupt: Called with the number of the signal, on a thread of no task, one call at a time,
  ///     again for each signal.
  public convenience init(
    terminal: InteractiveTerminal?, onInterrupt: @escaping @Sendable (Int32) -> Void
  ) {
    self.init(
      interrupts: [SIGINT, SIGQUIT, SIGTERM, SIGHUP], terminal: terminal, onInterrupt: onInterrupt)
  }

  init(
    interrupts: [Int32], terminal: InteractiveTerminal?,
    onInterrupt: @escaping @Sendable (Int32) -> Void
  ) {
    guard let caught = Self.caught else { return }
    caught.drain()
    // What is done on a signal has a queue apart from that of the source, so that it may call `end()`,
    // which waits for the source.
    let events = DispatchQueue(label: "idx-flow.signals.events", qos: .userInitiated)
    let work = DispatchQueue(label: "idx-flow.signals", qos: .userInitiated)
    let source = DispatchSource.makeReadSource(fileDescriptor: caught.descriptor, queue: events)
    source.setEventHandler {
      for signal in caught.drain().map(Int32.init) {
        work.async {
          switch (signal, terminal) {
          case (SIGTSTP, let terminal?): Self.stop(terminal)
          // In a turn of its own, so that a signal to end that came while stopped goes first.
          case (SIGCONT, let terminal?): work.async { terminal.resume() }
          default: onInterrupt(signal)
          }
        }
      }
    }
    active.enter()
    source.setCancelHandler { [active] in active.leave() }
    source.activate()
    self.source = source
    for signal in interrupts + (terminal == nil ? [] : [SIGTSTP, SIGCONT]) {
      watched += Self.catch(signal).map { [Watched(signal: signal, earlierAction: $0)] } ?? []
    }
  }

  deinit { end() }

  /// Ends the watch: each signal does again what it did before.
  ///
  /// To call it twice does no more.
  public func end() {
    for var watched in watched { sigaction(watched.signal, &watched.earlierAction, nil) }
    watched = []
    source?.cancel()
    source = nil
    // Else it could take what is sent to the next watch.
    active.wait()
  }

  /// Catches the signal from now on; nil where it is ignored and stays so.
  private static func `catch`(_ number: Int32) -> sigaction? {
    var action = sigaction()
    sigaction(number, nil, &action)
    let earlier = signal(number) { SignalWatch.caught?.send(UInt8(truncatingIfNeeded: $0)) }
    if unsafeBitCast(earlier, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
      signal(number, SIG_IGN)
      return nil
    }
    // One handler at a time: nested, the last of several signals would be sent first, and SIGCONT would
    // overtake the SIGTERM that `kill` sends a stopped process before it.
    var alone = sigaction()
    sigaction(number, nil, &alone)
    sigfillset(&alone.sa_mask)
    sigaction(number, &alone, nil)
    return action
  }

  private static func stop(_ terminal: InteractiveTerminal) {
    // In the group of the session's leader there is no shell that could continue the process.
    guard getpgrp() != getsid(0) else { return }
    terminal.suspend()
    raise(SIGSTOP)
  }
}
