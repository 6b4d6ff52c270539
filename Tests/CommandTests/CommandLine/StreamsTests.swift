import Expectations
import Testing

@testable import idx_flow

@Suite("Notes in a narrow window")
struct StreamsTests {
  @Test("A long line is broken between words, and a line that fits stays as it is")
  func broken() {
    expectEqual(Streams.broken("one  two", at: 20), "one  two")
    expectEqual(Streams.broken("one two three four", at: 10), "one two\nthree four")
    expectEqual(Streams.broken("title:\n  one two three", at: 10), "title:\n  one two\n  three")
    let address = "https://a.example/" + String(repeating: "x", count: 40)
    expectEqual(Streams.broken("see \(address)", at: 20), "see\n\(address)")
  }
}
