import Expectations
import IDXBase
import Testing

/// Expectations of tests record an issue that shows what is wrong.
struct ExpectationTests {
  @Test("What is not as expected is recorded, with what was found")
  func issues() throws {
    let one = 1
    record("This is false: expect(one == 2, \"what\"): what") {
      expect(one == 2, "what")
    }
    record("This is false: expect(one == 2 && one == 1 || String(one) == \"2\")") {
      expect(
        one == 2 && one == 1
          || String(one) == "2")
    }
    expect(one == 1)
    record(#""a" is not equal to "b""#) { expectEqual("a", "b") }
    record(#""a" is not equal to "b": what"#) { expectEqual("a", "b", "what") }
    record(#""abc" does not contain "bd""#) { expectContains("abc", "bd") }
    record("[1, 2] does not contain 3: what") { expectContains([1, 2], 3, "what") }
    record("[1] is not empty") { expectEmpty([1]) }
    record(#""abc" does not start with "b""#) { expectPrefix("abc", "b") }
    record(#""abc" does not end with "b""#) { expectSuffix("abc", "b") }
    expectEmpty("")
    expectPrefix("abc", "ab")
    expectSuffix("abc", "bc")
    expectEqual("a", "a")
    expectContains("abc", "bc")
    expectContains([1, 2], 2)

    // A requirement also ends the test.
    let nothing: Int? = nil
    var value: Int? = 0, goesOn = true
    record("This is nil: value = try? require(nothing, \"what\"): what") {
      value = try? require(nothing, "what")
    }
    record("This is false: goesOn = (try? require(one == 2)) != nil") {
      goesOn = (try? require(one == 2)) != nil
    }
    expect(value == nil && !goesOn)
    expectEqual(try require(Optional(one)), 1)
    try require(one == 1)
  }

  @Test("An error of another type, or none, is recorded and ends the test")
  func errors() async throws {
    struct Refusal: Error {}
    let issues = Locked<[String]>([])
    await $recordIssue.withValue({ text, _ in issues.withLock { $0.append(text) } }) {
      for error in [nil, CancellationError(), Refusal()] as [(any Error)?] {
        _ = try? await requireError(Refusal.self) {
          if let error { throw error }
          return 1
        }
      }
    }
    #expect(
      issues.withLock { $0 } == [
        "No error, but 1 in place of an error of the type Refusal",
        "Swift.CancellationError() in place of an error of the type Refusal",
      ])
  }

  @Test("A sample has every so many elements, and all of them on request")
  func sample() {
    expectEqual((0..<8).sample(every: 3, environment: [:]), [0, 3, 6])
    expectEqual((0..<8).sample(every: 3, environment: ["IDX_FLOW_TESTS": "all"]), Array(0..<8))
  }

  /// Fails if a body does not record exactly one issue, with this text and at a line of this file.
  private func record(_ text: String, _ body: () -> Void) {
    let issues = Locked<[String]>([])
    $recordIssue.withValue({ text, place in
      issues.withLock { $0.append("\(place.fileName): \(text)") }
    }) {
      body()
    }
    #expect(issues.withLock { $0 } == ["ExpectationTests.swift: \(text)"])
  }
}
