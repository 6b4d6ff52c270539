import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A terminal for a program to run in, and what it shows.
final class Window: Sendable {
  let path: String
  private let master: Int32
  // Kept open, as a terminal that nobody has open hangs up.
  private let slave: Int32
  private let waiting = DispatchQueue(label: "window")

  init() throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&ends.master, &ends.slave, nil, nil, nil) == 0,
      ttyname_r(ends.slave, &name, name.count) == 0
    else { throw Program.Failure(description: "no pseudo-terminal (error \(errno))") }
    (master, slave) = ends
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close(master)
    close(slave)
  }

  /// Starts a sign-in to the demo at this terminal.
  func demo(_ options: String...) throws -> Program {
    try Program(
      ["signin", "--demo"] + options,
      environment: ["TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1"], input: path)
  }

  var echoes: Bool {
    var attributes = termios()
    return tcgetattr(slave, &attributes) == 0 && attributes.c_lflag & tcflag_t(ECHO) != 0
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(master, bytes, bytes.count)
  }

  /// What is shown from now on, up to and with the text.
  @discardableResult
  func shown(until end: String) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      waiting.async { continuation.resume(with: Result { try self.read(until: end) }) }
    }
  }

  private func read(until end: String) throws -> String {
    let deadline = ContinuousClock.now + .seconds(120)
    var bytes: [UInt8] = []
    while !bytes.reversed().starts(with: end.utf8.reversed()) {
      let left = ContinuousClock.now.duration(to: deadline).components.seconds
      var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      var byte: UInt8 = 0
      guard left > 0, poll(&descriptor, 1, Int32(left) * 1000) == 1,
        system(&byte) == 1
      else {
        let text = String(decoding: bytes, as: UTF8.self)
        throw Program.Failure(
          description: "waited for \(end.debugDescription), saw \(text.debugDescription)")
      }
      bytes.append(byte)
    }
    return String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
  }

  private func system(_ byte: inout UInt8) -> Int {
    #if canImport(Glibc)
      Glibc.read(master, &byte, 1)
    #elseif canImport(Musl)
      Musl.read(master, &byte, 1)
    #else
      Darwin.read(master, &byte, 1)
    #endif
  }
}
