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
    let source: any DispatchSourceSignal
  }

  private var watched: [Watched] = []

  /// Watches from now on.
  ///
  /// - Parameters:
  ///   - terminal: The terminal to suspend and resume; where it is nil, stopping is left to the system.
  ///   - onInterrupt: Called with the number of the signal, on a thread of no task, one call at a time,
  ///     again for each signal.
  public convenience init(
    terminal: Terminal?, onInterrupt: @escaping @Sendable (Int32) -> Void
  ) {
    self.init(
      interrupts: [SIGINT, SIGQUIT, SIGTERM, SIGHUP], terminal: terminal, onInterrupt: onInterrupt)
  }

  init(
    interrupts: [Int32], terminal: Terminal?, onInterrupt: @escaping @Sendable (Int32) -> Void
  ) {
    let queue = DispatchQueue(label: "idx-flow.signals", qos: .userInitiated)
    var handlers: [(signal: Int32, handler: @Sendable () -> Void)] = interrupts.map { signal in
      (signal, { onInterrupt(signal) })
    }
    if let terminal {
      handlers.append((SIGTSTP, { Self.stop(terminal) }))
      // In a turn of its own, so that a signal to end that came while stopped goes first.
      handlers.append((SIGCONT, { queue.async { terminal.resume() } }))
    }
    let registered = DispatchGroup()
    for (signal, handler) in handlers {
      guard let action = Self.ignore(signal) else { continue }
      let source = DispatchSource.makeSignalSource(signal: signal, queue: queue)
      source.setEventHandler(handler: handler)
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.activate()
      watched.append(Watched(signal: signal, earlierAction: action, source: source))
    }
    registered.wait()
  }

  deinit { end() }

  /// Ends the watch: each signal does again what it did before.
  ///
  /// To call it twice does no more.
  public func end() {
    for var watched in watched {
      watched.source.cancel()
      sigaction(watched.signal, &watched.earlierAction, nil)
    }
    watched = []
  }

  /// Turns the system's own action off, which a source leaves on; nil where it was off already.
  private static func ignore(_ number: Int32) -> sigaction? {
    var action = sigaction()
    sigaction(number, nil, &action)
    let earlier = unsafeBitCast(signal(number, SIG_IGN), to: Int.self)
    return earlier == unsafeBitCast(SIG_IGN, to: Int.self) ? nil : action
  }

  private static func stop(_ terminal: Terminal) {
    // In the group of the session's leader there is no shell that could continue the process.
    guard getpgrp() != getsid(0) else { return }
    terminal.suspend()
    raise(SIGSTOP)
  }
}
