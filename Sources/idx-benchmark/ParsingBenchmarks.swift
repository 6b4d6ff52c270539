import Foundation
import IDX

/// What is done with the bytes of one response.
struct ParsingBenchmarks {
  let samples: Samples

  func measure(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let responses = samples.responses
    guard !responses.isEmpty else {
      throw BenchmarkOptions.Misuse(description: "None of the files is an IDX response.")
    }
    let bytes = responses.map(\.bytes)
    let datas = bytes.map { Data($0) }
    let answered = responses.compactMap { AnsweredForm($0.response) }
    var sink = Sink()
    let works = [
      Stopwatch.Work("JSONSerialization", count: bytes.count) {
        for data in datas { _ = try JSONSerialization.jsonObject(with: data) }
      },
      Stopwatch.Work("parse", count: bytes.count) {
        for bytes in bytes { _ = try Response(parsing: bytes) }
      },
      Stopwatch.Work("parse, resolve all relations and messages", count: bytes.count) {
        for bytes in bytes { sink.resolve(try Response(parsing: bytes)) }
      },
      Stopwatch.Work("parse, read every property", count: bytes.count) {
        for bytes in bytes { sink.read(try Response(parsing: bytes)) }
      },
      Stopwatch.Work("parse the responses that are answered", count: answered.count) {
        for form in answered { _ = try Response(parsing: form.bytes) }
      },
      Stopwatch.Work("encode an answer to them", count: answered.count) {
        for form in answered { sink.count += try form.encode() }
      },
    ]
    let seconds = try await stopwatch.seconds(of: works)
    let baseline = Measurement("", seconds[0], unit: "").median
    return zip(works, seconds).map { work, seconds in
      let measured = Measurement("", seconds, unit: "")
      return Measurement(
        work.name, seconds.map { $0 * 1e6 }, unit: "µs", ratio: measured.median / baseline)
    }
  }
}
