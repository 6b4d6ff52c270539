import IDXBase
import Foundation
import IDX
import Testing

// The files are not ours to hand on: set IDX_CORPUS to a folder that holds them to run this.
private let folder = ProcessInfo.processInfo.environment["IDX_CORPUS"]

@Suite("Corpus", .enabled(if: folder != nil, "IDX_CORPUS names no folder of responses"))
struct CorpusTests {
  @Test("Every file is a response each form of which can be answered or says why not, or an error")
  func everyFile() throws {
    var read = 0
    for file in try files() {
      let outcome = Outcome(of: file.bytes)
      #expect(outcome.isSound, "\(file.name): \(outcome)")
      guard case .read(let response, _) = outcome else { continue }
      read += 1
      #expect(response.authenticators.allSatisfy { $0.readEverything() > 0 })
      #expect(
        try IDXResponse(parsing: response.raw.json.bytes).remediations.count
          == response.remediations.count)
    }
    #expect(read > 0)
  }

  @Test("Every tenth file, each key removed once and each value retyped once")
  func mutations() throws {
    var count = 0
    for file in try files().enumerated().filter({ $0.offset % 10 == 0 }).map(\.element) {
      guard (try? JSONValue(parsing: file.bytes)) != nil else { continue }
      let mutations = try Mutations(of: file.bytes)
      for index in 0..<mutations.count {
        #expect(Outcome(of: mutations[index]).isSound, "\(file.name), \(index)")
      }
      count += mutations.count
    }
    #expect(count > 0)
  }

  private func files() throws -> [(name: String, bytes: [UInt8])] {
    let folder = try #require(folder)
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix(".json") }.sorted().map { name in
      let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
      return (name, Array(try Data(contentsOf: url)))
    }
  }
}
