public import IDXBase
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The descriptor of a terminal, and the system calls on it.
///
/// The terminal is opened again rather than used through the standard streams, so that it can be
/// non-blocking without an effect on the shell and other processes.
final class TerminalDevice: Sendable {
  let descriptor: Int32

  init(path: String) throws(TerminalError) {
    let opened = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard opened >= 0 else {
      let code = errno
      throw TerminalError(
        .unavailable,
        message:
          "There is no terminal: \(path) cannot be opened (\(String(cString: strerror(code)))).",
        systemCode: code)
    }
    guard opened < Readiness.limit, TerminalMode(of: opened) != nil else {
      close(opened)
      throw TerminalError(.unavailable, message: "\(path) is not a usable terminal.")
    }
    descriptor = opened
  }

  deinit { close(descriptor) }

  /// The columns and rows of the window; nil if the terminal does not report them.
  var size: (columns: Int, rows: Int)? { Self.size(of: descriptor) }

  static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var window = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 else { return nil }
    guard window.ws_col > 0, window.ws_row > 0 else { return nil }
    return (Int(window.ws_col), Int(window.ws_row))
  }

  /// Whether another process group has the terminal, so that this process must not change its mode.
  ///
  /// Always false for a terminal that is not the controlling one, as in tests.
  var isInBackground: Bool {
    let group = tcgetpgrp(descriptor)
    return group > 0 && group != getpgrp()
  }

  /// Reads the available bytes without waiting.
  ///
  /// Returns nil if the terminal was closed.
  func readAvailable() throws(TerminalError) -> [UInt8]? {
    var code: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      let result = read(descriptor, buffer.baseAddress, buffer.count)
      code = result < 0 ? errno : 0
      count = max(result, 0)
    }
    switch code {
    case 0: return bytes.isEmpty ? nil : bytes
    case EAGAIN, EINTR: return []
    // A hang-up, or a background process that nothing can bring to the foreground.
    case EIO: return nil
    default:
      throw TerminalError(
        .failed, message: "Reading from the terminal failed: \(String(cString: strerror(code))).",
        systemCode: code)
    }
  }

  /// Writes the whole text, and waits if the terminal is slow; ignores errors.
  func write(_ text: String) {
    _ = IDXSystem.write(all: Array(text.utf8), to: descriptor)
  }

  /// Drops typed bytes that were not read.
  func discardInput() {
    tcflush(descriptor, TCIFLUSH)
  }
}

/// How a terminal treats typed keys: echo, line editing, keys that send signals.
struct TerminalMode: Sendable {
  private(set) var attributes: termios

  /// The current mode of a terminal; nil if the descriptor is not a terminal.
  init?(of descriptor: Int32) {
    var attributes = termios()
    guard tcgetattr(descriptor, &attributes) == 0 else { return nil }
    self.attributes = attributes
  }

  /// This mode, changed to read single keys without showing them.
  ///
  /// Ctrl-C, Ctrl-Z and Ctrl-\ still send signals. Ctrl-S does not stop the output, which would block the
  /// tasks that write.
  var readingKeys: TerminalMode {
    var mode = self
    mode.attributes.c_iflag &= ~tcflag_t(ICRNL | INLCR | IGNCR | IXON | ISTRIP)
    mode.attributes.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | IEXTEN)
    mode.attributes.c_lflag |= tcflag_t(ISIG)
    withUnsafeMutableBytes(of: &mode.attributes.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    return mode
  }

  /// Sets the mode of a terminal and keeps text that was typed ahead; ignores errors.
  ///
  /// A process in the background is stopped (SIGTTOU) until it is in the foreground.
  func apply(to descriptor: Int32) {
    var attributes = attributes
    while tcsetattr(descriptor, TCSANOW, &attributes) != 0, errno == EINTR {}
  }
}

/// Stops a background process that needs the terminal, as shells expect.
enum JobControl {
  /// Runs the body with SIGTTIN and SIGTTOU unblocked, so that the system can stop the process.
  ///
  /// The threads of Dispatch block nearly all signals. While these two are blocked, reading in the
  /// background fails and a change of the mode disturbs the shell, instead of stopping the process.
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

  /// Stops the process group until the shell continues it.
  ///
  /// The system ignores this if there is no shell that could continue it.
  static func stopInBackground() {
    stoppable { _ = kill(0, SIGTTOU) }
  }
}

/// Why a terminal could not be used.
public struct TerminalError: CodedError {
  /// What went wrong.
  public struct Code: OpenSet {
    /// The name of the code.
    public let rawValue: String
    /// Creates a code with this name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// There is no terminal: no such device, no controlling terminal, or another kind of file.
    public static let unavailable: Code = "unavailable"
    /// The system failed to read from the terminal.
    public static let failed: Code = "failed"
  }

  /// What went wrong.
  public let code: Code
  /// What was tried and what happened.
  public let message: String
  /// The system's `errno`; zero if the system reported none.
  public let systemCode: Int32

  /// Creates an error.
  init(_ code: Code, message: String, systemCode: Int32 = 0) {
    self.code = code
    self.message = message
    self.systemCode = systemCode
  }
}
