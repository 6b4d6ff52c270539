import Foundation

/// This program in another process, which ends with this object.
final class ChildProcess {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  init(_ arguments: [String]) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  deinit {
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  /// Sends a line, and returns the next line that the process prints.
  func line(after request: String? = nil) throws -> String {
    if let request { try input.fileHandleForWriting.write(contentsOf: Data("\(request)\n".utf8)) }
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
      .trimmingCharacters(in: .whitespacesAndNewlines)
    guard !line.isEmpty else {
      throw BenchmarkError(
        description: "“\((process.arguments ?? []).joined(separator: " "))” printed nothing.",
        exitStatus: 1)
    }
    return line
  }

  /// The number in ``line(after:)``.
  func number(after request: String? = nil) throws -> Double {
    let line = try line(after: request)
    guard let number = Double(line) else {
      throw BenchmarkError(description: "“\(line)” is not a number.", exitStatus: 1)
    }
    return number
  }

  /// What such a process does: prints a line, and then one for each that it reads.
  static func serve(_ first: String, _ respond: (String) async throws -> String) async throws {
    var next: String? = first
    while let line = next {
      print(line)
      // At once, although the output is not a terminal.
      fflush(nil)
      next = if let request = readLine() { try await respond(request) } else { nil }
    }
  }
}
