import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

@Suite struct TerminalSignInTests {
  private let window: Window

  init() throws { window = try Window() }

  @Test("The demo at a terminal: prompts there, the result alone on the output")
  func demo() async throws {
    let program = try window.demo("--no-qr")
    var shown = try await window.shown(until: "Username: ")
    window.type("ada@example.com\n")
    shown += try await window.shown(until: "Password: ")
    #expect(!window.echoes)
    window.type("Analytical-1843\n")
    shown += try await window.shown(until: "Choose [1-3]: ")
    window.type("3\n")
    let end = try await program.end()
    #expect(
      shown == """
        Type ? at any prompt to see what else can be done, Ctrl-C to give up.

        Sign in to Demo app
        Username: ada@example.com
        Password: 
        Set up a second factor
          1  Google Authenticator
          2  Email
          3  Skip for now
        Choose [1-3]: 
        """)
    #expect(end.output == "Signed in as ada@example.com.\n")
    #expect(end.status == 0)
    #expect(end.errors.hasPrefix("demo: this org lives in the memory of this program"))
    #expect(window.echoes)
  }

  @Test("The demo tells what the phone shows, and the code of a mail")
  func help() async throws {
    let program = try window.demo("--no-qr")
    try await window.shown(until: "Username: ")
    window.type("ada@example.com\n")
    try await window.shown(until: "Password: ")
    window.type("Analytical-1843\n")
    try await window.shown(until: "Choose [1-3]: ")
    window.type("google authenticator\n")
    try await window.shown(until: "Code from the app: ")
    window.type("?\n")
    try await window.shown(until: "go back: ")
    window.type("1\n")
    try await window.shown(until: "Choose [1-2]: ")
    window.type("email\n")
    try await window.shown(until: "Enter code: ")
    window.type("\u{4}")
    let end = try await program.end()
    #expect(end.status == 130)
    #expect(end.errors.contains(/\ndemo: Google Authenticator shows \d{6}\n/))
    #expect(end.errors.contains(/\nmailbox: email to ada@example.com: .* is \d{6}\.\n/))
    #expect(end.errors.hasSuffix("idx-flow: Cancelled.\n"))
  }

  @Test("Ctrl-C over a secret: status 130, and the terminal echoes again")
  func interrupted() async throws {
    let program = try window.demo()
    try await window.shown(until: "Username: ")
    window.type("ada@example.com\n")
    try await window.shown(until: "Password: ")
    #expect(!window.echoes)
    window.type("half a pass\u{3}")
    let end = try await program.end()
    #expect(end.status == 130 && end.output.isEmpty)
    #expect(end.errors.hasSuffix("\nidx-flow: Cancelled.\n"))
    #expect(window.echoes)
  }

  @Test("A signal to end does the same", arguments: [SIGTERM, SIGHUP, SIGINT])
  func terminated(signal: Int32) async throws {
    let program = try window.demo("--json")
    try await window.shown(until: "Username: ")
    window.type("ada@example.com\n")
    try await window.shown(until: "Password: ")
    program.send(signal)
    let end = try await program.end()
    #expect(end.status == 130)
    #expect(
      end.output
        == #"{"status":"failed","exit_status":130,"message":"Cancelled.","messages":[]}"# + "\n")
    #expect(window.echoes)
  }

  @Test("Ctrl-D gives up too", arguments: ["Username: ", "Password: "])
  func endOfInput(prompt: String) async throws {
    let program = try window.demo()
    try await window.shown(until: "Username: ")
    if prompt != "Username: " {
      window.type("ada@example.com\n")
      try await window.shown(until: prompt)
    }
    window.type("\u{4}")
    let end = try await program.end()
    #expect(end.status == 130 && end.output.isEmpty)
    #expect(end.errors.hasSuffix("idx-flow: Cancelled.\n"))
    #expect(window.echoes)
  }
}

@Suite struct ExampleTests {
  @Test("The example without a person signs in")
  func headless() async throws {
    let end = try await Program.run([], of: "HeadlessSignIn")
    #expect(end.output == "Signed in as ada@example.com\n")
    #expect(end.status == 0 && end.errors.isEmpty)
  }

  @Test("The example that stays signed in refreshes its tokens and signs out")
  func staysSignedIn() async throws {
    let end = try await Program.run([], of: "StaySignedIn")
    #expect(
      end.output == """
        Signed in as ada@example.com
        An hour later: a new token, without a sign-in
        The server says: Ada Byron
        Signed out: 2 tokens revoked
        Afterwards: Nobody is signed in. Sign in first.

        """)
    #expect(end.status == 0 && end.errors.isEmpty)
  }

  @Test("The example step by step goes on from a saved state")
  func stepByStep() async throws {
    let end = try await Program.run([], of: "StepByStep")
    #expect(
      end.output == """
        The server asks for Username, Remember this device
        The server asks for Password
        The server says: That is not the password.
        Signed in, good for openid profile

        """)
    #expect(end.status == 0 && end.errors.isEmpty)
  }
}
