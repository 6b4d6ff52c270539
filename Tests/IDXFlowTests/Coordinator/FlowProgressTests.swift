import Foundation
import IDX
import IDXBase
import IDXOAuth
import Testing

@testable import IDXFlow

@Suite("The progress of a sign-in")
struct FlowProgressTests {
  private static func authenticator(_ id: String) -> (String, JSONValue) {
    Wire.current(["id": .string(id), "key": "phone_number", "type": "phone"])
  }

  private static func document(_ id: String = "aut1") throws -> FlowState {
    try Wire.state(
      Wire.document(
        [Wire.form("challenge-poll"), Wire.form("select-authenticator-authenticate")],
        [authenticator(id)]))
  }

  /// The progress as another process reads it.
  private func saved(_ progress: FlowProgress) throws -> FlowProgress {
    try FlowProgress(snapshot: progress.snapshot(), for: Wire.configuration())
  }

  @Test("A reply about another phone is news, although everything else is the same")
  func otherPhone() throws {
    #expect(try !Self.document().isNews(after: Self.document()))
    #expect(try Self.document("aut2").isNews(after: Self.document()))
  }

  @Test("A form that the person has opened stays open while polls bring no news")
  func openedForm() throws {
    var progress = FlowProgress(try Self.document())
    let form = try #require(progress.state.response[.selectAuthenticatorAuthenticate])
    progress.choose(form, notice: nil)
    var isNews = try progress.finishPoll(after: .seconds(4), at: Self.document())
    #expect(!isNews && progress.chosen == form)
    isNews = try progress.finishPoll(after: .seconds(4), at: Self.document("aut2"))
    #expect(isNews && progress.chosen == nil)
  }

  @Test("What the person has just chosen, and the pause before the next poll, are saved")
  func saving() throws {
    var progress = FlowProgress(try Self.document())
    let choice = try #require(progress.state.response[.selectAuthenticatorAuthenticate])
    _ = try progress.advance(to: Self.document("aut2"), after: Submission(choice))
    let form = progress.state.response.remediations[0]
    #expect(progress.step(for: form).wasChosen)
    #expect(try saved(progress).step(for: form).wasChosen)

    _ = progress.missPoll(after: .seconds(4), .seconds(20), pause: .seconds(60))
    var other = try saved(progress)
    #expect(other.pause == .seconds(60))
    #expect(other.interval(of: form) == .seconds(60))
    // The failures of both processes count together.
    let isGoingOn = other.missPoll(after: .seconds(4), .seconds(6), pause: .zero)
    #expect(!isGoingOn)
  }

  @Test("A saved sign-in with impossible numbers is damaged")
  func damaged() throws {
    let progress = FlowProgress(try Self.document())
    let text = String(decoding: try progress.snapshot(), as: UTF8.self)
    for (member, value) in [("steps", "-1"), ("polls", "1000001"), ("waited", "[-1,0]")] {
      let old = member == "waited" ? "[0,0]" : "0"
      let changed = text.replacing("\"\(member)\":\(old)", with: "\"\(member)\":\(value)")
      #expect(changed != text)
      #expect {
        try FlowProgress(snapshot: Data(changed.utf8), for: Wire.configuration())
      } throws: {
        ($0 as? FlowError)?.code == .unreadableState
      }
    }
  }

  @Test("A goal applies again after a failed sign-in, and not after one that reached it")
  func goal() throws {
    let start = try Wire.state(Wire.document([Wire.form("identify")]))
    let failed = try Wire.state(
      Wire.document([], [("messages", Wire.messages("idx.session.expired"))]))
    let done = try Wire.state(
      Wire.document([], [("messages", Wire.messages("password.changed", kind: "INFO"))]))
    for (end, expected) in [(failed, Goal.recover), (done, nil)] {
      var progress = FlowProgress(start, goal: .recover)
      progress.goal = nil
      try progress.advance(to: end)
      try progress.restart(at: start)
      #expect(progress.goal == expected)
    }
  }
}
