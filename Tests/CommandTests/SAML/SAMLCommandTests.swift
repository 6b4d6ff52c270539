import Expectations
import Foundation
import IDXBase
import IDXBrowserAuth
import TerminalSupport
import Testing

@testable import idx_flow

@Suite("idx-flow saml", .tags(.startsPrograms), .fewPrograms, .timeLimit(.minutes(10)))
struct SAMLCommandTests {
  /// The response in JSON.
  private func xml(_ json: JSONValue) throws -> String {
    let encoded = json["SAMLResponse"]?.string ?? ""
    return try String(decoding: require(Data(base64Encoded: encoded)), as: UTF8.self)
  }

  @Test(
    "The output is JSON with the response, or a page with a form that posts itself, and nothing of it is in the trace"
  )
  func json() async throws {
    let org = try await SAMLOrg()
    for address in [org.url, org.link] {
      let end = try org.run("saml", address, "--verbose")
      end.expect(status: 0)
      let object = try end.json
      expectEqual(object["destination"], "https://signin.aws.amazon.com/saml")
      try expectContains(xml(object), "ada@example.com")
      expectContains(end.errors, "trace: POST /idp/idx/identify 200")
      let encoded = object["SAMLResponse"]?.string ?? ""
      expect(!end.errors.contains(encoded.prefix(40)) && !end.errors.contains("Analytical"))
    }
    try await expectEmpty(org.home.credentials())
    let end = try org.run("saml", org.url, "--format", "html")
    end.expect(status: 0)
    expectContains(end.output, #"<form method="post" action="https://signin.aws.amazon.com/saml">"#)
    expectContains(end.output, #"<input type="hidden" name="SAMLResponse" value="PD94"#)
    expectContains(end.output, #"onload="document.forms[0].submit()""#)
  }

  @Test(
    "A session that is kept gives the next response, and so keys of AWS", .promise("kept-session"))
  func keptSession() async throws {
    let org = try await SAMLOrg()
    try org.run("saml", org.url).expect(status: 0)
    try expect(org.runAlone("saml", org.url).status != 0)
    try org.run("saml", org.url, "--keep-session", "always").expect(status: 0)
    let silent = try org.runAlone("saml", org.url)
    silent.expect(status: 0)
    try expectContains(xml(silent.json), "ada@example.com")
    let roles = try org.runAlone("aws", "--saml", org.url, "--list-roles")
    roles.expect(status: 0)
    expectEqual(org.signInCount, 2)
    let signOut = try org.runAlone("signout", "--all")
    expectContains(signOut.errors, "The session of the org that was kept has ended.")
    try await expectEmpty(org.home.store.entries())
  }

  @Test("Each request to the org has the name of the program that is set")
  func userAgent() async throws {
    let org = try await SAMLOrg()
    let words = ["saml", org.url, "--user-agent", "Test/1", "--keep-session", "always"]
    try org.run(words).expect(status: 0)
    try org.home.run(words).expect(status: 0)
    expectEqual(org.server.values(of: "User-Agent"), ["Test/1"])
  }

  @Test("A name of the program that no header field can have is refused")
  func wrongUserAgent() async throws {
    let org = try await SAMLOrg()
    let end = try org.run("saml", org.url, "--user-agent", "Büro/1")
    end.expect(status: 2, org.server.paths.isEmpty)
    expectContains(end.errors, "userAgent must have only visible ASCII characters")
  }

  @Test("A file can be read only by its owner, and stays as it is if the sign-in fails")
  func file() async throws {
    let org = try await SAMLOrg()
    let path = org.home.folder.path("response.json")
    let end = try org.run("saml", org.url, "--output", path)
    end.expect(status: 0, end.output.isEmpty)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    expectEqual(mode, 0o600)
    let text = org.home.folder.text(of: "response.json")
    try expectContains(xml(JSONValue(parsing: text.utf8)), "<saml2p:Response")
    let other = org.url.replacing("exkDemoApp0000000001", with: "exkOther")
    let refused = try org.run("saml", other, "--output", path)
    expect(refused.status != 0 && org.home.folder.text(of: "response.json") == text)
  }

  @Test(
    "Nothing in the form ends a value of the page, or reaches a terminal as a control character")
  func hostileRelayState() throws {
    let relay = "\u{D4E}\"\u{D4E}><script>\"\u{301}\u{1B}[2J"
    let response = try SAMLResponse(
      destination: try require(URL(string: "https://app.example/acs")), encoded: "PFJlc3BvbnNlLz4=",
      relayState: relay)
    let html = SelfPostingPage(response).html
    expect(html.unicodeScalars.allSatisfy { $0 == "\n" || (0x20..<0x7F).contains($0.value) })
    expectContains(
      html, "value=\"&#3406;&#34;&#3406;&#62;&#60;script&#62;&#34;&#769;&#27;[2J\">")
  }

  @Test("A wrong password is an error, and so is an app that the org does not have")
  func refused() async throws {
    let org = try await SAMLOrg()
    let answers = try org.home.folder.file(
      "wrong.json", DataHome.script(for: .demo).replacing("1843", with: "1844"))
    let end = try org.runAlone("saml", org.url, "--script", answers)
    expect(end.status != 0 && end.output.isEmpty)
    expectContains(end.errors, "Sign-in failed. Check your username and password.")
    let other = org.url.replacing("exkDemoApp0000000001", with: "exkOther")
    let missing = try org.run("saml", other)
    expect(missing.status != 0 && missing.output.isEmpty)
    expectContains(missing.errors, "There is nothing at this address.")
    expectContains(
      missing.errors, "What to do: In the dashboard of Okta, copy the link of the app.")
    try expectContains(
      org.runAlone("doctor", "--saml", org.url).output, "\(org.url) begins with identify")
    try expectContains(
      org.runAlone("doctor", "--saml", other).output, "There is nothing at this address.")
  }

  @Test(
    "A person signs in at a terminal, and the response goes to a pipe, but not to the terminal without --format"
  )
  func terminal() async throws {
    let org = try await SAMLOrg()
    let terminal = try PseudoTerminal()
    let program = try org.home.program(["saml", org.url], input: terminal.path)
    try await terminal.signIn()
    let end = program.end()
    end.expect(status: 0, end.output.hasPrefix("{"))
    try expectContains(xml(end.json), "<saml2p:Response")
    let other = try await SAMLOrg()
    let output = try PseudoTerminal()
    let refused = try other.home.run(
      "saml", other.url, "--script", other.script, output: output.path)
    refused.expect(status: 2)
    expectContains(refused.errors, "A SAML response is not printed at a terminal.")
    expectEmpty(other.server.paths)
  }

  @Test(
    "Wrong values have status 2, before any request",
    arguments: [
      (["saml"], "saml needs"), (["saml", "http://org.example/app/a/b/sso/saml"], "is not https"),
      (["saml", "https://org.example"], "must be the address of an app"),
      (["saml", "https://ada:secret@org.example/app/a"], "not “…@org.example/app/a”"),
      (["saml", "ada:secret"], "not “…”"), (["saml", ""], "not “”"),
    ])
  func wrongValues(words: [String], reason: String) throws {
    let end = try Program.run(words)
    end.expect(status: 2, end.output.isEmpty)
    expectContains(end.errors, reason)
  }
}
