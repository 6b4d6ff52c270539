import IDXSystem
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The descriptor of a terminal, opened for us alone, and the system calls on it.
///
/// It is opened rather than taken from the standard streams, so that it can be non-blocking without
/// the shell and other processes noticing.
final class TerminalDevice: Sendable {
  /// What there was to read.
  enum Input {
    case bytes([UInt8])
    case nothing
    /// Ctrl-D on an empty line, or the terminal is gone.
    case end
  }

  let descriptor: Int32

  init(path: String) throws(TerminalError) {
    let opened = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else {
      let code = errno
      throw TerminalError(
        .unavailable, message: "There is no terminal: \(path) cannot be opened (error \(code)).",
        systemCode: code)
    }
    guard opened < Readiness.limit, TerminalMode(of: opened) != nil else {
      close(opened)
      throw TerminalError(.unavailable, message: "\(path) is no terminal that can be used.")
    }
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// The columns and rows of the window; nil where the terminal does not know them.
  var size: (columns: Int, rows: Int)? {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
    guard window.ws_col > 0, window.ws_row > 0 else { return nil }
    return (Int(window.ws_col), Int(window.ws_row))
  }

  /// Whether another process group has the terminal, so that its mode is not ours to set.
  ///
  /// A terminal that is not the controlling one, as in a test, has no such group.
  var isInBackground: Bool {
    let group = tcgetpgrp(descriptor)
    return group > 0 && group != getpgrp()
  }

  /// Reads what there is, without waiting.
  func take() throws(TerminalError) -> Input {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      let result = read(descriptor, buffer.baseAddress, buffer.count)
      code = result < 0 ? errno : 0
      count = max(result, 0)
    }
    switch code {
    case 0: return bytes.isEmpty ? .end : .bytes(bytes)
    case EAGAIN, EINTR: return .nothing
    // A hang-up, or a background process that nothing can bring to the foreground.
    case EIO: return .end
    default:
      throw TerminalError(
        .failed, message: "Reading from the terminal failed (error \(code)).", systemCode: code)
    }
  }

  /// Writes all of the text, waiting where the terminal is slow; into a terminal that is gone, nothing.
  func put(_ text: String) {
    _ = write(all: Array(text.utf8), to: descriptor)
  }

  /// Drops what was typed and not read.
  func discardInput() {
    tcflush(descriptor, TCIFLUSH)
  }
}
