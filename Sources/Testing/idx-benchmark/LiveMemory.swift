import Foundation
import IDX
import IDXFlow

/// The memory that responses and sign-ins use while they are held, as the system counts it.
///
/// Each is measured in its own process: memory that was freed before would be reused, and not counted.
enum LiveMemory {
  private static let statistics = "/proc/self/statm"

  /// Whether the system is Linux.
  static var canBeMeasured: Bool { FileManager.default.fileExists(atPath: statistics) }

  /// Measures in other processes.
  static func measure(_ samples: Samples, paths: [String]) throws -> [Measurement] {
    // Many copies, because memory is counted in pages, but not too many for the computer.
    let copies = max(1, min(10_000 / samples.responses.count, (64 << 20) / samples.size))
    let response = try ChildProcess(["hold", "responses", "--passes", "\(copies)"] + paths)
    let session = try ChildProcess(["hold", "sessions", "--passes", "10000"])
    let state = try ChildProcess(["hold", "signins", "--passes", "100000"])
    return [
      Measurement(
        "memory of a response, without its bytes", [try response.number()], unit: "bytes"),
      Measurement(
        "memory of an open sign-in of a server, 10,000 held", [try session.number() / 1024],
        unit: "KiB"),
      Measurement(
        "memory of a sign-in, 100,000 held", [try state.number() / 1024], unit: "KiB"),
    ]
  }

  /// Holds copies of all responses and returns the memory of one, without its bytes.
  static func ofResponse(copies: Int, paths: [String]) async throws -> Double {
    let samples = try Samples(paths: paths)
    let count = samples.responses.count
    let grown = try await grown(holding: copies * count) {
      try IDXResponse(parsing: samples.responses[$0 % count].bytes.copied)
    }
    return Double(grown - samples.size * copies) / Double(copies * count)
  }

  /// Holds sign-ins before their last step and returns the memory of one.
  static func ofSignIn(count: Int) async throws -> Double {
    let recording = try await RecordedSignIn(asksForIDToken: false)
    _ = try await recording.stateBeforeCode()
    let grown = try await grown(holding: count) { _ in try await recording.stateBeforeCode() }
    return Double(grown) / Double(count)
  }

  /// Holds open sign-ins of a server at the code, and returns the memory of one.
  static func ofSession(count: Int) async throws -> Double {
    let recording = try await RecordedSignIn(asksForIDToken: false)
    let sessions = OpenSignIns(
      client: recording.client, configuration: recording.configuration)
    func open() async throws {
      var turn = try await sessions.start()
      for reply in recording.replies.dropLast() {
        guard case .page(let page) = turn else { return }
        turn = try await sessions.reply(reply, to: page.id, revision: page.revision)
      }
    }
    try await open()
    let grown = try await grown(holding: count) { _ in try await open() }
    return Double(grown) / Double(count)
  }

  /// By how many bytes this process grows while it holds items.
  private static func grown<Item>(
    holding count: Int, _ item: (Int) async throws -> Item
  ) async throws -> Int {
    var held: [Item] = []
    held.reserveCapacity(count)
    let before = try residentBytes()
    for index in 0..<count { held.append(try await item(index)) }
    let after = try residentBytes()
    return withExtendedLifetime(held) { after - before }
  }

  /// The resident memory of this process.
  static func residentBytes() throws -> Int {
    // The second number is that of the resident pages.
    let numbers = try String(contentsOfFile: statistics, encoding: .utf8).split(separator: " ")
    guard numbers.count > 1, let pages = Int(numbers[1]) else {
      throw BenchmarkError(description: "Memory can be measured only on Linux.", exitStatus: 1)
    }
    return pages * sysconf(Int32(_SC_PAGESIZE))
  }
}

extension [UInt8] {
  /// A copy of the bytes in its own memory, like bytes from the network.
  var copied: [UInt8] { withUnsafeBufferPointer { Array($0) } }
}
