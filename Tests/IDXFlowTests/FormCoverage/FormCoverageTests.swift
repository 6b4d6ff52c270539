import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import Testing

/// Every form of the fixtures can be answered.
struct FormCoverageTests {
  private static let counts: [FormResult: Int] = [
    .body: 331, .poll: 11, .page: 7, .engine: 3, .unsupported("fast_pass"): 3,
    .unsupported("device_probe"): 2, .unsupported("duo_frame"): 2,
    .unsupported("password_elsewhere"): 2,
    .unsupported("captcha"): 2,
  ]

  @Test("Each form leads to a body, a poll, a page or a named unsupported step")
  func fixtures() async throws {
    let coverage = try await FormCoverage(folder: FormCoverage.fixtures.path)
    expectEqual(coverage.failures, [])
    expectEqual(coverage.responses, 106)
    expectEqual(coverage.others, 0)
    expectEqual(coverage.counts, Self.counts)
  }

  @Test(
    "A different way of writing leads to the same results",
    arguments: ResponseMutation.allCases.sample(every: 5))
  func mutations(_ mutation: ResponseMutation) async throws {
    let coverage = try await FormCoverage(folder: FormCoverage.fixtures.path, mutation)
    expectEqual(coverage.failures, [])
    expectEqual(coverage.responses, 106)
    // Without keys or references, passkey steps cannot be recognized.
    if mutation != .noKeys, mutation != .noReferences { expectEqual(coverage.counts, Self.counts) }
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
    let coverage = try await FormCoverage(folder: try require(corpus))
    expectEqual(coverage.failures, [])
    expect(coverage.responses > 0)
    expect(coverage.counts[.body, default: 0] > coverage.responses)
    expectEqual(coverage.counts[.unsupported(UnsupportedStep.Kind.hiddenField.description)], nil)
  }

  @Test("A different way of writing leads to no failures", arguments: ResponseMutation.allCases)
  func mutations(_ mutation: ResponseMutation) async throws {
    let coverage = try await FormCoverage(
      folder: try require(corpus), mutation, answersEachFormOnce: true)
    expectEqual(coverage.failures, [])
    expect(coverage.responses > 0)
  }
}

/// The results of all forms in all responses of a folder.
struct FormCoverage {
  /// How often each result occurred.
  private(set) var counts: [FormResult: Int] = [:]
  private(set) var failures: [String] = []
  /// The number of responses.
  private(set) var responses = 0
  /// The number of other files.
  private(set) var others = 0

  /// The folder `Fixtures` of the package.
  static let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures")

  /// Answers all forms of the responses in a folder, with or without a mutation.
  ///
  /// With `answersEachFormOnce`, forms that the mutation does not change are left out, and of equal forms at
  /// equal steps, the first one is answered.
  init(
    folder: String, _ mutation: ResponseMutation? = nil, answersEachFormOnce: Bool = false
  ) async throws {
    var answered: Set<String> = []
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name))
      guard var response = try? IDXResponse(parsing: bytes) else {
        others += 1
        let isResponse = String(decoding: bytes, as: UTF8.self).contains("\"remediation\"")
        if isResponse { failures.append("\(name) cannot be read") }
        continue
      }
      responses += 1
      if let mutation {
        let bytes = mutation.applied(to: response.raw.json).bytes
        if answersEachFormOnce, bytes == response.raw.json.bytes { continue }
        response = try IDXResponse(parsing: bytes)
      }
      let forms = FormExplorer.forms(of: response)
      let expected = Self.formCount(in: response.raw.json)
      if forms.count != expected { failures.append("\(name): \(forms.count) of \(expected) forms") }
      let context = answersEachFormOnce ? Self.context(of: response) : ""
      for form in forms {
        if answersEachFormOnce {
          let handle = response.stateHandle?.revealed ?? ""
          let text = form.raw.json.text + context
          let step = handle.isEmpty ? text : text.replacing(handle, with: "")
          guard answered.insert(step).inserted else { continue }
        }
        for result in try await FormExplorer(response).results(of: form) {
          counts[result, default: 0] += 1
          if case .failure(let reason) = result {
            failures.append("\(name), \(form.name): \(reason)")
          }
        }
      }
    }
  }

  /// A response without its handle and time, as text: all that a form is shown and answered with.
  private static func context(of response: IDXResponse) -> String {
    let others: Set = ["stateHandle", "expiresAt"]
    let members = response.raw.json.object?.members.filter { !others.contains($0.name) } ?? []
    return JSONValue.object(JSONValue.Object(members)).text
  }

  /// The number of objects with an address to send to, anywhere in a response.
  ///
  /// Contextual data and captchas are left out, because their addresses are for devices and for a script.
  private static func formCount(in json: JSONValue) -> Int {
    let isNamed = json["name"]?.string != nil || json["method"]?.string != nil
    let isForm = isNamed && json["href"]?.string != nil
    let parts =
      json.array
      ?? json.object?.members.filter { !["contextualData", "captcha"].contains($0.name) }.map(
        \.value)
    return (isForm ? 1 : 0) + (parts ?? []).reduce(0) { $0 + formCount(in: $1) }
  }
}
