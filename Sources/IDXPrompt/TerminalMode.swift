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

  /// The byte of the key that ends the input, Ctrl-D mostly.
  var endOfInput: UInt8 { withUnsafeBytes(of: attributes.c_cc) { $0[Int(VEOF)] } }

  /// This mode, made fit to ask for a line or a key, whatever another program has left behind.
  func asking(for kind: LineRequest.Kind) -> TerminalMode {
    var mode = self
    mode.attributes.c_iflag |= tcflag_t(ICRNL)
    mode.attributes.c_lflag |= tcflag_t(ICANON) | tcflag_t(ISIG)
    switch kind {
    case .line: mode.attributes.c_lflag |= tcflag_t(ECHO)
    case .secretLine: mode.attributes.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ECHONL))
    case .key:
      mode.attributes.c_lflag &= ~(tcflag_t(ECHO) | tcflag_t(ECHONL) | tcflag_t(ICANON))
      // Ctrl-S would stop what keeps moving, and the task that moves it.
      mode.attributes.c_iflag &= ~tcflag_t(IXON)
      withUnsafeMutableBytes(of: &mode.attributes.c_cc) { characters in
        characters[Int(VMIN)] = 1
        characters[Int(VTIME)] = 0
      }
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
