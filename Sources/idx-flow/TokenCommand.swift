import IDX
import IDXFlow
import IDXPrompt
import OAuth

/// `idx-flow token`: prints a token for another program, or what is in it.
struct TokenCommand: Command {
  static let name = "token"
  static let summary = "Print an access token that stands now, or what is in it."
  static let help = CommandHelp(
    purpose: """
      Print an access token that stands now, refreshing it where it is about to expire:
        curl -H "Authorization: Bearer $(idx-flow token)" https://api.example.com/
      """,
    usage: ["token [OPTION...]"],
    options: [
      OptionSpec("--type", value: "KIND", "access, id or refresh; access unless told otherwise"),
      OptionSpec("--decode", "print what is in the token instead, without checking it"),
    ] + CredentialAccess.choiceOptions + CredentialAccess.placeOptions,
    notes: "Whoever has a token is signed in: keep it out of files, logs and command lines.")

  private let options: CommandLineOptions
  private let kind: TokenKind
  private let environment: [String: String]

  init(_ options: CommandLineOptions, _ environment: [String: String]) throws {
    try options.refuseOperands(of: Self.name)
    let kinds: [String: TokenKind] = ["access": .access, "id": .id, "refresh": .refresh]
    let name = options.values["--type"] ?? "access"
    guard let kind = kinds[name] else {
      throw CommandFailure(.usage, "--type is access, id or refresh, not \(name).")
    }
    self.options = options
    self.kind = kind
    self.environment = environment
  }

  func run(_ streams: Streams) async throws -> ExitCode {
    let access = try await CredentialAccess(options, environment)
    let selected = try await access.selected(streams)
    // A refresh token is good for as long as the server takes it, whatever the time.
    let credential =
      kind == .refresh ? selected : try await access.session(for: selected).valid()
    guard let token = credential.tokens[kind] else {
      let scope = kind == .id ? "openid" : "offline_access"
      throw CommandFailure(
        .signInNeeded,
        "There is no such token. Sign in with the scope \(scope) to have it: "
          + "idx-flow signin --scope …")
    }
    if options.flags.contains("--decode") {
      try decode(token, streams)
    } else if options.flags.contains("--json") {
      var object = CredentialText(credential).json.object ?? JSON.Object()
      object["token"] = .string(token.revealed)
      object["token_type"] = .string(kind == .access ? credential.tokens.tokenType : kind.rawValue)
      try streams.result(JSON.object(object).text)
    } else {
      if streams.showsResults {
        streams.note("Whoever has this token is signed in as \(CredentialText(credential).user).")
      }
      try streams.result(token.revealed)
    }
    return .done
  }

  private func decode(_ token: Secret, _ streams: Streams) throws {
    guard let jwt = try? JWT(parsing: token), let header = try? JSON(parsing: jwt.header),
      let claims = try? JSON(parsing: jwt.payload)
    else {
      throw CommandFailure(
        .unexpected, "The token is opaque: only the server can tell what it stands for.")
    }
    guard options.flags.contains("--json") else {
      return try streams.result(
        ClaimLines(claims: header).text + "\n\n" + ClaimLines(claims: claims).text)
    }
    let object: JSON = ["header": header, "claims": claims]
    try streams.result(object.text)
  }
}
