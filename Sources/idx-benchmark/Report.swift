import Foundation

/// All measurements, as a table or as JSON.
struct Report: Encodable {
  let files: Int
  let meanBytes: Int
  let repetitions: Int
  let machine: Machine
  private(set) var measurements: [Measurement] = []

  init(samples: Samples, repetitions: Int) {
    files = samples.responses.count
    meanBytes = samples.size / samples.responses.count
    self.repetitions = repetitions
    machine = Machine()
  }

  mutating func add(_ measurements: [Measurement]) { self.measurements += measurements }

  var json: String {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
      return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
  }

  var table: String {
    let head = ["", "median", "min", "max", "", "× JSONSerialization"]
    let rows = measurements.map { row in
      [
        row.name, Self.text(row.median), Self.text(row.min), Self.text(row.max), row.unit,
        row.ratio.map { String(format: "%.3f", $0) } ?? "",
      ]
    }
    let widths = head.indices.map { column in ([head] + rows).map { $0[column].count }.max() ?? 0 }
    let lines = ([head] + rows).map { row in
      row.indices.map { column in
        let gap = String(repeating: " ", count: widths[column] - row[column].count)
        return column == 0 || column == 4 ? row[column] + gap : gap + row[column]
      }.joined(separator: "  ").trimmedAtEnd
    }
    let title =
      "\(files) responses of \(meanBytes) bytes on average, \(repetitions) repetitions; "
      + machine.description
    return ([title, ""] + lines).joined(separator: "\n")
  }

  private static func text(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : value < 1000 ? "%.1f" : "%.0f", value)
  }
}

/// The computer that the measurements were made on.
struct Machine: Encodable, CustomStringConvertible {
  let system = ProcessInfo.processInfo.operatingSystemVersionString
  let cores = ProcessInfo.processInfo.activeProcessorCount
  let processor: String?

  init() {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
      .split(separator: "\n")
    processor = lines?.first { $0.hasPrefix("model name") }?.split(separator: ":").last
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  var description: String { "\(processor ?? "unknown processor"), \(cores) cores, \(system)" }
}

extension String {
  fileprivate var trimmedAtEnd: String {
    String(prefix(upTo: lastIndex { $0 != " " }.map(index(after:)) ?? startIndex))
  }
}
