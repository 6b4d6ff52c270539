import Dispatch
import IDXBase
import Foundation

/// Runs a program with an input and collects its output.
///
/// The program stays in the process group of this process, so that it can ask the user at the terminal.
package struct ExternalProgram: Sendable {
  /// The result of a run.
  package struct Outcome: Sendable {
    /// The exit status; 128 plus the signal number if a signal ended the program.
    package let status: Int32
    package let output: String
    package let errors: String
  }

  package let path: String
  package let environment: [String: String]
  private let terminationTimeout: Duration

  /// Finds a program in the folders of `PATH`; nil if no folder contains it.
  ///
  /// `terminationTimeout` is how long the program may take to end after the task was cancelled.
  package init?(
    named name: String, environment: [String: String], terminationTimeout: Duration = .seconds(2)
  ) {
    let candidates = environment["PATH", default: ""].split(separator: ":").map { "\($0)/\(name)" }
    guard let path = candidates.first(where: { (path: String) in access(path, X_OK) == 0 }) else {
      return nil
    }
    self.path = path
    self.environment = environment
    self.terminationTimeout = terminationTimeout
  }

  /// Runs the program and waits until it has ended and closed its output.
  ///
  /// The input can have any length; what the program does not read of it is dropped. If the task is
  /// cancelled, the program gets SIGTERM, and SIGKILL after the termination timeout; then this throws
  /// `CancellationError`. It does not wait for programs that the program started itself.
  package func run(_ arguments: [String], input: String = "") async throws -> Outcome {
    try Task.checkCancellation()
    let child = Child(terminationTimeout: terminationTimeout, killed: try SelfPipe())
    let outcome = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // Waiting for a program blocks, which a task must not do: so it gets its own thread.
        DispatchQueue(label: "idx-flow.program").async {
          continuation.resume(with: Result { try run(arguments, input, child) })
        }
      }
    } onCancel: {
      child.end()
    }
    try Task.checkCancellation()
    return outcome
  }

  private func run(_ arguments: [String], _ input: String, _ child: Child) throws -> Outcome {
    let (source, output, errors) = (try Pipe(), try Pipe(), try Pipe())
    let ends = [source.readEnd, output.writeEnd, errors.writeEnd]
    try child.start {
      try spawn(
        [path] + arguments, environment: environment, streams: ends.map(\.fileDescriptor))
    }
    for end in ends.dropFirst() { try? end.close() }
    // This end stays open, because writing to a pipe without one would end this process (SIGPIPE).
    defer { try? source.readEnd.close() }
    let written = Self.exchange(
      Array(input.utf8), to: source.writeEnd, from: [output.readEnd, errors.readEnd],
      until: child.killed)
    let status = try child.wait()
    return Outcome(
      status: status, output: String(decoding: written[0], as: UTF8.self),
      errors: String(decoding: written[1], as: UTF8.self))
  }

  /// Writes the input and reads both streams to their ends at the same time, or until `killed` is
  /// readable.
  private static func exchange(
    _ input: [UInt8], to source: FileHandle, from ends: [FileHandle], until killed: SelfPipe
  ) -> [[UInt8]] {
    defer { try? source.close() }
    // Writing must not wait until the pipe has room for everything.
    _ = fcntl(source.fileDescriptor, F_SETFL, O_NONBLOCK)
    var rest = input[...]
    if rest.isEmpty { try? source.close() }
    var written = [[UInt8]](repeating: [], count: ends.count)
    var open = Array(ends.indices)
    // When the program has closed its output, what it has not read of the input is dropped.
    while !open.isEmpty {
      var waiting = ([killed.descriptor] + open.map { ends[$0].fileDescriptor })
        .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if !rest.isEmpty {
        waiting.append(pollfd(fd: source.fileDescriptor, events: Int16(POLLOUT), revents: 0))
      }
      guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else {
        if errno == EINTR { continue }
        break
      }
      if waiting[0].revents != 0 { break }
      if !rest.isEmpty, waiting.last?.revents != 0 {
        let count = rest.withUnsafeBytes { write(source.fileDescriptor, $0.baseAddress, $0.count) }
        rest = rest.dropFirst(max(count, 0))
        if rest.isEmpty { try? source.close() }
      }
      for (index, state) in zip(open, waiting.dropFirst()) where state.revents != 0 {
        let bytes = (try? readSome(of: ends[index].fileDescriptor)) ?? []
        if bytes.isEmpty { open.removeAll { $0 == index } }
        written[index] += bytes
      }
    }
    return written
  }
}

/// The process of a program, for which one thread waits and which another thread can end.
private final class Child: Sendable {
  private struct State {
    var identifier: pid_t?
    var isEnded = false
  }

  /// Readable after the program had to be killed.
  let killed: SelfPipe
  private let terminationTimeout: Duration
  private let state = Locked(State())

  init(terminationTimeout: Duration, killed: SelfPipe) {
    self.terminationTimeout = terminationTimeout
    self.killed = killed
  }

  /// Starts the process; throws `CancellationError` if ``end()`` was called before.
  func start(_ spawn: () throws -> pid_t) throws {
    try state.withLock { state in
      guard !state.isEnded else { throw CancellationError() }
      state.identifier = try spawn()
    }
  }

  /// Asks the process to end, and kills it after the termination timeout.
  func end() {
    state.withLock { state in
      state.isEnded = true
      if let identifier = state.identifier { kill(identifier, SIGTERM) }
    }
    let milliseconds = Int(terminationTimeout / .milliseconds(1))
    DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) {
      self.state.withLock { state in
        if let identifier = state.identifier { kill(identifier, SIGKILL) }
      }
      self.killed.send(0)
    }
  }

  /// Waits for the end of the process and returns its status.
  func wait() throws -> Int32 {
    guard let identifier = state.withLock({ $0.identifier }) else {
      throw SystemFailure(call: "waitpid", code: ECHILD)
    }
    // First wait without reaping the process: until it is reaped, no other process can get its ID,
    // so that `end()` never signals a wrong process.
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    var status: Int32 = 0
    let code: Int32 = state.withLock { state in
      state.identifier = nil
      return waitpid(identifier, &status, 0) == identifier ? 0 : errno
    }
    guard code == 0 else { throw SystemFailure(call: "waitpid", code: code) }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }
}

/// A pipe to or from a program.
private struct Pipe {
  let readEnd: FileHandle
  let writeEnd: FileHandle

  init() throws {
    let ends = try openPipe()
    readEnd = FileHandle(fileDescriptor: ends.readEnd, closeOnDealloc: true)
    writeEnd = FileHandle(fileDescriptor: ends.writeEnd, closeOnDealloc: true)
  }
}
