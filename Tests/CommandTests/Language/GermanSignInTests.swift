import Expectations
import IDXFlow
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("A sign-in in German", .tags(.startsPrograms), .fewPrograms)
struct GermanSignInTests {
  /// The parts of English sentences that German ones do not have, at least eight characters long.
  private static let english: Set<String> = {
    let german = Words.commandGerman
    let sentences =
      Words.english.texts.map { (english: $0.value, german: german.texts[$0.key] ?? $0.value) }
      + german.texts.map { (english: $0.key.rawValue, german: $0.value) }
    return Set(
      sentences.flatMap { sentence in
        sentence.english.split(separator: /\{[a-zA-Z0-9]+\}/).map { String($0.trimmed()) }
          .filter { $0.count >= 8 && $0.contains(" ") && !sentence.german.contains($0) }
      })
  }()

  /// What a text has of ``english``, also if a window has broken a sentence.
  private func english(in text: String) -> [String] {
    let line = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    return Self.english.filter { line.contains($0) }.sorted()
  }

  private struct Session {
    var shown = ""
    let end: Program.End
    var all: String { "\(shown)\n\(end.output)\n\(end.errors)" }
  }

  /// Sets up Google Authenticator in the demo, with a wrong code first.
  private func enroll(
    _ environment: [String: String], _ options: [String] = []
  ) async throws -> Session {
    let terminal = try PseudoTerminal()
    let program = try Program(
      ["signin", "--demo", "enroll-google", "--no-qr"] + options,
      environment: ["TERM": "xterm", "NO_COLOR": "1", "LANG": "C.UTF-8"]
        .merging(environment) { $1 },
      input: terminal.path)
    var shown = try await terminal.answer("Benutzername: ", "ada@example.com")
    shown += try await terminal.answer("Passwort: ", "Analytical-1843")
    shown += try await terminal.answer("Code: ", "?")
    shown += try await terminal.answer("zurück): ")
    shown += try await terminal.answer("Code: ", "000000")
    let code = try require(shown.matches(of: /Google Authenticator \w+ (\d{6})/).last?.1)
    shown += try await terminal.answer("Code: ", String(code))
    return Session(shown: shown, end: program.end())
  }

  @Test("The locale or --lang translates everything that a person sees, also in accessible mode")
  func german() async throws {
    // The check finds an English sentence.
    expectContains(english(in: "2\nOther options"), "Other options")
    let byLocale = try await enroll(["LC_MESSAGES": "de_DE.UTF-8"])
    expectPrefix(
      byLocale.shown, "? zeigt mehr. In Listen wählen Pfeil auf und Pfeil ab. Strg-C bricht ab.\n")
    expectContains(byLocale.end.errors, "Demo: Der Benutzer ist ada@example.com, das Passwort")
    let byOption = try await enroll(["IDX_FLOW_ACCESSIBLE": "1"], ["--lang", "de"])
    expect(
      byOption.shown.contains(
        /Fehler: Der Code ist falsch\. Prüfen Sie die Uhr Ihres Telefons, oder warten Sie \d+ s/),
      "\(byOption.shown)")
    for session in [byLocale, byOption] {
      expectEqual(english(in: session.all), [])
      expectEqual(session.end.output, "Angemeldet als ada@example.com.\n")
      expectEqual(session.end.status, 0)
    }
  }

  @Test(
    "Fields and choices that no server labels are in German", arguments: ["classic", "direct"])
  func labels(flow: String) async throws {
    let terminal = try PseudoTerminal()
    let program = try Program(
      ["signin", "--demo", "phone", "--flow", flow, "--lang", "de"],
      environment: Program.plainTerminal, input: terminal.path)
    try await terminal.answer("Benutzername: ", "ada@example.com")
    try await terminal.answer("Passwort: ", "Analytical-1843")
    try await terminal.lines(until: "Telefon, per SMS")
    try terminal.type("\u{3}")
    _ = program.end()
  }

  @Test(
    "Errors are explained in German, with the English details, but JSON and exit statuses stay the same"
  )
  func errors() throws {
    let german = ["LC_ALL": "de_DE.UTF-8"]
    let signedOut = try Program.run(["status", "--demo"], environment: german)
    expectContains(
      signedOut.errors, "Sie sind nicht angemeldet: Es gibt keine Anmeldung im Ordner ")
    let nobody = try Program.run(["signin", "--demo", "--no-input"], environment: german)
    expectContains(
      nobody.errors,
      "idx-flow: Eine Eingabe ist nötig, aber niemand kann gefragt werden: The server asks for")
    for (arguments, status) in [
      (["status", "--demo", "--json"], Int32(8)), (["list", "--demo", "--json"], 0),
      (["signin", "--demo", "--json", "--no-input"], 3),
      (["list", "--demo", "--frob", "--json"], 2),
    ] {
      let english = try Program.run(arguments)
      let translated = try Program.run(arguments, environment: german)
      let folder = /\/[^ ]*data\//
      expectEqual(
        translated.output.replacing(folder, with: ""), english.output.replacing(folder, with: ""))
      expect(translated.status == status && english.status == status)
    }
  }

  @Test("A server is asked for its texts in the language of the person, and only then")
  func server() async throws {
    for (environment, expected) in [
      (["LC_MESSAGES": "de_DE.UTF-8"], "de, *;q=0.5"), (["LANG": "C.UTF-8"], "*"),
    ] {
      let server = try OrgServer()
      let terminal = try PseudoTerminal()
      let program = try terminal.startSignIn(to: server, variables: environment)
      try await terminal.lines(until: "name: ")
      try terminal.type("\u{4}")
      expectEqual(program.end().status, 130)
      let languages = await Set(server.org.contexts.map { $0.language ?? "" })
      expectEqual(languages, [expected])
    }
  }
}
