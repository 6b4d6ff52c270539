#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Stopping as the shell expects of a process in the background that needs the terminal.
enum JobControl {
  /// Runs the body so that the system can stop the process in it.
  ///
  /// The threads of Dispatch block nearly all signals. Where SIGTTIN and SIGTTOU are blocked, reading in
  /// the background fails and changing the mode disturbs the shell, instead of either stopping.
  static func stoppable<Result>(_ body: () throws -> Result) rethrows -> Result {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGTTIN)
    sigaddset(&signals, SIGTTOU)
    var earlier = sigset_t()
    pthread_sigmask(SIG_UNBLOCK, &signals, &earlier)
    defer { pthread_sigmask(SIG_SETMASK, &earlier, nil) }
    return try body()
  }

  /// Stops the process and its group until the shell continues them.
  ///
  /// Where no shell could, which the system knows, it does nothing.
  static func stopInBackground() {
    stoppable { _ = kill(0, SIGTTOU) }
  }
}
