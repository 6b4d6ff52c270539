import Foundation
import IDX
import IDXFlow

/// The memory that responses and sign-ins use while they are held, as the system counts it.
///
/// Each is measured in its own process: memory that was freed before would be reused, and not counted.
enum LiveMemory {
  /// What a process holds.
  enum Load: Equatable {
    /// Copies of all responses; the result is the memory of one, without its bytes.
    case responses(copies: Int)
    /// Sign-ins before their last step, the code of an authenticator app.
    case signIns(Int)

    var arguments: [String] {
      switch self {
      case .responses(let copies): ["hold", "responses", "--passes", "\(copies)"]
      case .signIns(let count): ["hold", "signins", "--passes", "\(count)"]
      }
    }
  }

  private static let status = "/proc/self/status"

  /// Why the memory cannot be measured.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Measures in other processes; empty unless the system is Linux.
  static func measure(_ samples: Samples, paths: [String]) throws -> [Measurement] {
    guard FileManager.default.fileExists(atPath: status) else { return [] }
    // Many copies, because memory is counted in pages, but not too many for the computer.
    let copies = max(1, min(10_000 / samples.responses.count, (64 << 20) / samples.size))
    let responses = try grown(by: .responses(copies: copies), paths)
    let few = try grown(by: .signIns(1000), [])
    let many = try grown(by: .signIns(100_000), [])
    return [
      Measurement("memory of a response, without its bytes", [responses], unit: "bytes"),
      Measurement("memory of a sign-in, 1,000 held", [few / 1024], unit: "KiB"),
      Measurement("memory of a sign-in, 100,000 held", [many / 1024], unit: "KiB"),
      Measurement("memory of 100,000 sign-ins", [many * 100_000 / 1_048_576], unit: "MiB"),
    ]
  }

  /// Holds the load and returns how many bytes this process grows for each item.
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

  /// A sign-in before its last answer.
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
    process.arguments = load.arguments + paths
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard let bytes = Double(text.trimmingCharacters(in: .newlines)) else {
      throw Failure(
        description: "The process for “\(load.arguments.joined(separator: " "))” printed no number."
      )
    }
    return bytes
  }

  /// The resident memory of this process.
  private static var residentBytes: Int {
    get throws {
      let lines = try String(contentsOfFile: status, encoding: .utf8)
        .split(separator: "\n")
      let words = lines.first { $0.hasPrefix("VmRSS:") }?.split(whereSeparator: \.isWhitespace)
      guard let kilobytes = words.flatMap({ $0.count > 1 ? Int($0[1]) : nil }) else {
        throw Failure(description: "Memory can be measured only on Linux.")
      }
      return kilobytes * 1024
    }
  }
}

extension [UInt8] {
  /// A copy of the bytes in its own memory, like bytes from the network.
  var copied: [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    copy.append(contentsOf: self)
    return copy
  }
}
