import Dispatch
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A terminal without a window: what a program writes to `path` is read here, and what is typed here is
/// read there.
final class PseudoTerminal: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The settings of the terminal that a program may change and has to put back.
  struct Settings: Equatable {
    let input: tcflag_t
    let output: tcflag_t
    let control: tcflag_t
    let local: tcflag_t
    let characters: [UInt8]

    var echoes: Bool { local & tcflag_t(ECHO) != 0 }
  }

  /// The device for the program to open.
  let path: String
  private let master: Int32
  // Kept open, as a terminal that nobody has open hangs up.
  private let slave: Int32
  // Waiting for the terminal must not keep the threads of the tasks from running.
  private let waiting = DispatchQueue(label: "pseudo-terminal")

  init() throws {
    var ends: (master: Int32, slave: Int32) = (-1, -1)
    var name = [CChar](repeating: 0, count: 128)
    guard openpty(&ends.master, &ends.slave, nil, nil, nil) == 0,
      ttyname_r(ends.slave, &name, name.count) == 0
    else { throw Failure(description: "no pseudo-terminal (error \(errno))") }
    (master, slave) = ends
    path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    _ = fcntl(master, F_SETFD, FD_CLOEXEC)
    _ = fcntl(slave, F_SETFD, FD_CLOEXEC)
  }

  deinit {
    close(master)
    close(slave)
  }

  var settings: Settings {
    var attributes = termios()
    tcgetattr(slave, &attributes)
    return Settings(
      input: attributes.c_iflag, output: attributes.c_oflag, control: attributes.c_cflag,
      local: attributes.c_lflag, characters: withUnsafeBytes(of: attributes.c_cc) { Array($0) })
  }

  func change(_ body: (inout termios) -> Void) {
    var attributes = termios()
    tcgetattr(slave, &attributes)
    body(&attributes)
    tcsetattr(slave, TCSANOW, &attributes)
  }

  func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Types the text; `\u{4}` is Ctrl-D.
  func type(_ text: String) throws { try type(Array(text.utf8)) }

  func type(_ bytes: [UInt8]) throws {
    guard write(master, bytes, bytes.count) == bytes.count else {
      throw Failure(description: "typing failed (error \(errno))")
    }
  }

  /// What the terminal shows from now on, up to and with the text.
  func shown(until end: String) async throws -> String {
    try await shown(to: end) { Array($0.suffix(end.utf8.count)) == Array(end.utf8) }
  }

  /// What the terminal shows from now on, so many bytes of it.
  func shown(count: Int) async throws -> String {
    try await shown(to: "\(count) bytes") { $0.count == count }
  }

  /// Waits until so many bytes of whole lines lie ready for the program to read.
  func waitForInput(count: Int) async throws {
    try await off { [slave] in
      let deadline = ContinuousClock.now + .seconds(300)
      var ready: Int32 = 0
      while ioctl(slave, UInt(FIONREAD), &ready) == 0, ready < count {
        guard ContinuousClock.now < deadline else {
          throw Failure(description: "\(ready) of \(count) bytes ready in time")
        }
        sched_yield()
      }
    }
  }

  /// Waits until a program has changed the settings.
  func waitForChange(from settings: Settings) async throws {
    try await off { [self] in
      let deadline = ContinuousClock.now + .seconds(300)
      while self.settings == settings {
        guard ContinuousClock.now < deadline else {
          throw Failure(description: "the settings stayed as they were")
        }
        sched_yield()
      }
    }
  }

  private func shown(
    to end: String, when isDone: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws -> String {
    try await off { [master] in
      let deadline = ContinuousClock.now + .seconds(300)
      var bytes: [UInt8] = []
      while !isDone(bytes) {
        let left = ContinuousClock.now.duration(to: deadline).components.seconds
        var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        // One byte at a time, so that what is shown after the end is left for the next call.
        var byte: UInt8 = 0
        guard left > 0, poll(&descriptor, 1, Int32(left) * 1000) == 1, read(master, &byte, 1) == 1
        else {
          let text = String(decoding: bytes, as: UTF8.self)
          throw Failure(
            description: "waited for \(end.debugDescription), saw \(text.debugDescription)")
        }
        bytes.append(byte)
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  private func off<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      waiting.async { continuation.resume(with: Result { try body() }) }
    }
  }
}
