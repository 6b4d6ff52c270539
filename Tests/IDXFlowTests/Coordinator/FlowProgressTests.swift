import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import SignInSupport
import Testing

@testable import IDXFlow

/// The progress of a sign-in.
struct FlowProgressTests {
  private static func authenticator(
    _ id: String, _ key: String = "phone_number"
  ) -> (String, JSONValue) {
    Wire.current(["id": .string(id), "key": .string(key), "type": "phone"])
  }

  private static func document(
    _ id: String = "aut1", key: String = "phone_number",
    others: [String] = ["select-authenticator-authenticate"]
  ) throws -> FlowState {
    try Wire.state(
      Wire.document(
        (["challenge-poll"] + others).map { Wire.form($0) }, [authenticator(id, key)]))
  }

  /// The progress as another process reads it.
  private func saved(_ progress: FlowProgress) throws -> FlowProgress {
    try FlowProgress(snapshot: progress.snapshot(), for: Wire.configuration())
  }

  /// Takes the reply to a poll of the first form; returns whether it is news.
  @discardableResult
  private func poll(_ progress: inout FlowProgress, _ reply: FlowState) throws -> Bool {
    try progress.finishPoll(
      of: progress.state.response.remediations[0], after: .seconds(4), at: reply)
  }

  @Test(
    "Another authenticator or form is news, and another order or countdown is not"
  )
  func news() throws {
    try expect(!Self.document().isNews(after: Self.document()))
    try expect(Self.document("aut2").isNews(after: Self.document()))
    try expect(Self.document(key: "okta_email").isNews(after: Self.document()))
    try expect(Self.document(others: []).isNews(after: Self.document()))

    func state(_ forms: [String], _ data: JSONValue, _ text: String) throws -> FlowState {
      let message: JSONValue = [
        "message": .string(text), "i18n": ["key": "resend.soon"], "class": "INFO",
      ]
      return try Wire.state(
        Wire.document(
          forms.map { Wire.form($0) },
          [
            ("messages", ["value": [message]]),
            Wire.current(["id": "a", "contextualData": data]),
          ]))
    }
    let before = try state(["a", "b", "c"], ["x": 1, "y": ["z": 2, "w": 3]], "In 29 s.")
    let after = try state(["a", "c", "b"], ["y": ["w": 3, "z": 2], "x": 1], "In 25 s.")
    expect(!after.isNews(after: before))
    try expect(state(["b", "a", "c"], ["x": 1], "").isNews(after: before))
    try expect(state(["a", "b", "c"], ["x": 2, "y": ["z": 2, "w": 3]], "").isNews(after: before))
  }

  @Test("After an answer, the same form about the same authenticator is a refusal")
  func asksAgain() throws {
    func state(
      _ id: String = "aut1", href: String? = nil, field: String = "code"
    ) throws -> FlowState {
      let form = Wire.form("challenge-authenticator", href: href, [["name": .string(field)]])
      return try Wire.state(Wire.document([form], [Self.authenticator(id)]))
    }
    let before = try state()
    let submission = Submission(before.response.remediations[0])
    let other = "\(Wire.origin)/idp/idx/other"
    for (after, expected) in [
      (try state(), false), (try state("aut2"), true), (try state(href: other), true),
      (try state(field: "number"), true),
    ] {
      var progress = FlowProgress(before)
      let isAccepted = try progress.advance(
        to: after, after: submission, at: progress.step(for: submission.remediation))
      expectEqual(isAccepted, expected)
    }
  }

  @Test("A poll has completed a step if the reply is about another one, and no refusal")
  func advanced() throws {
    let start = try Self.document()
    let step = FlowProgress(start).step(for: start.response.remediations[0])
    let refused = try Wire.state(
      Wire.document([Wire.form("identify")], [("messages", Wire.messages("session.expired"))]))
    let identify = try Wire.state(Wire.document([Wire.form("identify")]))
    for (state, expected) in [
      (start, false), (try Self.document("aut2"), true), (identify, true), (refused, false),
    ] { expectEqual(FlowProgress(state).didAdvance(from: step), expected) }
  }

  @Test("A refusal counts only for the authenticator that it is about")
  func otherAuthenticator() throws {
    var progress = FlowProgress(try Self.document())
    let form = progress.state.response.remediations[0]
    progress.refuse(Submission(form), because: CancellationError())
    try poll(&progress, Self.document())
    expectEqual(progress.step(for: form).attempt, 2)
    try poll(&progress, Self.document(key: "okta_email"))
    expectEqual(progress.step(for: form).attempt, 1)
  }

  @Test("The user is known until the server asks for a username again")
  func user() throws {
    let user: JSONValue = ["value": ["id": "u1", "identifier": "ada@shop.example"]]
    var progress = FlowProgress(try Wire.state(Wire.document([], [("user", user)])))
    try progress.advance(to: Self.document())
    let step = progress.step(for: progress.state.response.remediations[0])
    expectEqual(step.user?.identifier, "ada@shop.example")
    try progress.advance(to: Wire.state(Wire.document([Wire.form("identify")])))
    expectEqual(progress.user, nil)
  }

  @Test("A form with choices in another order, even in a nested form, is not taken for the same")
  func renewedForm() throws {
    func state(_ handle: String, _ sizes: String...) throws -> FlowState {
      let options = sizes.map { ["label": .string($0), "value": .string($0)] as JSONValue }
      let nested: JSONValue = ["value": [["name": "size", "options": .array(options)]]]
      let fields: [JSONValue] = [
        ["name": "order", "form": nested],
        ["name": "stateHandle", "value": .string(handle), "mutable": false],
      ]
      return try Wire.state(Wire.document([Wire.form("pick", fields)]))
    }
    let first = try state("1", "S", "L")
    let form = first.response.remediations[0]
    for (next, isRenewed) in [(try state("2", "S", "L"), true), (try state("2", "L", "S"), false)] {
      var progress = FlowProgress(first)
      try poll(&progress, next)
      expectEqual(progress.renewed(form), (isRenewed ? next.response.remediations[0] : form))
    }
  }

  @Test(
    "A form that the person has opened stays open while polls bring no news, also beside one like it"
  )
  func openedForm() throws {
    var progress = FlowProgress(try Self.document())
    let form = try require(progress.state.response[.selectAuthenticatorAuthenticate])
    progress.choose(form, notice: nil)
    var isNews = try poll(&progress, Self.document())
    expect(!isNews && progress.chosen == form)
    isNews = try poll(&progress, Self.document("aut2"))
    expect(isNews && progress.chosen == nil)

    let select = { (index: Int) in
      Wire.form(
        "select-enrollment-channel", [],
        [("relatesTo", [.string("$.authenticators.value[\(index)]")])])
    }
    let authenticators: JSONValue = ["type": "array", "value": [["id": "aut1"], ["id": "aut2"]]]
    let state = try Wire.state(
      Wire.document(
        [Wire.form("challenge-poll"), select(0), select(1)], [("authenticators", authenticators)]))
    let second = state.response.remediations[2]
    expectEqual(second.authenticators.map(\.id), ["aut2"])
    progress = FlowProgress(state)
    progress.choose(second, notice: nil)
    try poll(&progress, state)
    expectEqual(progress.chosen, second)
  }

  @Test("A form that was opened instead of the first was chosen, unless a reason says who did that")
  func openedFormWasChosen() throws {
    var progress = FlowProgress(try Self.document())
    let form = try require(progress.state.response[.selectAuthenticatorAuthenticate])
    expect(!progress.step(for: form).wasChosen)
    progress.choose(form, notice: nil)
    expect(progress.step(for: form).wasChosen)
    expect(!progress.step(for: progress.state.response.remediations[0]).wasChosen)
    try expect(saved(progress).step(for: form).wasChosen)
    progress.choose(form, notice: "The other way does not work here.")
    expect(!progress.step(for: form).wasChosen)
    progress.choose(form, notice: nil)
    progress.fail(Submission(form), because: FlowError(.inputNeeded, "It was not sent."))
    expect(!progress.step(for: form).wasChosen)
  }

  @Test("What the person has just chosen, and the pause before the next poll, are saved")
  func saving() throws {
    var progress = FlowProgress(try Self.document())
    let choice = try require(progress.state.response[.selectAuthenticatorAuthenticate])
    _ = try progress.advance(
      to: Self.document("aut2"), after: Submission(choice), at: progress.step(for: choice))
    let form = progress.state.response.remediations[0]
    expect(progress.step(for: form).wasChosen)
    try expect(saved(progress).step(for: form).wasChosen)

    _ = progress.polling.miss(after: .seconds(4), .seconds(20), pause: .seconds(60))
    var other = try saved(progress)
    expectEqual(other.pause, .seconds(60))
    expectEqual(other.interval(of: form), .seconds(60))
    // The failures of both processes count together.
    let isGoingOn = other.polling.miss(after: .seconds(4), .seconds(6), pause: .zero)
    expect(!isGoingOn)
  }

  @Test("After a poll that succeeds, earlier failures and their pause no longer count")
  func missedPolls() throws {
    var progress = FlowProgress(try Self.document())
    for _ in 0..<3 {
      let isGoingOn = progress.polling.miss(after: .seconds(4), .seconds(20), pause: .seconds(60))
      expect(isGoingOn)
      try poll(&progress, Self.document())
      expectEqual(progress.pause, .zero)
    }
  }

  @Test("A saved sign-in with impossible numbers is damaged")
  func damaged() throws {
    let progress = FlowProgress(try Self.document())
    let text = String(decoding: try progress.snapshot(), as: UTF8.self)
    for (member, value) in [("steps", "-1"), ("polls", "1000001"), ("waited", "[-1,0]")] {
      let old = member == "waited" ? "[0,0]" : "0"
      let changed = text.replacing("\"\(member)\":\(old)", with: "\"\(member)\":\(value)")
      expect(changed != text)
      #expect {
        try FlowProgress(snapshot: Data(changed.utf8), for: Wire.configuration())
      } throws: {
        ($0 as? FlowError)?.code == .unreadableState
      }
    }
  }

  @Test(
    "A failed sign-in and a cancel keep the goal; a success and another form drop it"
  )
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
      for var copy in [progress, try saved(progress)] {
        try copy.restart(at: start)
        expectEqual(copy.goal, expected)
      }
    }

    let state = try Wire.state(
      Wire.document(
        [Wire.form("identify"), Wire.form("select-enroll-profile")],
        [("cancel", Wire.form("cancel"))]))
    let forms = state.response.remediations
    let cancel = try require(state.response.action(.cancel))
    for (form, expected) in [(forms[0], Goal.recover), (forms[1], nil), (cancel, .recover)] {
      for decision in [Decision.submit([:], to: form), .choose(form)] {
        var progress = FlowProgress(state, goal: .recover)
        progress.updateGoal(after: decision, at: progress.step(for: forms[0]))
        expectEqual(progress.goal, expected)
      }
    }
  }
}
