import Expectations
import IDXBase
import Testing

@testable import IDX

struct MessageExcerptTests {
  private func excerpt(_ messages: [(text: String?, key: String?)]) throws -> MessageExcerpt {
    let list = messages.map { message in
      [
        "message": message.text.map(JSONValue.string) ?? nil,
        "i18n": ["key": message.key.map(JSONValue.string) ?? nil],
      ]
        as JSONValue
    }
    let response: JSONValue = ["messages": ["value": .array(list)]]
    return MessageExcerpt(try IDXResponse(parsing: response.bytes).messages)
  }

  @Test("A message without a sentence is shown by its key, and repetitions are left out")
  func texts() throws {
    let excerpt = try excerpt([("A", "a"), (nil, "b"), ("A", "a"), ("", "c"), (nil, nil)])
    expectEqual(excerpt.entries.map(\.text), ["A", "b", "c", ""])
    expectEqual(excerpt.remark, nil)
  }

  @Test("At most 20 messages are shown, and long ones and those with many lines take more room")
  func many() throws {
    let many = try excerpt((0..<21).map { ("\($0)", nil) })
    expectEqual(many.entries.map(\.text), (0..<20).map(String.init))
    expectEqual(many.remark, "… and 1 more message.")
    let long = try excerpt(
      (0..<9).map { ("\($0)" + String(repeating: "a", count: 100_000), nil) })
    expect(long.entries.count == 4 && long.omitted == 5)
    expect(long.entries.allSatisfy { $0.text.count == 1001 })
    let lines = try excerpt((0..<9).map { ("\($0)" + String(repeating: "\n", count: 100), nil) })
    expect(lines.entries.count == 3 && lines.omitted == 6)
  }
}
