import Foundation
import IDXBase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// How long the command `idx-flow` takes from its start to its first prompt.
///
/// It runs at a pseudo-terminal. The reference is a start that only prints the version, which takes 1.03 to 1.09
/// times as long as a program that imports the same libraries and does nothing.
struct StartBenchmark {
  let repetitions: Int

  /// The time until the version, the first prompt of the demo, and the first prompt over the network.
  ///
  /// The program `setsid`, which gives the command its terminal, is a part of each time. Empty if it is not
  /// installed, or if the command is not in the folder of this program.
  func measure() async throws -> [Measurement] {
    let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appending(path: "idx-flow")
    guard FileManager.default.isExecutableFile(atPath: program.path),
      FileManager.default.isExecutableFile(atPath: "/usr/bin/setsid")
    else {
      IDXBenchmark.warn("The start of idx-flow is not measured: build it too, on Linux.")
      return []
    }
    let folder = FileManager.default.temporaryDirectory.appending(path: "idx-benchmark-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try RecordedServer()
    defer { server.stop() }
    let recording = try await RecordedSignIn(origin: server.origin)
    // Each start has a new verifier, so the bodies differ from the recorded ones.
    server.start { target, _ in recording.firstResponse(to: target) }
    let configuration = recording.configuration
    let starts = [
      ("start of the command, to the version", ["--version"], "\n"),
      ("start of the command, to the prompt of the demo", ["signin", "--demo"], "Username: "),
      (
        "start of the command, to the prompt over http",
        [
          "signin", "--issuer", configuration.issuer.absoluteString, "--client-id",
          configuration.clientID, "--redirect-uri", configuration.redirectURI ?? "",
        ], "Username: "
      ),
    ]
    var times = starts.map { _ in [Double]() }
    // The first round warms up the caches. In each round every start happens once, so that other load on the
    // computer affects all of them equally.
    for round in 0...repetitions {
      for (index, (_, arguments, end)) in starts.enumerated() {
        let seconds = try Self.seconds(until: end, of: [program.path] + arguments, data: folder)
        if round > 0 { times[index].append(seconds * 1e3) }
      }
    }
    let measured = zip(starts, times).map { Measurement($0.0, $1, unit: "ms that pass") }
    return [measured[0]] + measured.dropFirst().map { $0.compared(with: measured[0]) }
  }

  /// Starts a command at a new terminal, and waits until it has written a text there.
  private static func seconds(until end: String, of command: [String], data: URL) throws -> Double {
    var ends: (terminal: Int32, command: Int32) = (-1, -1)
    guard openpty(&ends.terminal, &ends.command, nil, nil, nil) == 0 else {
      throw BenchmarkError(description: "There is no pseudo-terminal.", exitStatus: 1)
    }
    // The command must not keep its own terminal open.
    _ = fcntl(ends.terminal, F_SETFD, FD_CLOEXEC)
    let terminal = FileHandle(fileDescriptor: ends.terminal, closeOnDealloc: true)
    let stream = FileHandle(fileDescriptor: ends.command, closeOnDealloc: true)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/setsid")
    process.arguments = ["--ctty", "--wait"] + command
    process.environment = [
      "TERM": "xterm", "LANG": "C.UTF-8", "HOME": data.path, "XDG_DATA_HOME": data.path,
      "XDG_CONFIG_HOME": data.path, "IDX_FLOW_STORE": "file",
    ]
    (process.standardInput, process.standardOutput) = (stream, stream)
    process.standardError = stream
    let start = Clock.real.seconds
    try process.run()
    // So that the end of the command is the end of its output.
    try stream.close()
    let shown = output(of: ends.terminal, until: end)
    let time = Clock.real.seconds - start
    // The command ends when its terminal is gone.
    try terminal.close()
    process.waitUntilExit()
    guard shown.contains(end) else {
      throw BenchmarkError(
        description: "\(command.joined(separator: " ")) showed no prompt, but: \(shown)",
        exitStatus: 1)
    }
    return time
  }

  /// What is written at a terminal up to a text, up to the end of the command, or until nothing has come for
  /// a minute.
  private static func output(of terminal: Int32, until end: String) -> String {
    var shown = ""
    var buffer = [UInt8](repeating: 0, count: 4096)
    var ready = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
    while !shown.contains(end), poll(&ready, 1, 60_000) == 1 {
      let count = read(terminal, &buffer, buffer.count)
      guard count > 0 else { break }
      shown += String(decoding: buffer[..<count], as: UTF8.self)
    }
    return shown
  }
}
