import Foundation
import IDX

/// The benchmarks of a single response: parsing, reading, and encoding an answer.
struct ParsingBenchmarks {
  let samples: Samples

  func measure(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let bytes = samples.responses.map(\.bytes)
    let datas = bytes.map { Data($0) }
    var sink = Sink()
    let all = [
      Stopwatch.Work("JSONSerialization", count: bytes.count) {
        for data in datas { _ = try JSONSerialization.jsonObject(with: data) }
      },
      Stopwatch.Work("parse", count: bytes.count) {
        for bytes in bytes { _ = try IDXResponse(parsing: bytes) }
      },
      Stopwatch.Work("parse, resolve all relations and messages", count: bytes.count) {
        for bytes in bytes { sink.resolve(try IDXResponse(parsing: bytes)) }
      },
      Stopwatch.Work("parse, read every property", count: bytes.count) {
        for bytes in bytes { sink.read(try IDXResponse(parsing: bytes)) }
      },
    ]
    return try await measurements(of: all, by: stopwatch) + answering(by: stopwatch)
  }

  /// The benchmarks of the responses that simple answers can be given to; empty if there are none.
  private func answering(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let answered = samples.responses.compactMap { AnsweredForm($0.response) }
    guard !answered.isEmpty else { return [] }
    let datas = answered.map { Data($0.bytes) }
    var sink = Sink()
    let works = [
      Stopwatch.Work("JSONSerialization, answerable responses", count: answered.count) {
        for data in datas { _ = try JSONSerialization.jsonObject(with: data) }
      },
      Stopwatch.Work("parse, answerable responses", count: answered.count) {
        for form in answered { _ = try IDXResponse(parsing: form.bytes) }
      },
      Stopwatch.Work("encode an answer", count: answered.count) {
        for form in answered { sink.count += try form.encode() }
      },
    ]
    return try await measurements(of: works, by: stopwatch)
  }

  /// Measures the work, with the ratio to the first entry, which reads the same bytes.
  private func measurements(
    of works: [Stopwatch.Work], by stopwatch: Stopwatch
  ) async throws -> [Measurement] {
    let seconds = try await stopwatch.seconds(of: works)
    let baseline = Measurement("", seconds[0], unit: "").median
    return zip(works, seconds).map { work, seconds in
      let measured = Measurement("", seconds, unit: "")
      return Measurement(
        work.name, seconds.map { $0 * 1e6 }, unit: "µs", ratio: measured.median / baseline)
    }
  }
}
