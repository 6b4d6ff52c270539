import IDXBase
import Dispatch

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A program that is run with some input, and what it wrote.
///
/// It stays in the process group of this process, so that it may ask its person at the terminal.
package struct ExternalProgram: Sendable {
  /// What came of a run.
  package struct Outcome: Sendable {
    /// The exit status; 128 and the signal where one ended it.
    package let status: Int32
    package let output: String
    package let errors: String

    package init(status: Int32, output: String, errors: String) {
      self.status = status
      self.output = output
      self.errors = errors
    }
  }

  package let path: String
  package let environment: [String: String]
  private let terminationTimeout: Duration

  /// The program of a name, in the first folder of `PATH` that has it; nil where none has.
  ///
  /// `terminationTimeout` is how long it may take to end where the task was cancelled.
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

  /// Runs it to its end, and that of its output.
  ///
  /// The input may be of any length; what the program does not read of it is dropped. Cancelling the
  /// task ends the program (SIGTERM, and SIGKILL after the terminationTimeout), waits for it, and throws
  /// `CancellationError`; what it has started itself is not waited for.
  package func run(_ arguments: [String], input: String = "") async throws -> Outcome {
    try Task.checkCancellation()
    let child = Child(terminationTimeout: terminationTimeout, alarm: try SelfPipe())
    let outcome = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        // A thread of its own: waiting for a program blocks, which a task may not.
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
    let spawn = Spawn(
      command: [path] + arguments, environment: environment,
      streams: ends.map { .descriptor($0.descriptor) })
    try child.start { try spawn.start() }
    for end in ends { end.shut() }
    let written = Self.exchange(
      Array(input.utf8), to: source.writeEnd, from: [output.readEnd, errors.readEnd],
      until: child.alarm)
    let status = try child.wait()
    return Outcome(
      status: status, output: String(decoding: written[0], as: UTF8.self),
      errors: String(decoding: written[1], as: UTF8.self))
  }

  /// Writes the input and reads both streams to their ends, whichever can go on, or until the alarm.
  private static func exchange(
    _ input: [UInt8], to source: PipeEnd, from ends: [PipeEnd], until alarm: SelfPipe
  ) -> [[UInt8]] {
    var rest = input[...]
    if rest.isEmpty { source.shut() } else { source.unblock() }
    var written = [[UInt8]](repeating: [], count: ends.count)
    var open = Array(ends.indices)
    while !open.isEmpty || !rest.isEmpty {
      var waiting = ([alarm.descriptor] + open.map { ends[$0].descriptor })
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
        // A program need not read what it is given.
        rest = source.give(rest).map { rest.dropFirst($0) } ?? []
        if rest.isEmpty { source.shut() }
      }
      for (index, state) in zip(open, waiting.dropFirst()) where state.revents != 0 {
        let bytes = ends[index].take()
        if bytes.isEmpty { open.removeAll { $0 == index } }
        written[index] += bytes
      }
    }
    return written
  }
}

/// The process of a program, which may be ended from elsewhere while it is waited for.
private final class Child: Sendable {
  private struct State {
    var identifier: pid_t?
    var isEnded = false
  }

  /// Readable once the program had to be killed.
  let alarm: SelfPipe
  private let terminationTimeout: Duration
  private let state = Locked(State())

  init(terminationTimeout: Duration, alarm: SelfPipe) {
    self.terminationTimeout = terminationTimeout
    self.alarm = alarm
  }

  /// Starts it, unless it was ended before.
  func start(_ spawn: () throws -> pid_t) throws {
    try state.withLock { state in
      guard !state.isEnded else { throw CancellationError() }
      state.identifier = try spawn()
    }
  }

  /// Ends it, with force where it takes longer than the terminationTimeout.
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
      self.alarm.send(0)
    }
  }

  /// Waits for its end and returns the status.
  func wait() throws -> Int32 {
    guard let identifier = state.withLock({ $0.identifier }) else {
      throw SystemFailure(call: "waitpid", code: ECHILD)
    }
    // It is waited for before it is reaped: until then nobody else can bear its number, and ending it
    // hits no stranger.
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

/// A pipe whose ends are closed with it.
private struct Pipe {
  let readEnd: PipeEnd
  let writeEnd: PipeEnd

  init() throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw SystemFailure(call: "pipe", code: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    readEnd = PipeEnd(ends[0])
    writeEnd = PipeEnd(ends[1])
  }
}

/// One end of a pipe.
private final class PipeEnd: Sendable {
  let descriptor: Int32
  private let isOpen = Locked(true)

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { shut() }

  func shut() {
    isOpen.withLock { isOpen in
      if isOpen { close(descriptor) }
      isOpen = false
    }
  }

  /// Makes writing return where the pipe is full.
  func unblock() {
    _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
  }

  /// How many of the bytes went into the pipe; nil where nobody will read them any more.
  func give(_ bytes: ArraySlice<UInt8>) -> Int? {
    let (count, code) = withoutPipeSignal {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      return (count, errno)
    }
    if count >= 0 { return count }
    return code == EAGAIN || code == EINTR ? 0 : nil
  }

  /// What there is to read, once there is something; empty at the end.
  func take() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
      var result = read(descriptor, buffer.baseAddress, buffer.count)
      while result < 0, errno == EINTR {
        result = read(descriptor, buffer.baseAddress, buffer.count)
      }
      count = max(result, 0)
    }
  }
}

/// Runs a body that may write to a pipe which nobody reads, without the signal that ends the process
/// for it.
private func withoutPipeSignal<Result>(_ body: () -> Result) -> Result {
  var (pipe, earlier, pending) = (sigset_t(), sigset_t(), sigset_t())
  sigemptyset(&pipe)
  sigaddset(&pipe, SIGPIPE)
  sigpending(&pending)
  let wasPending = sigismember(&pending, SIGPIPE) == 1
  pthread_sigmask(SIG_BLOCK, &pipe, &earlier)
  let result = body()
  sigpending(&pending)
  if !wasPending, sigismember(&pending, SIGPIPE) == 1 {
    // The signal is this thread's own, so that it is here already and the wait is none.
    #if canImport(Darwin)
      var signal: Int32 = 0
      sigwait(&pipe, &signal)
    #else
      var atOnce = timespec()
      sigtimedwait(&pipe, nil, &atOnce)
    #endif
  }
  pthread_sigmask(SIG_SETMASK, &earlier, nil)
  return result
}
