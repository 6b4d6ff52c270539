import Foundation
import IDX

/// Measures the speed of the package, compared with JSONSerialization on the same bytes.
@main
struct IDXBenchmark {
  /// Waits with a semaphore, because profilers cannot follow an asynchronous main function.
  static func main() {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do { try await run(BenchmarkOptions(Array(CommandLine.arguments.dropFirst()))) } catch {
        warn("idx-benchmark: \(error)")
        exit((error as? BenchmarkError)?.exitStatus ?? 1)
      }
      done.signal()
    }
    done.wait()
  }

  static func warn(_ sentence: String) {
    FileHandle.standardError.write(Data("\(sentence)\n".utf8))
  }

  /// Does only what the mode says, so that a profiler counts nothing else.
  private static func run(_ options: BenchmarkOptions) async throws {
    let (passes, paths) = (options.passes, options.paths)
    switch options.mode {
    case nil:
      #if DEBUG
        warn("This is a debug build. Use a release build to measure: -c release")
      #endif
      let samples = try Samples(paths: paths)
      let stopwatch = Stopwatch(repetitions: options.repetitions)
      var measurements =
        try await ParsingBenchmarks(samples: samples).measure(by: stopwatch)
        + FlowBenchmarks(stopwatch: stopwatch).measure()
        + StartBenchmark(repetitions: options.repetitions).measure()
      if LiveMemory.canBeMeasured {
        measurements += try LiveMemory.measure(samples, paths: paths)
      }
      measurements += try ScaleBenchmark.stepMeasurements(repetitions: options.repetitions)
      let report = Report(
        files: samples.responses.count, meanBytes: samples.size / samples.responses.count,
        repetitions: options.repetitions, measurements: measurements)
      print(try options.isJSON ? report.json() : report.table)
    case .help: print(BenchmarkOptions.help)
    case .parse, .read:
      let samples = try Samples(paths: paths)
      let reads = options.mode == .read
      var sink = Sink()
      for _ in 0..<passes {
        for (bytes, _) in samples.responses {
          let response = try IDXResponse(parsing: bytes)
          if reads { sink.read(response) }
        }
      }
      print(passes * samples.responses.count)
    case .encode:
      let samples = try Samples(paths: paths)
      let forms = samples.responses.compactMap { AnsweredForm($0.response) }
      guard !forms.isEmpty else {
        throw BenchmarkError(description: "None of the responses asks for a simple answer.")
      }
      var sink = Sink()
      for _ in 0..<passes { for form in forms { sink.count += try form.encode() } }
      print(passes * forms.count)
    case .signIn:
      let recording = try await RecordedSignIn()
      for _ in 0..<passes { try await recording.signIn() }
      print(passes)
    case .idToken:
      let check = try await RecordedSignIn().idTokenChecks().all
      for _ in 0..<passes { try check() }
      print(passes)
    case .holdResponses: print(try await LiveMemory.ofResponse(copies: passes, paths: paths))
    case .holdSignIns: print(try await LiveMemory.ofSignIn(count: passes))
    case .holdSessions: print(try await LiveMemory.ofSession(count: passes))
    case .scaleSignIns: print(try await ScaleBenchmark.ofSignIns(count: passes).table)
    case .scaleSessions: print(try await ScaleBenchmark.ofSessions(count: passes).table)
    case .scaleNetwork: print(try await ScaleBenchmark.overNetwork(count: passes))
    case .network: print(try await NetworkBenchmark(count: passes).table)
    case .serve: try await RecordedServer.serve()
    case .steps: try await ScaleBenchmark.serveSteps(open: passes)
    case .fleet: print(try await Fleet(measuring: passes).table)
    }
  }
}
