#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How a terminal treats what is typed: echo, line editing, keys that send signals.
struct TerminalMode: Sendable {
  private(set) var attributes: termios

  /// The mode that the terminal is in; nil where the descriptor is no terminal.
  init?(of descriptor: Int32) {
    var attributes = termios()
    guard tcgetattr(descriptor, &attributes) == 0 else { return nil }
    self.attributes = attributes
  }

  /// This mode, made fit to ask for a line, whatever another program has left behind.
  func asking(secretly secret: Bool) -> TerminalMode {
    var mode = self
    mode.attributes.c_iflag |= tcflag_t(ICRNL)
    mode.attributes.c_lflag |= tcflag_t(ICANON) | tcflag_t(ISIG)
    if secret {
      mode.attributes.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ECHONL))
    } else {
      mode.attributes.c_lflag |= tcflag_t(ECHO)
    }
    return mode
  }

  /// Puts the terminal into this mode; what was typed ahead stays.
  ///
  /// A terminal that is gone is let be.
  ///
  /// In a process of the background this stops the process (SIGTTOU) until it is in the foreground.
  func apply(to descriptor: Int32) {
    var attributes = attributes
    while tcsetattr(descriptor, TCSANOW, &attributes) != 0, errno == EINTR {}
  }
}
