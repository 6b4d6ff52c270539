import Foundation
import IDXFlow
import Testing

// The recorded responses are not ours to hand on: set IDX_CORPUS to a folder that holds them.
private let folder = ProcessInfo.processInfo.environment["IDX_CORPUS"]

@Suite(
  "Every form of the recorded responses can be walked through the handlers",
  .enabled(if: folder != nil, "IDX_CORPUS names no folder of responses"))
struct CorpusWalkTests {
  @Test("Each form ends in a body, a poll, a page or a named unsupported step")
  func recorded() async throws {
    let walk = try await Walk(folder: try #require(folder))
    #expect(walk.failures == [])
    #expect(walk.files > 0)
    #expect(walk.tally[.body, default: 0] > walk.files)
    #expect(walk.tally[.unsupported(UnsupportedStep.Kind.hiddenField.description)] == nil)
  }

  @Test("An odd way of writing changes nothing about that", arguments: Mutation.allCases)
  func oddities(_ mutation: Mutation) async throws {
    let walk = try await Walk(folder: try #require(folder), mutation)
    #expect(walk.failures == [])
    #expect(walk.files > 0)
  }
}
