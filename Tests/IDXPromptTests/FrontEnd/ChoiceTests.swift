import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import Testing

struct ChoiceTests {
  @Test(
    "An option is chosen by its number or its label, in any case",
    arguments: ["1", " 1 ", "Google Authenticator", "google authenticator "])
  func choice(typed: String) async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    try await session.signIn()
    try await session.answer("Choose 1-3: ", typed)
    try await session.type("\u{4}", at: "Code: ")
    try await expect(session.end().isCancelled)
  }

  @Test("A wrong choice is asked again, with a hint")
  func wrongChoice() async throws {
    let org = makeOrg()
    var session = try TerminalSession(org)
    try await session.signIn()
    for line in ["0", "4", "-1", "-9223372036854775808", "99999999999999999999", "telepathy", ""] {
      try await session.answer("Choose 1-3: ", line)
    }
    try await session.answer("Choose 1-3: ", "skip for now")
    try await expect(session.end().isSignedIn)
    let refusal = "  ✗ Type a number or the beginning of a name, or ? for other options.\n"
    expectEqual(
      session.shown,
      """
      \(TerminalSession.signedIn)
      \(TerminalSession.secondFactors)0
      \(refusal)Choose 1-3: 4
      \(refusal)Choose 1-3: -1
      \(refusal)Choose 1-3: -9223372036854775808
      \(refusal)Choose 1-3: 99999999999999999999
      \(refusal)Choose 1-3: telepathy
      \(refusal)Choose 1-3: 
      \(refusal)Choose 1-3: skip for now

      """)
  }

  @Test("Two phones are distinguished by their numbers, and the method is a second question")
  func phones() async throws {
    let org = makeOrg(
      .required(.phone), [.phone("+15550100142"), .phone("+15550100143")])
    var session = try TerminalSession(org)
    try await session.signIn()
    try await session.answer("Choose 1-2: ", "2")
    try await session.answer("Choose 1-2: ", "sms")
    try await session.type("\u{4}", at: "Code: ")
    try await expect(session.end().isCancelled)
    await expectEqual(org.mailbox.messages.map(\.recipient), ["+15550100143"])
    expectEqual(
      session.shown,
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
    var session = try TerminalSession(server)
    try await session.answer("Choose 1-10: ", "10")
    _ = try await session.end()
    expectPrefix(session.shown, "Pick\n   1  No. 1\n   2  No. 2\n")
    expectContains(session.shown, "\n   9  No. 9\n  10  No. 10\nChoose 1-10: 10\n")
    await expectEqual(server.answers, [#"pick {"it":"10"}"#])
  }

  @Test("A security question is shown as the prompt")
  func securityQuestion() async throws {
    let question = SimulatedUser.Enrollment.securityQuestion(
      question: "Who wrote the notes?", answer: "Ada")
    var session = try TerminalSession(makeOrg(.required(.securityQuestion), [question]))
    try await session.signIn()
    try await session.answer("Who wrote the notes? ", "ada")
    try await expect(session.end().isSignedIn)
    expectEqual(
      session.shown,
      """
      \(TerminalSession.signedIn)

      Verify with a security question
        Enter the answer that you chose when you set up this question.
      Who wrote the notes? ••••••••

      """)
  }

  @Test("With a question from a list, or of the user, only a refused answer is asked for again")
  func questions() async throws {
    let org = makeOrg(.required(.securityQuestion))
    var session = try TerminalSession(org)
    try await session.signIn()
    try await session.answer("Choose 1-2: ", "1")
    try await session.answer("Choose 1-3: ", "2")
    try await session.answer("Answer: ", "abc")
    try await session.answer("Answer: ", "abcd")
    try await expect(session.end().isSignedIn)
    expectEqual(
      session.shown,
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

    session = try TerminalSession(makeOrg(.required(.securityQuestion)))
    try await session.signIn()
    try await session.answer("Choose 1-2: ", "2")
    try await session.answer("Create a security question: ", "Who wrote the notes?")
    try await session.answer("Answer: ", "Ada B.")
    try await expect(session.end().isSignedIn)
  }

  @Test("A refused phone number is asked for again, and not how the code comes")
  func phoneNumber() async throws {
    let org = makeOrg(.required(.phone))
    var session = try TerminalSession(org)
    try await session.signIn()
    try await session.answer("Choose 1-2: ", "2")
    try await session.answer("Phone number: ", "12")
    try await session.answer("Phone number: ", "+15550100142")
    try await session.type("\u{4}", at: "Code: ")
    try await expect(session.end().isCancelled)
    expectEqual(session.shown.matches(of: /Choose 1/).count, 1)
    // A call, as it was chosen.
    await expectEqual(org.mailbox.messages.last?.method, .voice)
  }
}
