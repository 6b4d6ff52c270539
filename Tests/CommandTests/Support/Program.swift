import Expectations
import Foundation
import IDXBase
import TerminalSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A running program of this package, in a session of its own, so that its only terminal is one that
/// is passed as standard input.
struct Program: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// How a program ended, and its output.
  struct End: Sendable {
    /// The exit status; nil if a signal ended it.
    let status: Int32?
    /// The signal that ended it; nil if it exited.
    let signal: Int32?
    let output: String
    let errors: String

    /// The output as JSON.
    var json: JSONValue { get throws { try JSONValue(parsing: output.utf8) } }

    /// Records an issue with all that the program wrote if it ended with another status, or a condition is false.
    func expect(
      status: Int32, _ condition: Bool = true, comment: String? = nil,
      filePath: StaticString = #filePath, line: Int = #line
    ) {
      guard self.status != status || !condition else { return }
      Expectations.expect(
        false, [comment, "\(self)"].compactMap(\.self).joined(separator: ", "), filePath: filePath,
        line: line)
    }
  }

  let identifier: pid_t
  private let folder: TemporaryFolder

  /// The variables of a terminal without colors.
  static let plainTerminal = ["TERM": "xterm-256color", "LANG": "C.UTF-8", "NO_COLOR": "1"]

  /// The folder with the built programs.
  static var products: URL {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }
    return (bundle?.bundleURL ?? URL(filePath: CommandLine.arguments[0]))
      .deletingLastPathComponent()
  }

  /// Starts a program. Its output goes to a temporary file, to the named file, or to a closed pipe; with `pipes`, it
  /// reads from the first one and writes to the second one.
  init(
    _ arguments: [String], of name: String = "idx-flow", environment: [String: String] = [:],
    input: String = "/dev/null", output: String? = nil, outputIsClosed: Bool = false,
    pipes: (input: Int32, output: Int32)? = nil
  ) throws {
    folder = try TemporaryFolder()
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var pipe: [Int32] = [-1, -1]
    let creating = O_WRONLY | O_CREAT | O_TRUNC
    if let pipes {
      posix_spawn_file_actions_adddup2(&actions, pipes.input, 0)
      posix_spawn_file_actions_adddup2(&actions, pipes.output, 1)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, input, O_RDWR, 0)
      if outputIsClosed {
        guard Self.openPipe(&pipe) else { throw Failure(description: "no pipe") }
        close(pipe[0])
        posix_spawn_file_actions_adddup2(&actions, pipe[1], 1)
      } else {
        let path = output ?? folder.path("output")
        posix_spawn_file_actions_addopen(&actions, 1, path, creating, 0o600)
      }
    }
    posix_spawn_file_actions_addopen(&actions, 2, folder.path("errors"), creating, 0o600)

    // Threads of Dispatch block signals, and a test runner may ignore some.
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    let flags = Int32(POSIX_SPAWN_SETSIGMASK) | Int32(POSIX_SPAWN_SETSIGDEF) | Self.ownSession
    posix_spawnattr_setflags(&attributes, Int16(flags))

    let path = name.hasPrefix("/") ? name : Self.products.appending(path: name).path
    // Only variables for paths and sanitizers, which do not change what the program does.
    let names: Set = [
      "PATH", "HOME", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "ASAN_OPTIONS",
      "TSAN_OPTIONS",
    ]
    // Without .ci/check-sanitizers, a leak check would only slow the tests down.
    let inherited = ["ASAN_OPTIONS": "detect_leaks=0"].merging(
      ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
    ) { $1 }
    // Credentials go to a temporary folder.
    let own = [
      "XDG_DATA_HOME": folder.path("data"), "XDG_CONFIG_HOME": folder.path("config"),
      "IDX_FLOW_STORE": "file",
      // No request fails because the machine is busy, and no test waits until it is sent again.
      "IDX_FLOW_TIMEOUT": "3600", "IDX_FLOW_RETRY_TIME": "0",
    ]
    let variables =
      inherited.merging(own) { $1 }.merging(environment) { $1 }.map { strdup("\($0)=\($1)") }
      + [nil]
    let words = ([path] + arguments).map { strdup($0) } + [nil]
    defer { for text in variables + words { free(text) } }
    var identifier: pid_t = 0
    let code = posix_spawn(&identifier, path, &actions, &attributes, words, variables)
    if outputIsClosed { close(pipe[1]) }
    guard code == 0 else { throw Failure(description: "\(path) did not start (error \(code))") }
    self.identifier = identifier
  }

  /// Runs a program and waits for its end.
  static func run(
    _ arguments: [String], of name: String = "idx-flow", environment: [String: String] = [:],
    input: String = "/dev/null", outputIsClosed: Bool = false
  ) throws -> End {
    try Program(
      arguments, of: name, environment: environment, input: input, outputIsClosed: outputIsClosed
    ).end()
  }

  /// The content of standard error so far.
  var errorsSoFar: String { folder.text(of: "errors") }

  func send(_ signal: Int32) { kill(identifier, signal) }

  /// Waits for the end; kills the program after 20 minutes, so that a test fails instead of hanging.
  ///
  /// It blocks the thread of the caller, so a suite that calls it has the trait ``FewPrograms``.
  /// It is not asynchronous, because the compiler copies an asynchronous function for each call that can suspend it, and
  /// tests have many.
  func end() -> End {
    let watchdog = DispatchWorkItem { [identifier] in kill(identifier, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1200, execute: watchdog)
    var state: Int32 = 0
    while waitpid(identifier, &state, 0) < 0, errno == EINTR {}
    watchdog.cancel()
    let signal = state & 0x7F
    return End(
      status: signal == 0 ? (state >> 8) & 0xFF : nil, signal: signal == 0 ? nil : signal,
      output: folder.text(of: "output"), errors: folder.text(of: "errors"))
  }

  static func openPipe(_ ends: inout [Int32]) -> Bool {
    guard pipe(&ends) == 0 else { return false }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return true
  }

  // The macro is not imported on all systems; its value is part of the binary interface.
  private static var ownSession: Int32 {
    #if canImport(Darwin)
      0x0400
    #else
      0x80
    #endif
  }
}

extension PseudoTerminal {
  /// Starts a sign-in to the demo at this terminal.
  func demo(_ options: String...) throws -> Program {
    try Program(["signin", "--demo"] + options, environment: Program.plainTerminal, input: path)
  }

  /// Starts a sign-in to an org at this terminal, with scopes, so that nobody is asked to stay signed in.
  func startSignIn(
    to server: OrgServer, _ words: [String] = [], variables: [String: String] = [:]
  ) throws -> Program {
    try Program(
      ["signin", "--scope", "openid profile"] + server.options + words,
      environment: Program.plainTerminal.merging(variables) { $1 }, input: path)
  }

  /// The output from now on, up to and including the text, with the line ends of a file.
  @discardableResult
  func lines(until end: String) async throws -> String {
    try await shown(until: end).replacing("\r\n", with: "\n")
  }

  /// Waits for a prompt and types a line; returns the output up to and including the prompt.
  @discardableResult
  func answer(_ prompt: String, _ line: String = "") async throws -> String {
    let shown = try await lines(until: prompt)
    try type("\(line)\n")
    return shown
  }

  /// Answers the questions for Ada's username and password; returns the output up to and including the first one.
  @discardableResult
  func signIn(
    at prompt: String = "Username: ", as username: String = "ada@example.com"
  ) async throws -> String {
    let shown = try await answer(prompt, username)
    try await answer("Password: ", "Analytical-1843")
    return shown
  }
}

/// A folder that is deleted with this object.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "idx-flow-\(UUID())")
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func path(_ name: String) -> String { url.appending(path: name).path }

  /// Writes a file with a mode and returns its path.
  func file(_ name: String, _ text: String, mode: Int = 0o600) throws -> String {
    try Data(text.utf8).write(to: url.appending(path: name))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
    return path(name)
  }

  func text(of name: String) -> String {
    (try? Data(contentsOf: url.appending(path: name))).map { String(decoding: $0, as: UTF8.self) }
      ?? ""
  }
}
