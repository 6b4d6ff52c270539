#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Restores the terminal when the process crashes or another signal ends it, so that the shell is usable.
enum TerminalRestoration {
  /// The signals that a failed check or an invalid access sends to the process.
  private static let crashes = [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGSYS]

  /// The other signals that end a process, unless it has an action of its own for them.
  private static let others = {
    let portable = [SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ]
    #if os(Linux)
      return portable + [SIGIO, SIGPWR, SIGSTKFLT]
    #else
      return portable
    #endif
  }()

  private struct Saved {
    var descriptor: Int32 = -1
    var mode = termios()
    var marksPastes = false
    let pastesOff = strdup(InteractiveTerminal.markingPastes(false))
    /// The actions before ours, by the number of the signal.
    let actions = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
  }

  // A signal handler can use global values only, and must not allocate.
  private nonisolated(unsafe) static let saved = {
    let saved = UnsafeMutablePointer<Saved>.allocate(capacity: 1)
    saved.initialize(to: Saved())
    return saved
  }()

  /// Remembers the mode of the terminal and installs the handlers; returns the earlier actions.
  ///
  /// After the terminal was restored, the earlier action follows, such as that of Swift's backtraces.
  static func prepare(_ terminal: InteractiveTerminal) -> [(signal: Int32, action: sigaction)] {
    guard let (descriptor, mode, marksPastes) = terminal.modeToRestore else { return [] }
    (saved.pointee.descriptor, saved.pointee.mode) = (descriptor, mode.attributes)
    saved.pointee.marksPastes = marksPastes
    return (crashes + others).compactMap { number in
      let earlier = saved.pointee.actions + Int(number)
      sigaction(number, nil, earlier)
      let handler = signal(number) { caught in
        let saved = TerminalRestoration.saved
        let descriptor = saved.pointee.descriptor
        // In the background, the terminal is the shell's, and to change it would stop the process.
        if tcgetpgrp(descriptor) == getpgrp() {
          tcsetattr(descriptor, TCSANOW, &saved.pointee.mode)
          if saved.pointee.marksPastes, let text = saved.pointee.pastesOff {
            write(descriptor, text, strlen(text))
          }
        }
        sigaction(caught, saved.pointee.actions + Int(caught), nil)
        // Delivered when this handler returns, where the crash was.
        raise(caught)
      }
      // Where a program has its own action, it goes on, and needs the terminal as it is.
      let isDefault = unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_DFL, to: Int.self)
      guard isDefault || crashes.contains(number) else {
        sigaction(number, earlier, nil)
        return nil
      }
      return (number, earlier.pointee)
    }
  }
}
