import IDXBase
import IDXBrowserAuth
import IDXOAuth
import IDXPrompt

/// `idx-flow saml`: signs in to an app with SAML, and prints the response of the org for a program.
struct SAMLCommand: Command {
  static let name = "saml"
  static let group = CommandGroup.tokens
  static let summary = "Sign in to an app with SAML, and print the response."
  static let purpose = """
    Sign in to an app with SAML at the terminal, and print the SAML response of the org for another
    program: as JSON with destination, SAMLResponse and RelayState, or as a page whose form posts itself
    to the app. URL is the address of the app, such as the link on the dashboard of Okta.
    """
  static let usage = ["saml URL [OPTION...]"]
  static let options =
    [format, output] + SAMLSignIn.options + [SignInOptions.noQR, Profile.option]
    + [StoreChoice.option, NetworkOptions.caFile, RequestTrace.option, LanguageChoice.option]
  static let operand: OperandSpec? = OperandSpec("URL")
  static let examples = [
    Example(
      "Give the response to a program",
      "idx-flow saml https://dev-1234.okta.com/app/NAME/ID/sso/saml | program"),
    Example(
      "Write a page that a browser can open",
      "idx-flow saml URL --format html --output page.html"),
  ]
  static let notes: String? = """
    Anyone who has the response can sign in to the app as you, for some minutes. It is not printed at a
    terminal without --format. Nothing of it is saved. With --keep-session, the org's session is kept
    with your credentials, so that the next response needs no password and no factor; signout ends it.
    For keys of AWS, use idx-flow aws --saml URL.
    """

  private static let format = OptionSpec(
    "--format", value: "FORMAT", of: .oneOf(["json", "html"]),
    "json (default) or html (a page whose form posts itself)")
  private static let output = OptionSpec(
    "--output", value: "FILE", of: .file,
    "write to a file that only you can read; it is replaced only on success")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    guard let address = call.options.operands.first,
      let signIn = try SAMLSignIn(call, operand: address)
    else { throw CommandFailure(.usage, "saml needs the URL of an app.") }
    let file = try call[output].map(OutputFile.init)
    try file?.checkFolder()
    guard file != nil || call[format] != nil || !call.streams.showsResults else {
      throw CommandFailure(
        .usage,
        "A SAML response is not printed at a terminal. Use a pipe, --output FILE or --format FORMAT."
      )
    }
    let response = try await response(of: signIn, call)
    let text = call[format] == "html" ? SelfPostingPage(response).html : response.json.visibleText
    if let file {
      try file.write(text + "\n")
      call.streams.note(
        "The response for \("\(Origin(response.destination))".sanitized) is saved. Anyone who has it can sign in to the app as you, for some minutes."
      )
    } else {
      if call.streams.showsResults {
        call.streams.note("Anyone who has this response can sign in to the app as you.")
      }
      try call.streams.result(text)
    }
    return .done
  }

  /// The response for a session that is kept, or after a sign-in.
  private static func response(
    of signIn: SAMLSignIn, _ call: CommandCall
  ) async throws -> SAMLResponse {
    let session = try signIn.session(in: try await StoreChoice.store(call, isDemo: false))
    let username = call[Setting.username.option]
    if let response = try await signIn.response(of: session, username: username) {
      return response
    }
    var streams = call.streams
    streams.terminal = signIn.terminal
    return try await TerminalTask.run(at: streams.terminal) { [streams] in
      try await signIn.response(streams, keeping: session)
    }
  }
}

extension SAMLResponse {
  /// The fields of the form, and its address.
  var json: JSONValue {
    let json: JSONValue = [
      "destination": .string(destination.absoluteString),
      "SAMLResponse": .string(encoded.revealed),
    ]
    return json.adding("RelayState", relayState.map(JSONValue.string))
  }
}
