import Foundation
import IDX
import IDXFlow
import Testing

@Suite("Every form of the fixtures can be answered")
struct FormCoverageTests {
  private static let counts: [FormResult: Int] = [
    .body: 330, .poll: 10, .page: 7, .engine: 3, .unsupported("fast_pass"): 2,
    .unsupported("device_probe"): 2, .unsupported("duo_frame"): 2,
    .unsupported("password_elsewhere"): 2,
    .unsupported("captcha"): 1, .unsupported("apple_sso_extension"): 1,
  ]

  @Test("Each form leads to a body, a poll, a page or a named unsupported step")
  func fixtures() async throws {
    let coverage = try await FormCoverage(folder: FormCoverage.fixtures.path)
    #expect(coverage.failures == [])
    #expect(coverage.responses == 101)
    #expect(coverage.others == 0)
    #expect(coverage.counts == Self.counts)
  }

  @Test(
    "A different way of writing leads to the same results", arguments: ResponseMutation.allCases)
  func mutations(_ mutation: ResponseMutation) async throws {
    let coverage = try await FormCoverage(folder: FormCoverage.fixtures.path, mutation)
    #expect(coverage.failures == [])
    #expect(coverage.responses == 101)
    // Without keys or references, passkey steps cannot be recognized.
    if mutation != .noKeys, mutation != .noReferences { #expect(coverage.counts == Self.counts) }
  }
}

/// The folder with recorded responses, which are not part of this package.
private let corpus = ProcessInfo.processInfo.environment["IDX_CORPUS"]

@Suite(
  "Every form of the recorded responses can be answered",
  .enabled(if: corpus != nil, "IDX_CORPUS names no folder with responses"))
struct CorpusCoverageTests {
  @Test("Each form leads to a body, a poll, a page or a named unsupported step")
  func recorded() async throws {
    let coverage = try await FormCoverage(folder: try #require(corpus))
    #expect(coverage.failures == [])
    #expect(coverage.responses > 0)
    #expect(coverage.counts[.body, default: 0] > coverage.responses)
    #expect(coverage.counts[.unsupported(UnsupportedStep.Kind.hiddenField.description)] == nil)
  }

  @Test("A different way of writing leads to no failures", arguments: ResponseMutation.allCases)
  func mutations(_ mutation: ResponseMutation) async throws {
    let coverage = try await FormCoverage(folder: try #require(corpus), mutation)
    #expect(coverage.failures == [])
    #expect(coverage.responses > 0)
  }
}
