import IDXBase
import IDX
import IDXFlow
import IDXPrompt
import IDXOAuth

/// `idx-flow token`: prints a token for another program, or what is in it.
struct TokenCommand: Command {
  static let name = "token"
  static let summary = "Print an access token that stands now, or what is in it."
  static let help = CommandHelp(
    purpose: """
      Print an access token that stands now, refreshing it where it is about to expire. To hand it on
      without showing it in the arguments of a program:
        token=$(idx-flow token) && printf 'Authorization: Bearer %s\\n' "$token" |
          curl -H @- https://api.example.com/
      """,
    usage: ["token [OPTION...]"],
    options: [
      OptionSpec("--type", value: "KIND", "access, id or refresh; access unless told otherwise"),
      OptionSpec("--decode", "print what is in the token instead, without checking it"),
    ] + CredentialAccess.choiceOptions + CredentialAccess.placeOptions,
    notes: "Whoever has a token is signed in: keep it out of files, logs and command lines.")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let kind = try kind(call)
    let access = try await CredentialAccess(call)
    let selected = try await access.selected()
    // A refresh token is good for as long as the server takes it, whatever the time.
    let credential =
      kind == .refresh ? selected : try await access.use(selected) { try await $0.valid() }
    guard let token = credential.tokens[kind] else {
      let scope = kind == .id ? "openid" : "offline_access"
      throw CommandFailure(
        .signInNeeded,
        "There is no such token. Sign in with the scope \(scope) to have it: "
          + "idx-flow signin --scope …")
    }
    if call.has("--decode") {
      try decode(token, call)
      return .done
    }
    let text = CredentialText(credential)
    if call.streams.showsResults, !call.asJSON {
      call.streams.note("Whoever has this token is signed in as \(text.user).")
    }
    let type = kind == .access ? credential.tokens.tokenType : kind.rawValue
    try call.result(
      token.revealed,
      text.json.adding("token", .string(token.revealed)).adding("token_type", .string(type)))
    return .done
  }

  private static func kind(_ call: CommandCall) throws -> TokenKind {
    let kinds: [String: TokenKind] = ["access": .access, "id": .id, "refresh": .refresh]
    let name = call.options.values["--type"] ?? "access"
    guard let kind = kinds[name] else {
      throw CommandFailure(.usage, "--type is access, id or refresh, not \(name).")
    }
    return kind
  }

  private static func decode(_ token: Secret, _ call: CommandCall) throws {
    guard let jwt = try? JWT(parsing: token), let header = try? JSONValue(parsing: jwt.header),
      let claims = try? JSONValue(parsing: jwt.payload)
    else {
      throw CommandFailure(
        .unexpected, "The token is opaque: only the server can tell what it stands for.")
    }
    try call.result(
      ClaimLines(claims: header).text + "\n\n" + ClaimLines(claims: claims).text,
      ["header": header, "claims": claims])
  }
}
