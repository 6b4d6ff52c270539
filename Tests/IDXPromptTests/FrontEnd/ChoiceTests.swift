import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import Testing

struct ChoiceTests {
  @Test("A wrong choice is asked again, with a hint")
  func wrongChoice() async throws {
    var session = try TerminalSession(makeOrg())
    try await session.signIn()
    let wrong = [
      "0", "4", "-1", "-9223372036854775808", "99999999999999999999", "telepathy", "",
    ]
    for line in wrong + ["skip for now"] { try await session.answer(["Choose 1-3: ": line]) }
    try await expect(session.end().isSignedIn)
    let refusal = "  ✗ Type a number or the beginning of a name, or ? for other options."
    let refused = wrong.map { "\($0)\n\(refusal)\nChoose 1-3: " }.joined()
    expectEqual(
      session.shown,
      """
      \(TerminalSession.signedIn)
      \(TerminalSession.secondFactors)\(refused)skip for now

      """)
  }

  @Test("Two phones are distinguished by their numbers, and the method is a second question")
  func phones() async throws {
    let org = makeOrg(
      .required(.phone), [.phone("+15550100142"), .phone("+15550100143")])
    let (shown, _) = try await TerminalSession.play(
      org, signingIn: true,
      ["Choose 1-2: ": "2", "Choose 1-2: ": "sms", "Code: ": "\u{4}"])
    await expectEqual(org.mailbox.messages.map(\.recipient), ["+15550100143"])
    expectEqual(
      shown,
      """
      \(TerminalSession.signedIn)

      Choose how to verify
        Each of these proves that it is you.
        1  Phone (+1 XXX-XXX-0142)
        2  Phone (+1 XXX-XXX-0143)
      Choose 1-2: 2
      How to verify:
        1  SMS
        2  Voice call
      Choose 1-2: sms

      Verify with your phone (+1 XXX-XXX-0143)
        Enter the code from the text message to +1 XXX-XXX-0143.
        Didn't arrive? Type ?
      Code: 

      """)
  }

  @Test("A list of ten is aligned")
  func alignment() async throws {
    let options = (1...10).map { number -> JSONValue in
      ["label": .string("No. \(number)"), "value": .string("\(number)")]
    }
    let server = CannedServer(
      .response([.form("pick", ["name": "it", "required": true, "options": .array(options)])]))
    let (shown, _) = try await TerminalSession.play(server, ["Choose 1-10: ": "10"])
    expectPrefix(shown, "Pick\n   1  No. 1\n   2  No. 2\n")
    expectContains(shown, "\n   9  No. 9\n  10  No. 10\nChoose 1-10: 10\n")
    await expectEqual(server.answers, [#"pick {"it":"10"}"#])
  }

  @Test("A security question is shown as the prompt")
  func securityQuestion() async throws {
    let question = SimulatedUser.Enrollment.securityQuestion(
      question: "Who wrote the notes?", answer: "Ada")
    let (shown, result) = try await TerminalSession.play(
      makeOrg(.required(.securityQuestion), [question]), signingIn: true,
      ["Who wrote the notes? ": "ada"])
    expect(result.isSignedIn)
    expectSuffix(
      shown,
      """
      Verify with a security question
        Enter the answer that you chose when you set up this question.
      Who wrote the notes? ••••••••

      """)
  }

  @Test("With a question from a list, or of the user, only a refused answer is asked for again")
  func questions() async throws {
    let (shown, result) = try await TerminalSession.play(
      makeOrg(.required(.securityQuestion)), signingIn: true,
      ["Choose 1-2: ": "1", "Choose 1-3: ": "2", "Answer: ": "abc", "Answer: ": "abcd"])
    expect(result.isSignedIn)
    expectEqual(
      shown,
      """
      \(TerminalSession.signedIn)

      Set up a security question
        Later, this answer proves that it is you.
        1  Choose a security question
        2  Create my own security question
      Choose 1-2: 1
      Choose a security question:
        1  Whose concert was the first you went to?
        2  On which street did you live as a child?
        3  Which teacher did you like best?
      Choose 1-3: 2
      Answer: abc
        ✗ The answer must have at least 4 characters.
      Answer: abcd
        ✓ Security Question is set up.

      """)

    let (_, own) = try await TerminalSession.play(
      makeOrg(.required(.securityQuestion)), signingIn: true,
      [
        "Choose 1-2: ": "2", "Create a security question: ": "Who wrote the notes?",
        "Answer: ": "Ada B.",
      ])
    expect(own.isSignedIn)
  }

  @Test("A refused phone number is asked for again, and not how the code comes")
  func phoneNumber() async throws {
    let org = makeOrg(.required(.phone))
    let (shown, _) = try await TerminalSession.play(
      org, signingIn: true,
      [
        "Choose 1-2: ": "2", "Phone number: ": "12", "Phone number: ": "+15550100142",
        "Code: ": "\u{4}",
      ])
    expectEqual(shown.matches(of: /Choose 1/).count, 1)
    // A call, as it was chosen.
    await expectEqual(org.mailbox.messages.last?.method, .voice)
  }
}
