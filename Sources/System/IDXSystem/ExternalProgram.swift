import Dispatch
import IDXBase

#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#else
  package import Darwin
#endif

/// Runs a program with an input and collects its output.
///
/// The program stays in the process group of this process, so that it can ask the user at the terminal.
package struct ExternalProgram: Sendable {
  /// How a run ended, and its output.
  package struct Exit: Sendable {
    /// The exit status; 128 plus the signal number if a signal ended the program.
    package let status: Int32
    package let bytes: [UInt8]
    package let errors: String

    /// The output as text; invalid UTF-8 is repaired.
    package var output: String { String(decoding: bytes, as: UTF8.self) }
  }

  /// The program wrote too much to its output or its error output.
  package struct OutputTooLong: Error, CustomStringConvertible {
    package let description = "The program wrote more than is accepted."
  }

  package let path: String
  package let environment: [String: String]
  private let terminationTimeout: Duration
  /// The most bytes of its output, and of its error output.
  private let longestOutput: Int

  /// Finds a program in the folders of `PATH`; nil if no folder contains it.
  ///
  /// `terminationTimeout` is how long the program may take to end after the task was canceled.
  package init?(
    named name: String, environment: [String: String], longestOutput: Int = 1 << 20,
    terminationTimeout: Duration = .seconds(2)
  ) {
    let candidates = environment["PATH", default: ""].split(separator: ":").map { "\($0)/\(name)" }
    guard let path = candidates.first(where: { (path: String) in access(path, X_OK) == 0 }) else {
      return nil
    }
    self.path = path
    self.environment = environment
    self.longestOutput = longestOutput
    self.terminationTimeout = terminationTimeout
  }

  /// Runs the program and waits until it has ended and closed its output.
  ///
  /// The input can have any length; what the program does not read of it is dropped. If the task is
  /// canceled, the program gets SIGTERM, and SIGKILL after the termination timeout; then this throws
  /// `CancellationError`. In the same way it ends a program that writes too much, and throws
  /// ``OutputTooLong``. It does not wait for programs that the program started itself.
  package func run(_ arguments: [String], input: String = "") async throws -> Exit {
    try Task.checkCancellation()
    let child = Child(terminationTimeout: terminationTimeout, killed: try SelfPipe())
    let exit = try await withTaskCancellationHandler {
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
    return exit
  }

  private func run(_ arguments: [String], _ input: String, _ child: Child) throws -> Exit {
    let (source, output, errors) = (try Pipe(), try Pipe(), try Pipe())
    let ends = [source.readEnd, output.writeEnd, errors.writeEnd]
    try child.start {
      try spawn([path] + arguments, environment: environment, streams: ends.map(\.descriptor))
    }
    for end in ends.dropFirst() { end.shut() }
    // This end stays open, because writing to a pipe without one would end this process (SIGPIPE).
    defer { source.readEnd.shut() }
    let written = exchange(
      Array(input.utf8), to: source.writeEnd, from: [output.readEnd, errors.readEnd],
      until: child.killed)
    let isTooLong = written.contains { $0.count > longestOutput }
    if isTooLong { child.end() }
    let status = try child.wait()
    if isTooLong { throw OutputTooLong() }
    return Exit(
      status: status, bytes: written[0],
      errors: String(decoding: written[1], as: UTF8.self))
  }

  /// Writes the input and reads both streams to their ends at the same time, until one is too long, or
  /// until `killed` is readable.
  private func exchange(
    _ input: [UInt8], to source: PipeEnd, from ends: [PipeEnd], until killed: SelfPipe
  ) -> [[UInt8]] {
    defer { source.shut() }
    // Writing must not wait until the pipe has room for everything.
    _ = fcntl(source.descriptor, F_SETFL, O_NONBLOCK)
    var rest = input[...]
    if rest.isEmpty { source.shut() }
    var written = [[UInt8]](repeating: [], count: ends.count)
    var open = Array(ends.indices)
    // When the program has closed its output, what it has not read of the input is dropped.
    while !open.isEmpty {
      var waiting = ([killed.descriptor] + open.map { ends[$0].descriptor })
        .map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      if !rest.isEmpty {
        waiting.append(pollfd(fd: source.descriptor, events: Int16(POLLOUT), revents: 0))
      }
      guard poll(&waiting, nfds_t(waiting.count), -1) > 0 else {
        if errno == EINTR { continue }
        break
      }
      if waiting[0].revents != 0 { break }
      if !rest.isEmpty, waiting.last?.revents != 0 {
        let count = rest.withUnsafeBytes { write(source.descriptor, $0.baseAddress, $0.count) }
        rest = rest.dropFirst(max(count, 0))
        if rest.isEmpty { source.shut() }
      }
      for (index, state) in zip(open, waiting.dropFirst()) where state.revents != 0 {
        let bytes = (try? readSome(of: ends[index].descriptor)) ?? []
        if bytes.isEmpty { open.removeAll { $0 == index } }
        written[index] += bytes
        if written[index].count > longestOutput { return written }
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
  let readEnd: PipeEnd
  let writeEnd: PipeEnd

  init() throws {
    let ends = try openPipe()
    readEnd = PipeEnd(ends.readEnd)
    writeEnd = PipeEnd(ends.writeEnd)
  }
}

/// One end of a pipe; it is closed with the last reference to it.
private final class PipeEnd {
  private(set) var descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { shut() }

  func shut() {
    if descriptor >= 0 { close(descriptor) }
    descriptor = -1
  }
}

// MARK: - Starting

/// Starts a program without a shell and returns its process ID.
///
/// A program without a slash is searched for in `PATH`. `streams` are descriptors for standard input,
/// output and error, in this order; nil is `/dev/null`. In its own process group, Ctrl-C does not reach
/// the program.
package func spawn(
  _ command: [String], environment: [String: String], streams: [Int32?] = [nil, nil, nil],
  ownProcessGroup: Bool = false
) throws(SystemFailure) -> pid_t {
  #if canImport(Darwin)
    var actions: posix_spawn_file_actions_t?
    var attributes: posix_spawnattr_t?
  #else
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
  #endif
  posix_spawn_file_actions_init(&actions)
  posix_spawnattr_init(&attributes)
  defer {
    posix_spawn_file_actions_destroy(&actions)
    posix_spawnattr_destroy(&attributes)
  }
  for (number, descriptor) in zip(Int32(0)..., streams) {
    if let descriptor {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    } else {
      posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
    }
  }
  // The program must not inherit ignored signals, or the signals that threads of Dispatch block.
  var none = sigset_t()
  sigemptyset(&none)
  var all = sigset_t()
  sigfillset(&all)
  posix_spawnattr_setsigmask(&attributes, &none)
  posix_spawnattr_setsigdefault(&attributes, &all)
  posix_spawnattr_setpgroup(&attributes, 0)
  #if canImport(Darwin)
    let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
  #else
    // Code that opens a descriptor sets FD_CLOEXEC itself.
    let closing: Int32 = 0
  #endif
  let flags =
    POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
    | (ownProcessGroup ? POSIX_SPAWN_SETPGROUP : 0) | numericCast(closing)
  posix_spawnattr_setflags(&attributes, numericCast(flags))

  let words = command.map { strdup($0) } + [nil]
  let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for text in words + variables { free(text) } }
  var process: pid_t = 0
  guard let program = words.first ?? nil else {
    throw SystemFailure(call: "posix_spawn", code: EINVAL)
  }
  let code = posix_spawnp(&process, program, &actions, &attributes, words, variables)
  guard code == 0 else { throw SystemFailure(call: "posix_spawn", code: code) }
  return process
}
