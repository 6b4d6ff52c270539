import Foundation
import IDX

/// The benchmarks of a single response: parsing, reading, and encoding an answer.
struct ParsingBenchmarks {
  let samples: Samples

  func measure(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let bytes = samples.responses.map(\.bytes)
    var sink = Sink()
    let all = [
      serialization("JSONSerialization", of: bytes),
      Stopwatch.Work(name: "parse", count: bytes.count) {
        for bytes in bytes { _ = try IDXResponse(parsing: bytes) }
      },
      Stopwatch.Work(name: "parse, resolve all relations and messages", count: bytes.count) {
        for bytes in bytes { sink.resolve(try IDXResponse(parsing: bytes)) }
      },
      Stopwatch.Work(name: "parse, read every property", count: bytes.count) {
        for bytes in bytes { sink.read(try IDXResponse(parsing: bytes)) }
      },
      Stopwatch.Work(name: "read every property of a parsed response", count: bytes.count) {
        for (_, response) in samples.responses { sink.read(response) }
      },
    ]
    var measured = try await stopwatch.measurements(of: all)
    measured[4] = measured[4].compared(with: measured[1])
    for index in 1...3 { measured[index] = measured[index].compared(with: measured[0]) }
    let answered = samples.responses.compactMap { bytes, response in
      AnsweredForm(response).map { (bytes: bytes, form: $0) }
    }
    guard !answered.isEmpty else { return measured }
    let answering = [
      serialization("JSONSerialization, answerable responses", of: answered.map(\.bytes)),
      Stopwatch.Work(name: "parse, answerable responses", count: answered.count) {
        for (bytes, _) in answered { _ = try IDXResponse(parsing: bytes) }
      },
      Stopwatch.Work(name: "encode an answer", count: answered.count) {
        for (_, form) in answered { sink.count += try form.encode() }
      },
    ]
    var answers = try await stopwatch.measurements(of: answering)
    answers[2] = answers[2].compared(with: answers[1])
    answers[1] = answers[1].compared(with: answers[0])
    return measured + answers
  }

  private func serialization(_ name: String, of bytes: [[UInt8]]) -> Stopwatch.Work {
    let datas = bytes.map { Data($0) }
    return Stopwatch.Work(name: name, count: datas.count) {
      for data in datas { _ = try JSONSerialization.jsonObject(with: data) }
    }
  }
}
