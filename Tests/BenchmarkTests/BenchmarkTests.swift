import Expectations
import Foundation
import IDX
import Testing

@testable import idx_benchmark

/// The benchmark.
struct BenchmarkTests {
  @Test(
    "The arguments select a mode",
    arguments: [
      ([], nil, 1), (["parse", "--passes", "3"], .parse, 3), (["read"], .read, 1),
      (["encode", "a.json"], .encode, 1), (["signin", "--passes", "2"], .signIn, 2),
      (["idtoken", "--passes", "4"], .idToken, 4),
      (["--help", "parse"], .help, 1), (["hold", "signins", "--passes", "9"], .holdSignIns, 9),
      (["hold", "sessions"], .holdSessions, 1),
      (["hold", "responses", "Fixtures"], .holdResponses, 1),
      (["scale", "signins"], .scaleSignIns, 100_000),
      (["scale", "sessions", "--passes", "500"], .scaleSessions, 500),
      (["scale", "network"], .scaleNetwork, 10_000), (["fleet"], .fleet, 1000),
      (["network"], .network, 6000),
    ] as [([String], BenchmarkOptions.Mode?, Int)])
  func modes(_ arguments: [String], _ mode: BenchmarkOptions.Mode?, _ passes: Int) throws {
    let options = try BenchmarkOptions(arguments)
    expect(options.mode == mode && options.passes == passes)
  }

  @Test("After the first argument, names of modes are paths")
  func paths() throws {
    try expectEqual(BenchmarkOptions(["parse", "read", "x.json"]).paths, ["read", "x.json"])
    let options = try BenchmarkOptions(["x.json", "read", "--repetitions", "8", "--json"])
    expectEqual(options.paths, ["x.json", "read"])
    expect(options.repetitions == 8 && options.isJSON)
  }

  @Test(
    "Wrong usage is explained in a sentence",
    arguments: [
      (["--fast"], "There is no option “--fast”."), ([""], "There is no option “”."),
      (["parse", "--json"], "--json cannot be used with parse."),
      (["--repetitions", "9", "hold", "signins"], "--repetitions cannot be used with hold."),
      (["signin", "a.json"], "Sign-ins use no files, such as a.json."),
      (["hold", "signins", "x"], "Sign-ins use no files, such as x."),
      (["parse", "--passes"], "--passes needs a number"),
      (["parse", "--passes", "0"], "at least 1"), (["--repetitions", "6"], "at least 7"),
      (["--passes", "2"], "--passes needs parse"),
      (["hold"], "hold needs responses, signins or sessions."),
      (["scale", "--passes", "9"], "scale needs signins, sessions or network."),
      (["scale", "network", "x"], "Sign-ins use no files, such as x."),
      (["fleet", "--json"], "--json cannot be used with fleet."),
    ])
  func wrongUsage(_ arguments: [String], _ reason: String) {
    #expect {
      try BenchmarkOptions(arguments)
    } throws: {
      "\($0)".contains(reason)
    }
  }

  @Test("Missing files and files without a response are refused")
  func noSamples() {
    for path in ["/no/such/folder", #filePath] {
      #expect(throws: BenchmarkError.self) { try Samples(paths: [path]) }
    }
  }

  @Test("Folders are searched for responses")
  func folder() throws {
    try expectEqual(Samples(paths: [fixture("27-stay-signed-in")]).responses.count, 1)
  }

  @Test("Responses without a form are measured without answers")
  func nothingToAnswer() async throws {
    let samples = try Samples(paths: [fixture("21-ends/01-session-expired.json")])
    let stopwatch = Stopwatch(repetitions: 7, minimum: 0)
    let found = try await ParsingBenchmarks(samples: samples).measure(by: stopwatch)
    expect(found.count == 5 && found.allSatisfy(\.median.isFinite))
  }

  @Test("A measurement is steady if its runs differ by at most a fifth of their median")
  func measurement() {
    let measurement = Measurement("x", [3, 1, 9, 2, 5], unit: "µs")
    expect(measurement.median == 3 && measurement.min == 1 && measurement.max == 9)
    expectEqual(Measurement("x", [4, 1, 2, 9], unit: "µs").median, 3)
    expect(Measurement("x", [9, 10, 11], unit: "µs").isSteady)
    expect(!Measurement("x", [9, 10, 11.5], unit: "µs").isSteady)
  }

  @Test("OpenSSL accepts the recorded signature, and no other")
  func openSSL() async throws {
    // 3 to the power of 3 is not a padded hash.
    guard let other = OpenSSL(modulus: [UInt8](repeating: 0xff, count: 256), exponent: [3]) else {
      return
    }
    let check = try await require(RecordedSignIn().idTokenChecks().openSSL)
    try check()
    expect(!other.verifies([UInt8](repeating: 0, count: 255) + [3], of: Array("message".utf8)))
  }

  @Test("Every repetition of all work is measured")
  func stopwatch() async throws {
    var calls = [0, 0]
    let works = [0, 1].map { index in
      Stopwatch.Work(name: "\(index)", count: 10) { calls[index] += 1 }
    }
    let seconds = try await Stopwatch(repetitions: 7, minimum: 0).seconds(of: works)
    expectEqual(seconds.map(\.count), [7, 7])
    expect(calls.allSatisfy { $0 >= 8 })
  }

  @Test("A recorded sign-in is played back repeatedly, with or without an ID token")
  func playback() async throws {
    for asksForIDToken in [true, false] {
      let recording = try await RecordedSignIn(asksForIDToken: asksForIDToken)
      for _ in 1...2 { try await recording.signIn() }
    }
    let checks = try await RecordedSignIn().idTokenChecks()
    try checks.all()
    try checks.signature()
  }

  @Test(
    "Sign-ins stay open in one process, and take another step",
    .enabled(if: LiveMemory.canBeMeasured))
  func scale() async throws {
    for measured in [
      try await ScaleBenchmark.ofSignIns(count: 100), try await .ofSessions(count: 100),
    ] {
      expectEqual(measured.rows.map(\.count), [1, 10, 100])
      // The steps of earlier rows are not taken again.
      expectEqual(measured.rows.map(\.times.count), [1, 9, 90])
      expectContains(measured.table, "times as long with 100 sign-ins as with 1.")
    }
    try await expectContains(ScaleBenchmark.overNetwork(count: 5), "a step, median")
  }

  @Test("The needs of a fleet follow from the costs of a sign-in")
  func fleet() async throws {
    let fleet = try await Fleet(measuring: 2, overTLS: false)
    // Interact, introspect, three answers and the token; a store loads and replaces twice for each answer.
    expect(fleet.requests == 6 && fleet.commands == 10)
    expect(fleet.savedBytes > 1000 && fleet.lifetime == 3600 && fleet.times.count == 2)
    expect(fleet.memory > Fleet.rate * 60 * 1000 && fleet.table.contains("memory of Redis"))
  }

  @Test("All properties of a response are read, and its first form is answered")
  func reading() throws {
    let text = """
      {"version":"1.0.0","remediation":{"type":"array","value":[{"name":"identify","href":"https://a",
       "value":[{"name":"identifier","label":"Name"},{"name":"rememberMe","type":"boolean"}]}]}}
      """
    let response = try IDXResponse(parsing: text.utf8)
    var sink = Sink()
    sink.read(response)
    let texts = ["1.0.0", "identify", "https://a", "identifier", "Name", "rememberMe", "boolean"]
    // Both fields are visible and mutable, and the response has one form.
    expectEqual(sink.count, texts.reduce(5) { $0 + $1.count })
    let form = try require(AnsweredForm(response))
    try expectEqual(
      form.encode(), #"{"identifier":"a1a1a1a1a1a1a1a1","rememberMe":true}"#.utf8.count)
  }

  @Test(
    "Every public property of the response model is read",
    arguments: ["Response", "Remediation", "Authenticator"])
  func everyProperty(_ folder: String) throws {
    let sources = root.appending(path: "Sources")
    let sink = try String(
      contentsOf: sources.appending(path: "Testing/idx-benchmark/Sink.swift"), encoding: .utf8)
    // The bytes, what describes or identifies a value, and an input, which is made from a field and answers.
    let others: Set = [
      "raw", "rawValue", "bytes", "json", "description", "errorDescription", "path", "field",
    ]
    let files = try FileManager.default.contentsOfDirectory(
      at: sources.appending(path: "Engine/IDX/\(folder)"), includingPropertiesForKeys: nil)
    let names = try files.flatMap { file in
      try String(contentsOf: file, encoding: .utf8).matches(of: /\n *public (?:var|let) (\w+)/)
        .map { String($0.1) }
    }
    expect(names.count > 10)
    for name in names where !others.contains(name) {
      try expect(sink.contains(Regex("\\.\(name)(?!\\w)")), "\(name) is not read.")
    }
  }

  @Test("The report is an aligned table, or JSON")
  func table() throws {
    let report = Report(
      files: 1, meanBytes: 2000, repetitions: 7,
      measurements: [
        Measurement("parse", [1.5], unit: "µs").compared(
          with: Measurement("JSONSerialization", [15], unit: "µs")),
        Measurement("sign-ins", [12345, 20000], unit: "a second"),
      ])
    let lines = report.table.split(separator: "\n").map(String.init)
    expect(lines[0].hasPrefix("1 responses of 2000 bytes") && lines[0].contains("7 repetitions"))
    expectSuffix(lines[2], "0.100 × JSONSerialization")
    expect(lines[3].contains("12345") && lines[3].hasSuffix("20000  !  a second"))
    expect(lines[4].hasPrefix("! In 1 of 2 rows,") && lines[4].contains("20%"))
    let json = try JSONSerialization.jsonObject(with: Data(report.json().utf8)) as? [String: Any]
    expectEqual((json?["measurements"] as? [Any])?.count, 2)
  }

  private func fixture(_ path: String) -> String { root.appending(path: "Fixtures/" + path).path }

  private var root: URL {
    URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
  }
}
