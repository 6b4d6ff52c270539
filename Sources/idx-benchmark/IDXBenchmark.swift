import Foundation
import IDX

/// Measures the speed of the package, compared with JSONSerialization on the same bytes.
@main
struct IDXBenchmark {
  /// Waits with a semaphore, because profilers cannot follow an asynchronous main function.
  static func main() {
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      await run()
      done.signal()
    }
    done.wait()
  }

  private static func run() async {
    do {
      let options = try BenchmarkOptions(Array(CommandLine.arguments.dropFirst()))
      switch options.mode {
      case .help: print(BenchmarkOptions.help)
      case .parse(let passes): try parse(passes, options.paths)
      case .read(let passes): try read(passes, options.paths)
      case .encode(let passes): try encode(passes, options.paths)
      case .signIn(let passes): try await signIn(passes)
      case .hold(let load): print(try await LiveMemory.hold(load, paths: options.paths))
      case .all: try await measureAll(options)
      }
    } catch let error as BenchmarkOptions.UsageError {
      FileHandle.standardError.write(Data("idx-benchmark: \(error)\n".utf8))
      exit(2)
    } catch {
      FileHandle.standardError.write(Data("idx-benchmark: \(error)\n".utf8))
      exit(1)
    }
  }

  /// Only parses, so that a profiler counts nothing else.
  private static func parse(_ passes: Int, _ paths: [String]) throws {
    let samples = try Samples(paths: paths)
    var count = 0
    for _ in 0..<passes {
      for (bytes, _) in samples.responses {
        _ = try IDXResponse(parsing: bytes)
        count += 1
      }
    }
    print(count)
  }

  /// Parses the responses and reads every property.
  private static func read(_ passes: Int, _ paths: [String]) throws {
    let samples = try Samples(paths: paths)
    var sink = Sink()
    var count = 0
    for _ in 0..<passes {
      for (bytes, _) in samples.responses {
        sink.read(try IDXResponse(parsing: bytes))
        count += 1
      }
    }
    print(count)
  }

  /// Encodes answers, which are generated before.
  private static func encode(_ passes: Int, _ paths: [String]) throws {
    let forms = try Samples(paths: paths).responses.compactMap { AnsweredForm($0.response) }
    guard !forms.isEmpty else {
      throw BenchmarkOptions.UsageError(
        description: "None of the responses asks for a simple answer.")
    }
    var sink = Sink()
    for _ in 0..<passes { for form in forms { sink.count += try form.encode() } }
    print(passes * forms.count)
  }

  /// Only signs in.
  private static func signIn(_ passes: Int) async throws {
    let recording = try await RecordedSignIn.make(asksForIDToken: false)
    let client = recording.client
    for _ in 0..<passes { try await recording.signIn(with: client) }
    print(passes)
  }

  private static func measureAll(_ options: BenchmarkOptions) async throws {
    #if DEBUG
      FileHandle.standardError.write(
        Data("This is a debug build. Use a release build to measure: -c release\n".utf8))
    #endif
    let samples = try Samples(paths: options.paths)
    let stopwatch = Stopwatch(repetitions: options.repetitions)
    var report = Report(samples: samples, repetitions: options.repetitions)
    report.add(try await ParsingBenchmarks(samples: samples).measure(by: stopwatch))
    report.add(try await FlowBenchmarks.make().measure(by: stopwatch))
    report.add(try LiveMemory.measure(samples, paths: options.paths))
    print(try options.isJSON ? report.json : report.table)
  }
}
