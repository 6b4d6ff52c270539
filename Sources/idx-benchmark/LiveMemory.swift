import Foundation
import IDX
import IDXFlow

/// What responses and sign-ins take while they are held, as the system counts it.
///
/// Each is measured in a process of its own: memory that was used before and given back would be used
/// again, and not be counted.
enum LiveMemory {
  /// What a process is asked to hold.
  enum Load: Equatable {
    /// Copies of all responses; what is counted is what one takes beyond its own bytes.
    case responses(copies: Int)
    /// Sign-ins that stand before the code of the app.
    case signIns(Int)

    var words: [String] {
      switch self {
      case .responses(let copies): ["hold", "responses", "--passes", "\(copies)"]
      case .signIns(let count): ["hold", "signins", "--passes", "\(count)"]
      }
    }
  }

  private static let status = "/proc/self/status"

  /// What keeps memory from being counted.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Measures in processes of their own; nothing where the system is not Linux.
  static func measure(_ samples: Samples, paths: [String]) throws -> [Measurement] {
    guard FileManager.default.fileExists(atPath: status) else { return [] }
    // Many, as memory is counted in pages, but not so much that there is none left.
    let copies = max(1, min(10_000 / samples.responses.count, (64 << 20) / samples.size))
    let responses = try grown(by: .responses(copies: copies), paths)
    let few = try grown(by: .signIns(1000), [])
    let many = try grown(by: .signIns(100_000), [])
    return [
      Measurement("a live response, beyond its bytes", [responses], unit: "bytes"),
      Measurement("a live sign-in of 1,000", [few / 1024], unit: "KiB"),
      Measurement("a live sign-in of 100,000", [many / 1024], unit: "KiB"),
      Measurement("100,000 live sign-ins", [many * 100_000 / 1_048_576], unit: "MiB"),
    ]
  }

  /// By how many bytes this process grows for each of what it holds.
  static func hold(_ load: Load, paths: [String]) async throws -> Double {
    switch load {
    case .responses(let copies):
      let samples = try Samples(paths: paths)
      var held: [IDXResponse] = []
      held.reserveCapacity(copies * samples.responses.count)
      let before = try residentBytes
      for _ in 0..<copies {
        for (bytes, _) in samples.responses { held.append(try IDXResponse(parsing: bytes.copied)) }
      }
      let grown = try residentBytes - before
      return withExtendedLifetime(held) {
        Double(grown - samples.size * copies) / Double(held.count)
      }
    case .signIns(let count):
      let recording = try await RecordedSignIn.make(asksForIDToken: false)
      let client = recording.client
      _ = try await state(of: recording, with: client)
      var states: [FlowState] = []
      states.reserveCapacity(count)
      let before = try residentBytes
      for _ in 0..<count { states.append(try await state(of: recording, with: client)) }
      let grown = try residentBytes - before
      return withExtendedLifetime(states) { Double(grown) / Double(count) }
    }
  }

  /// A sign-in that stands before its last answer.
  static func state(
    of recording: RecordedSignIn, with client: IDXClient
  ) async throws -> FlowState {
    var state = try await client.start(recording.configuration)
    for (name, answers) in recording.answers.dropLast() {
      state = try await client.proceed(name, answers, from: state)
    }
    return state
  }

  private static func grown(by load: Load, _ paths: [String]) throws -> Double {
    let process = Process()
    process.executableURL = Bundle.main.executableURL
    process.arguments = load.words + paths
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let bytes = Double(text.trimmingCharacters(in: .newlines)) else {
      throw Failure(
        description: "A process that was to \(load.words.joined(separator: " ")) told no number.")
    }
    return bytes
  }

  /// What of this process is in memory.
  private static var residentBytes: Int {
    get throws {
      let lines = try String(contentsOfFile: status, encoding: .utf8)
        .split(separator: "\n")
      let words = lines.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: \.isWhitespace)
      guard let kilobytes = words.flatMap({ $0.count > 1 ? Int($0[1]) : nil }) else {
        throw Failure(description: "Only Linux tells here what is in memory.")
      }
      return kilobytes * 1024
    }
  }
}

extension [UInt8] {
  /// The same bytes in memory of their own, as a network would bring them.
  var copied: [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    copy.append(contentsOf: self)
    return copy
  }
}
