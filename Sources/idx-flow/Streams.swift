#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

import IDXSystem

/// The standard streams: results go to the output, everything else to the error stream.
struct Streams: Sendable {
  /// Writes a line of results.
  ///
  /// Throws where it cannot be written: a result that is lost is no success.
  func result(_ line: String) throws(CommandFailure) {
    guard let code = write(all: Array((line + "\n").utf8), to: STDOUT_FILENO) else { return }
    let reason = String(cString: strerror(code))
    throw CommandFailure(.unexpected, "The output cannot be written: \(reason).")
  }

  /// Puts something in the place of standard streams that were closed before the start.
  ///
  /// The next file or connection would bear the number of the stream, and tokens be written to it.
  /// What is put there cannot be written to, so that a lost result is still no success.
  static func fillClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDONLY)
    }
  }

  /// Whether results go to a terminal, where anybody may look on.
  var showsResults: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes a line for the person.
  ///
  /// Where that fails, nobody is left to tell.
  func note(_ line: String) { _ = write(all: Array((line + "\n").utf8), to: STDERR_FILENO) }
}
