import Foundation
import IDXBase

#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#else
  package import Darwin
#endif

/// A pseudo-terminal: a test reads what a program writes to `path`, and types what the program reads.
package final class PseudoTerminal: Sendable {
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// The settings of the terminal that a program may change and has to restore.
  package struct Settings: Equatable {
    let input: tcflag_t
    let output: tcflag_t
    let control: tcflag_t
    let local: tcflag_t
    let characters: [UInt8]

    package var echoes: Bool { local & tcflag_t(ECHO) != 0 }
  }

  /// The request of `ioctl` for the number of bytes that can be read.
  private static var readyBytesRequest: UInt {
    #if canImport(Darwin)
      // Swift does not import the macro FIONREAD, `_IOR('f', 127, int)`.
      0x4004_667f
    #else
      UInt(FIONREAD)
    #endif
  }

  /// The device for the program to open.
  package let path: String
  private let master: Int32
  // Kept open, because a terminal that no process has open hangs up.
  private let slave: Int32
  /// Output that was read from the terminal and is left for the next call.
  private let unread = Locked<[UInt8]>([])

  package init() throws {
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

  package var settings: Settings {
    var attributes = termios()
    tcgetattr(slave, &attributes)
    return Settings(
      input: attributes.c_iflag, output: attributes.c_oflag, control: attributes.c_cflag,
      local: attributes.c_lflag, characters: withUnsafeBytes(of: attributes.c_cc) { Array($0) })
  }

  package func change(_ body: (inout termios) -> Void) {
    var attributes = termios()
    tcgetattr(slave, &attributes)
    body(&attributes)
    tcsetattr(slave, TCSANOW, &attributes)
  }

  package func resize(columns: UInt16, rows: UInt16) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(master, UInt(TIOCSWINSZ), &size)
  }

  /// Types the text; `\u{4}` is Ctrl-D.
  package func type(_ text: String) throws { try type(Array(text.utf8)) }

  package func type(_ bytes: [UInt8]) throws {
    guard write(master, bytes, bytes.count) == bytes.count else {
      throw Failure(description: "typing failed (error \(errno))")
    }
  }

  /// The output from now on, up to and including the text.
  package func shown(until end: String) async throws -> String {
    let ending = Array(end.utf8)
    return try await shown(to: end.debugDescription) { bytes in
      // The last byte first, because this is asked after each byte.
      bytes.last == ending.last && bytes.suffix(ending.count).elementsEqual(ending)
    }
  }

  /// The next `count` bytes of the output.
  package func shown(count: Int) async throws -> String {
    try await shown(to: "\(count) bytes") { $0.count == count }
  }

  /// Waits until the program can read `count` bytes together.
  package func waitForInput(count: Int) async throws {
    try await wait(for: "\(count) bytes of input") { [self] in try countReadyBytes() >= count }
  }

  /// Waits until the program has read everything.
  package func waitUntilRead() async throws {
    try await wait(for: "the input to be read") { [self] in try countReadyBytes() == 0 }
  }

  /// The number of bytes that the program can read.
  package func countReadyBytes() throws -> Int {
    var ready: Int32 = 0
    guard ioctl(slave, Self.readyBytesRequest, &ready) == 0 else {
      throw Failure(description: "no count of bytes (error \(errno))")
    }
    return Int(ready)
  }

  /// Waits until a program has changed the settings.
  package func waitForChange(from settings: Settings) async throws {
    try await wait(for: "other settings") { [self] in self.settings != settings }
  }

  private func wait(
    for what: String, isThere: @escaping @Sendable () throws -> Bool
  ) async throws {
    try await onThread {
      let deadline = ContinuousClock.now + .seconds(300)
      while try !isThere() {
        guard ContinuousClock.now < deadline else {
          throw Failure(description: "waited for \(what)")
        }
        // Nothing tells of a change; the pause leaves the processor to the program.
        usleep(1000)
      }
    }
  }

  private func shown(
    to end: String, when isDone: @escaping @Sendable ([UInt8]) -> Bool
  ) async throws -> String {
    try await onThread { [self] in
      var bytes: [UInt8] = []
      do {
        if !isDone(bytes) {
          try consume { byte in
            bytes.append(byte)
            return isDone(bytes)
          }
        }
      } catch {
        let text = String(decoding: bytes, as: UTF8.self)
        throw Failure(description: "waited for \(end), saw \(text.debugDescription)")
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Passes on the output byte by byte, until a byte is the last one of interest.
  package func output(until isDone: @escaping @Sendable (UInt8) -> Bool) async throws {
    try await onThread { [self] in try consume(until: isDone) }
  }

  /// Passes on the output byte by byte until the body wants no more; the rest is left for the next call.
  private func consume(until isDone: (UInt8) -> Bool) throws {
    var bytes = unread.withLock { $0 }
    var position = 0
    defer { unread.withLock { [rest = Array(bytes[position...])] in $0 = rest } }
    while true {
      while position < bytes.count {
        position += 1
        if isDone(bytes[position - 1]) { return }
      }
      bytes = [UInt8](repeating: 0, count: 4096)
      position = 0
      var descriptor = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
      let isReady = poll(&descriptor, 1, 300_000) == 1
      let count = isReady ? read(master, &bytes, bytes.count) : 0
      bytes.removeLast(bytes.count - max(count, 0))
      guard count > 0 else { throw Failure(description: "no more output") }
    }
  }

  /// Runs something that waits for the terminal, which must not block the threads of tasks.
  ///
  /// Dispatch has at most 255 threads, and many tests wait at the same time.
  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
  }
}
