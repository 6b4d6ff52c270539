#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard streams: results go to the output, everything else to the error stream.
struct Streams: Sendable {
  /// Writes a line of results.
  func result(_ line: String) { write(line + "\n", to: STDOUT_FILENO) }

  /// Writes a line for the person.
  func note(_ line: String) { write(line + "\n", to: STDERR_FILENO) }

  var errorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  private func write(_ text: String, to descriptor: Int32) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { system(descriptor, $0) }
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      // A reader that is gone is told by SIGPIPE; nobody is left to tell about another failure.
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func system(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
