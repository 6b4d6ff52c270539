import IDXBase
import IDX
import IDXTesting
import Testing

@testable import idx_flow

@Suite("Signing in where somebody is signed in", .timeLimit(.minutes(2)))
struct SignInAgainTests {
  private let home: Home
  private let server: OrgServer

  init() throws {
    home = try Home()
    server = try OrgServer(users: [.demo, .bob])
  }

  @Test("A script is told to insist, with status 3, before the server is asked")
  func script() async throws {
    let credential = try await home.signIn(at: server)
    let end = try await home.program(home.signInWords(at: server, "--json")).end()
    #expect(end.status == 3)
    #expect(end.errors.hasPrefix("idx-flow: You are signed in as ada@example.com, until "))
    #expect(end.errors.hasSuffix(" To sign in anew: --force\n"))
    #expect(try JSONValue(parsing: end.output.utf8)["exit_status"] == 3)
    #expect(server.paths.isEmpty)
    #expect(try await home.credentials() == [credential])
  }

  @Test("What has expired for good is no reason to ask")
  func over() async throws {
    try await home.signIn(at: server, scopes: ["openid"], age: 4000)
    let end = try await home.program(home.signInWords(at: server)).end()
    #expect(end.status == 0)
  }

  @Test("With --force the new tokens take the place of the old ones")
  func force() async throws {
    let old = try await home.signIn(at: server)
    let end = try await home.program(home.signInWords(at: server, "--force", "--json")).end()
    #expect(end.status == 0)
    let kept = try await home.credentials()
    #expect(kept.map(\.id) == [old.id] && kept.first?.tokens != old.tokens)
    #expect(try JSONValue(parsing: end.output.utf8)["store"] == .string("the folder \(home.path)"))
    #expect(!end.output.contains(kept.first?.tokens.accessToken.revealed ?? "?"))
  }

  @Test("With --no-store nobody is asked, the tokens are printed as JSON, and nothing is kept")
  func noStore() async throws {
    let credential = try await home.signIn(at: server)
    let end = try await home.program(home.signInWords(at: server, "--no-store")).end()
    #expect(end.status == 0)
    let object = try JSONValue(parsing: end.output.utf8)
    let token = try #require(object["access_token"]?.string)
    #expect(object["refresh_token"]?.string != nil && object["id_token"]?.string != nil)
    #expect(object["store"] == nil && !end.errors.contains(token))
    #expect(try await home.credentials() == [credential])
  }

  @Test("Another person's credential stands beside the first, and is the current one")
  func other() async throws {
    let ada = try await home.signIn(at: server)
    let end = try await home.program(home.signInWords(at: server, as: .bob, "--force")).end()
    #expect(end.status == 0 && end.output == "Signed in as bob@example.com.\n")
    let kept = try await home.credentials()
    #expect(kept.count == 2 && kept.contains(ada))
    let current = try await home.store.currentID()
    #expect(current != nil && current != ada.id)
  }

  @Test("At a terminal it asks: n keeps who is signed in, y signs in anew")
  func asked() async throws {
    let words = [
      "signin", "--issuer", server.issuer, "--client-id", server.org.clientID, "--redirect-uri",
      server.org.redirectURI,
    ]
    let old = try await home.signIn(at: server)
    let window = try Window()
    let keeping = try home.program(words, input: window.path)
    let question = try await window.shown(until: "Sign in anew? [y/N]: ")
    #expect(question.hasPrefix("You are signed in as ada@example.com, until "))
    window.type("n\n")
    let kept = try await keeping.end()
    #expect(kept.status == 0 && kept.output == "Still signed in as ada@example.com.\n")
    #expect(server.paths.isEmpty)
    let renewing = try home.program(words, input: window.path)
    try await window.shown(until: "Sign in anew? [y/N]: ")
    window.type("y\n")
    try await window.shown(until: "Username: ")
    window.type("ada@example.com\n")
    try await window.shown(until: "Password: ")
    window.type("Analytical-1843\n")
    let renewed = try await renewing.end()
    #expect(renewed.status == 0 && renewed.output == "Signed in as ada@example.com.\n")
    #expect(try await home.store.credential(old.id)?.tokens != old.tokens)
  }

  @Test("Tokens that nobody gets, since they cannot be printed, are revoked")
  func lostOutput() async throws {
    let words = try home.signInWords(at: server, "--no-store")
    let end = try await home.program(words, output: "/dev/full").end()
    #expect(end.status == 1)
    #expect(end.errors.contains("The output cannot be written"))
    #expect(end.errors.contains("They were revoked."))
    #expect(server.forms(to: "/revoke").count == 2)
  }

  @Test("Where they are kept, a result that cannot be printed does not undo the sign-in")
  func keptAllTheSame() async throws {
    let words = try home.signInWords(at: server)
    let end = try await home.program(words, output: "/dev/full").end()
    #expect(end.status == 1)
    #expect(end.errors.contains("You are signed in, and the tokens are kept."))
    #expect(try await home.credentials().count == 1)
    #expect(server.forms(to: "/revoke").isEmpty)
  }

  @Test(
    "Ctrl-C and Ctrl-D at that question change nothing, with status 130",
    arguments: ["\u{3}", "\u{4}"])
  func interrupted(key: String) async throws {
    let credential = try await home.signIn(at: server)
    let window = try Window()
    let program = try home.program(
      [
        "signin", "--issuer", server.issuer, "--client-id", server.org.clientID, "--redirect-uri",
        server.org.redirectURI,
      ], input: window.path)
    try await window.shown(until: "Sign in anew? [y/N]: ")
    window.type(key)
    let end = try await program.end()
    #expect(end.status == 130 && end.output.isEmpty)
    #expect(server.paths.isEmpty)
    #expect(try await home.credentials() == [credential])
  }

  @Test(
    "An ID token with a flaw fails the sign-in: the check is named, nothing kept, nothing printed",
    arguments: [
      (.changedSignature, "The signature of the ID token"), (.wrongAudience, "is for the client"),
      (.expired, "The ID token expired"), (.wrongNonce, "nonce"), (.algorithmNone, "“none”"),
    ] as [(IDTokenFlaw, String)])
  func flawed(flaw: IDTokenFlaw, word: String) async throws {
    await server.org.changeTokens { $0.idTokenFlaw = flaw }
    let end = try await home.program(home.signInWords(at: server, "--no-store")).end()
    #expect(end.status == 1)
    #expect(end.errors.contains("\nidx-flow: The ID token was refused. The "))
    #expect(end.errors.contains(word))
    let object = try JSONValue(parsing: end.output.utf8)
    #expect(object["status"] == "failed" && object["exit_status"] == 1)
    #expect(object["access_token"] == nil && !(end.output + end.errors).contains("eyJ"))
  }

  @Test("Nothing is kept of a sign-in whose ID token fails a check")
  func flawedAndKept() async throws {
    await server.org.changeTokens { $0.idTokenFlaw = .wrongKey }
    let end = try await home.program(home.signInWords(at: server)).end()
    #expect(end.status == 1 && end.output.isEmpty)
    #expect(try await home.store.entries().isEmpty)
    #expect(try await home.store.currentID() == nil)
  }
}
