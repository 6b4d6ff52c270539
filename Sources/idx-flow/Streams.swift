#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

import IDXPrompt

/// The standard streams: results go to the output, everything else to the error stream.
struct Streams: Sendable {
  /// Writes a line of results.
  func result(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

  /// Writes a line for the person.
  func note(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  /// A reader that is gone is told by SIGPIPE; nobody is left to tell about another failure.
  private func write(_ text: String, to descriptor: Int32) {
    _ = IDXPrompt.write(all: Array(text.utf8), to: descriptor)
  }
}
