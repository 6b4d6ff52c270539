import Expectations
import Foundation
import IDXBase
import IDXFlow
import IDXSimulatedOrg
import Testing

@testable import idx_flow

struct GermanSentencesTests {
  /// The texts of the command, without those of screens.
  private static let texts = Words.commandGerman.texts.filter { Words.german.texts[$0.key] == nil }

  private static func names(in text: String) -> Set<Substring> {
    Set(text.matches(of: /\{[a-zA-Z0-9]+\}/).map(\.output))
  }

  @Test("Each sentence has the same values in German")
  func values() {
    for (key, text) in Self.texts {
      expectEqual(Self.names(in: text), Self.names(in: key.rawValue), "\(key)")
    }
  }

  @Test(
    "Each error of the libraries is introduced in German",
    arguments: [
      .invalidConfiguration, .network, .hrefRefused, .notSendable, .unexpectedResponse,
      .serverFailed, .rateLimited, .refused, .invalidToken, .signInNeeded, .wrongKey,
      .invalidAnswers, .notOffered, .redirectMismatch, .answerUnconfirmed, .noHandler, .inputNeeded,
      .scriptMismatch, .limitReached, .unreadableState, .browserNeeded,
    ] as [FlowError.Code])
  func errors(code: FlowError.Code) {
    let failure = CommandFailure(FlowError(code, "It went wrong."))
    expectEqual(failure.message, "It went wrong.")
    let german = Words.commandGerman.text(of: failure.sentence)
    expect(german.hasSuffix(": It went wrong.") && german.count > 30, "\(german)")
  }

  /// The sources whose sentences are all in German, as far as a person sees them in a sign-in.
  private static let sources = [
    "SignIn/OtherWays", "SignIn/SignInCommand", "SignIn/SignInEnd", "SignIn/AnswerSource",
    "SignIn/SignInHistory", "SignIn/SignInPlan", "SignIn/SignInRecorder", "SignIn/SignInReport",
    "SignIn/StaySignedInQuestion", "Settings/SettingsPrompt", "Settings/RemoteSession",
    "Settings/SetupRemedies", "Settings/ProfileCommand", "Demo/Demo", "Credentials/CredentialText",
    "Credentials/CredentialAccess", "Credentials/ListCommand", "Credentials/SignOutCommand",
    "Credentials/StatusCommand", "Credentials/StoreChoice", "Credentials/UseCommand",
    "AWS/SecurityTokenService", "AWS/AWSRefusal", "AWS/AWSSAMLRole", "AWS/AWSSAMLKeys",
    "AWS/AWSConsole", "SAML/SAMLAppAddress", "SAML/SAMLCommand", "SAML/SAMLSignIn",
    "Credentials/KeptSession", "Credentials/APICommand", "Credentials/FreshToken",
    "Credentials/TokenCommand", "Credentials/ExecCommand", "AWS/AWSCommand",
  ]

  /// What stays in English in these sources: the notes of a run without a person, errors of the command line, parts of
  /// commands, and names.
  private static let english: Set = [
    "--no-input is set", "there is no terminal", "waiting at {1}", "answering {1}",
    "The server sent an empty message.", "the app on your phone", "Choose {1} in {2}.",
    "Open {1} and enter the code {2}.", "The last entry of the script was not used.",
    "The last {1} entries of the script were not used.", "The server asks for “{1}”, but {2}. ",
    "Use --script FILE to answer it.",
    "If Okta Verify on this computer may be used, add --fast-pass always.",
    "{1} {2}: they are in clear text, in {3}.", "idx-flow {1}", "idx-flow: {1}",
    "idx-flow: {1}: {2}", "idx-flow: {1} See: idx-flow use --help", "idx-flow signin --demo list",
    " --flow {1}", " --demo", "Refresh Token", "{1} min", "where credentials are saved: {1}",
    "  (profile {1})", " --issuer {1}", "--scope {1}", "no openidconnect provider found",
    "verification key", "retrieve verification key", "provider doesn't exist",
    "provider does not exist", "a FILE or a URL", "the NAME of a profile",
    "idx-flow profile set {1} {2}", "idx-flow profile set {1} --role-arn {2}", "idx-flow use{1}",
    "idx-flow signin", "idx-flow signin --demo", "--demo list", "Authorization: {1} {2}",
    "An address or --nonce needs --for", "--for prints header lines, not the format {1}",
    "--for and {1} cannot be used together", "--for is for the access token",
    "--for needs a method and an address", "--nonce is not one that a server can send",
    "the variable for the token (default: {1})", "sign-in for aws",
    ", and not a path that starts with a slash", ". Other characters must be percent-encoded.",
    " Did you mean https://{1}?",
  ]

  /// The texts of the help.
  private static let help: Set<String> = {
    var texts: [String] = []
    for command in IDXFlowCommand.commands.all {
      texts += [command.summary, command.purpose, command.notes ?? "", command.details ?? ""]
      texts += command.usage + command.options.map(\.help)
      texts += command.examples.flatMap { [$0.purpose, $0.text] }
    }
    return Set(texts.map { $0.replacing("\n", with: " ") })
  }()

  @Test("Each sentence that a person sees is in German", arguments: sources)
  func complete(path: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/idx-flow/\(path).swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let literals = SourceLiterals(source).all.filter { literal in
      literal.text.contains(" ") && literal.text.contains(/[a-z]{2}/)
        && literal.before.suffix(60).firstMatch(of: /CommandFailure\(\s*\.usage,\s*$/) == nil
    }
    expect(!literals.isEmpty)
    for literal in literals.map(\.text)
    where !Self.help.contains(literal.replacing("\n", with: " ")) && !Self.english.contains(literal)
    {
      expect(Self.texts[Words.Key(rawValue: literal)] != nil, "“\(literal)”")
    }
  }

  @Test(
    "The hints of the demos, and explanations and remedies of mistakes in the setup, are in German")
  func hints() {
    for scenario in OrgScenario.all {
      for hint in scenario.hints {
        expect(Self.texts[Words.Key(rawValue: hint)] != nil, "\(scenario.name): “\(hint)”")
      }
    }
    for template in SetupProblem.templates {
      expect(Self.texts[Words.Key(rawValue: template)] != nil, "“\(template)”")
    }
  }

  @Test("No German text is for a sentence that does not exist any more")
  func current() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources/idx-flow").standardizedFileURL
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    var known = Set(SetupProblem.templates + OrgScenario.all.flatMap(\.hints))
    // The names of methods of the mailbox, and the places of the stores.
    known.formUnion([
      "email", "sms", "voice", "the Keychain", "the Secret Service (keyring) of this desktop",
    ])
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift", !file.lastPathComponent.hasPrefix("German") else {
        continue
      }
      let source = try String(contentsOf: file, encoding: .utf8)
      known.formUnion(SourceLiterals(source).all.map(\.text))
    }
    expectEmpty(Set(Self.texts.keys.map(\.rawValue)).subtracting(known))
  }
}
