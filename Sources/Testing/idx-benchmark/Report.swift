import Foundation

/// All measurements, as a table or as JSON.
struct Report: Encodable {
  let files: Int
  let meanBytes: Int
  let repetitions: Int
  let machine = Machine()
  let measurements: [Measurement]

  func json() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }

  var table: String {
    var rows = [["", "median", "min", "max", "", "", "ratio to"]]
    rows += measurements.map { row in
      [
        row.name, Self.text(row.median), Self.text(row.min), Self.text(row.max),
        row.isSteady ? "" : "!", row.unit,
        row.ratio.map { String(format: "%.3f × ", $0) + (row.reference ?? "") } ?? "",
      ]
    }
    var lines = rows.aligned(left: [0, 4, 5, 6])
    let unsteady = measurements.filter { !$0.isSteady }.count
    if unsteady > 0 {
      let percent = Int(Measurement.steadySpread * 100)
      lines += [
        "",
        "! In \(unsteady) of \(measurements.count) rows, the slowest and the quickest run differ by more than "
          + "\(percent)% of the median.",
        "Do not compare these rows. Measure again while nothing else runs.",
      ]
    }
    let title =
      "\(files) responses of \(meanBytes) bytes on average, \(repetitions) repetitions; "
      + "\(machine.processor ?? "unknown processor"), \(machine.cores) cores, \(machine.system)"
    return ([title, ""] + lines).joined(separator: "\n")
  }

  private static func text(_ value: Double) -> String {
    String(format: value < 10 ? "%.2f" : value < 1000 ? "%.1f" : "%.0f", value)
  }
}

extension [[String]] {
  /// Rows of as many columns as the first one, as lines; the columns with these indices are aligned left.
  func aligned(left: Set<Int>) -> [String] {
    let widths = (first ?? []).indices.map { column in map { $0[column].count }.max() ?? 0 }
    return map { row in
      row.indices.map { column in
        let gap = String(repeating: " ", count: widths[column] - row[column].count)
        return left.contains(column) ? row[column] + gap : gap + row[column]
      }.joined(separator: "  ").replacing(/\ +$/, with: "")
    }
  }
}

/// The computer that the measurements were made on.
struct Machine: Encodable {
  let system = ProcessInfo.processInfo.operatingSystemVersionString
  let cores = ProcessInfo.processInfo.activeProcessorCount
  let processor = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?
    .firstMatch(of: /model name\s*:\s*(.+)/).map { String($0.1) }
}
