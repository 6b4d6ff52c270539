import Foundation
import IDXBase
import IDXNetwork
import IDXOAuth

/// What requests cost the process that sends them: processor time, memory and file descriptors.
///
/// The server is another process on this computer, so that its work does not count.
struct NetworkBenchmark {
  /// A kind of connection, and what was measured with it.
  private struct Column {
    let name: String
    /// The processor time of a request, in milliseconds.
    var request = 0.0
    /// Requests that wait at the same time.
    var bursts: [Burst] = []
  }

  private struct Burst {
    let count: Int
    /// The processor time of all while they waited for six seconds, in seconds.
    let waiting: Double
    /// The processor time of one from its start to its end, in milliseconds.
    let each: Double
    /// The memory of one, in KiB.
    let memory: Double
    let descriptors: Double
    let failures: Int
  }

  private var columns: [Column] = []

  /// Measures `count` requests of each kind.
  init(count: Int) async throws {
    let server = try ChildProcess(["serve"])
    let origin = try server.line()
    let plain = HTTPTransport(limits: .init(time: .seconds(600)))
    var http = Column(name: "http, one connection each")
    http.request = try await Self.cost(of: count, to: origin, over: plain) { _ in nil }
    for size in [1000, 10_000] {
      http.bursts.append(try await Self.burst(size, to: origin, server, over: plain))
    }
    columns = [http]
    guard let front = try TLSProxy(before: origin) else { return }
    let secure = HTTPTransport(
      limits: .init(time: .seconds(600)),
      authorities: try CertificateAuthorities(file: front.authorities))
    var https = Column(name: "https, one connection each")
    https.request = try await Self.cost(of: count, to: front.origin, over: secure) { _ in nil }
    for size in [1000, 10_000] {
      https.bursts.append(try await Self.burst(size, to: front.origin, server, over: secure))
    }
    var shared = Column(name: "https, six on one connection")
    shared.request = try await Self.cost(of: count, to: front.origin, over: secure) {
      ConnectionGroup(Secret("\($0 / 6)"))
    }
    columns += [https, shared]
  }

  /// The processor time of a request in milliseconds; `group` names the group of a request.
  private static func cost(
    of count: Int, to origin: String, over transport: HTTPTransport,
    group: @escaping @Sendable (Int) -> ConnectionGroup?
  ) async throws -> Double {
    let request = try request(to: origin)
    // The first reads the certificate authorities.
    _ = try await transport.send(request)
    let start = Clock.processor.seconds
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      for visitor in 0..<20 {
        tasks.addTask {
          for number in 0..<count / 20 {
            var request = request
            request.connectionGroup = group(visitor * count + number)
            _ = try await transport.send(request)
          }
        }
      }
      try await tasks.waitForAll()
    }
    return (Clock.processor.seconds - start) / Double(count / 20 * 20) * 1000
  }

  private static func burst(
    _ count: Int, to origin: String, _ server: ChildProcess, over transport: HTTPTransport
  ) async throws -> Burst {
    let request = try request(to: origin)
    #if canImport(Glibc)
      // glibc would use the memory of earlier requests again, which would not count.
      typealias Trim = @convention(c) (Int) -> CInt
      if let trim = dlsym(nil, "malloc_trim") { _ = unsafeBitCast(trim, to: Trim.self)(0) }
    #endif
    let (memory, descriptors) = (
      try LiveMemory.residentBytes(), try ScaleBenchmark.openDescriptors()
    )
    // All wait, until the server is told otherwise and one more has come.
    _ = try server.line(after: "\(count + 1)")
    let start = Clock.processor.seconds
    let tasks = (0..<count).map { _ in Task { try await transport.send(request) } }
    let deadline = ContinuousClock.now + .seconds(60)
    while try ScaleBenchmark.openDescriptors() < descriptors + count {
      try await Task.sleep(for: .milliseconds(50))
      guard .now < deadline else {
        throw BenchmarkError(
          description: "The requests do not start. Raise the limit of open files: ulimit -n",
          exitStatus: 1)
      }
    }
    // TLS is established after the connection.
    var (before, begin) = (0.0, Clock.processor.seconds)
    while begin - before > 0.02, .now < deadline {
      before = begin
      try await Task.sleep(for: .seconds(2))
      begin = Clock.processor.seconds
    }
    try await Task.sleep(for: .seconds(6))
    let waiting = Clock.processor.seconds - begin
    let grown = try LiveMemory.residentBytes() - memory
    let opened = try ScaleBenchmark.openDescriptors() - descriptors
    _ = try server.line(after: "1")
    _ = try await transport.send(request)
    var failures = 0
    for task in tasks {
      guard case .failure(let error) = await task.result else { continue }
      if failures == 0 { IDXBenchmark.warn("A request failed: \(error)") }
      failures += 1
    }
    return Burst(
      count: count, waiting: waiting,
      each: (Clock.processor.seconds - start - waiting) / Double(count) * 1000,
      memory: Double(grown) / 1024 / Double(count), descriptors: Double(opened) / Double(count),
      failures: failures)
  }

  private static func request(to origin: String) throws -> TransportRequest {
    guard let url = URL(string: origin + "/idp/idx/identify") else {
      throw BenchmarkError(description: "The server has no address.", exitStatus: 1)
    }
    return TransportRequest(
      method: "POST", url: url, headers: ["Content-Type": "application/json"],
      body: [UInt8](repeating: 0x20, count: 300))
  }

  // MARK: Output

  var table: String {
    var lines: [[String]] = [[""] + columns.map(\.name)]
    lines.append(
      ["a request, 20 at the same time, authorities read before, ms of CPU"]
        + columns.map { String(format: "%.2f", $0.request) })
    for index in 0..<(columns.map(\.bursts.count).max() ?? 0) {
      func row(_ name: String, _ text: (Burst) -> String) {
        lines.append(
          [name] + columns.map { $0.bursts.count > index ? text($0.bursts[index]) : "" })
      }
      lines.append(Array(repeating: "", count: columns.count + 1))
      row("requests at the same time") { "\($0.count)" }
      row("failures") { "\($0.failures)" }
      row("all while they wait 6 s, s of CPU") { String(format: "%.3f", $0.waiting) }
      row("one without the wait, ms of CPU") { String(format: "%.2f", $0.each) }
      row("memory of one, KiB") { String(format: "%.1f", $0.memory) }
      row("file descriptors of one") { String(format: "%.2f", $0.descriptors) }
    }
    let missing =
      columns.count == 1 ? ["", "For the figures of https, install nginx and openssl."] : []
    return (lines.aligned(left: [0]) + missing).joined(separator: "\n")
  }
}

extension RecordedServer {
  /// Serves a response as long as the mean of recorded ones, until the end of the standard input; a line with a
  /// number makes it wait for as many requests.
  static func serve() async throws {
    let server = try RecordedServer()
    let body = [UInt8](repeating: 0x20, count: 3700)
    server.start { _, _ in
      TransportResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
    }
    try await ChildProcess.serve(server.origin) {
      server.waits(for: Int($0) ?? 1)
      return $0
    }
    server.stop()
  }
}
