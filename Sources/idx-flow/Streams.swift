#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

import POSIX

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

  /// Whether results go to a terminal, where anybody may look on.
  var showsResults: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes a line for the person.
  ///
  /// Where that fails, nobody is left to tell.
  func note(_ line: String) { _ = write(all: Array((line + "\n").utf8), to: STDERR_FILENO) }
}
