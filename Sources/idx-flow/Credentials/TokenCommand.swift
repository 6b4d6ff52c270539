import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// `idx-flow token`: prints a token for another program, or the content of a token.
struct TokenCommand: Command {
  static let name = "token"
  static let summary = "Print a valid access token, or the content of a token."
  static let purpose = """
    Print a valid access token. A token that is about to expire is refreshed first. To pass it to
    another program, do not put it into the arguments, which other users can see:
      token=$(idx-flow token) && printf 'Authorization: Bearer %s\\n' "$token" |
        curl -H @- https://api.example.com/
    """
  static let options =
    [
      OptionSpec("--type", value: "KIND", "access (default), id or refresh"),
      OptionSpec("--decode", "print the content of the token, without validation"),
    ] + CredentialAccess.selectionOptions + CredentialAccess.storeOptions
  static let notes: String? =
    "Anyone who has the token can act as you. Keep it out of files, logs and command lines."

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let kind = try kind(call)
    let access = try await CredentialAccess(call)
    let selected = try await access.selected()
    // Only the server knows whether a refresh token is valid.
    let credential =
      kind == .refresh ? selected : try await access.use(selected) { try await $0.valid() }
    guard let token = credential.tokens[kind] else {
      let scope = kind == .id ? "openid" : "offline_access"
      throw CommandFailure(
        .signInNeeded,
        "The server issued no \(kind.displayName). Sign in with the scope \(scope) to get one: "
          + "idx-flow signin --scope …")
    }
    if call.has("--decode") {
      try decode(token, call)
      return .done
    }
    let text = CredentialText(credential)
    if call.streams.showsResults, !call.asJSON {
      call.streams.note("Anyone who has this token can act as \(text.user).")
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
      throw CommandFailure(.usage, "--type must be access, id or refresh, not \(name).")
    }
    return kind
  }

  private static func decode(_ token: Secret, _ call: CommandCall) throws {
    guard let jwt = try? JWT(parsing: token), let header = try? JSONValue(parsing: jwt.header),
      let claims = try? JSONValue(parsing: jwt.payload)
    else {
      throw CommandFailure(.unexpected, "The token is opaque: only the server can read it.")
    }
    try call.result(
      header.claimLines + "\n\n" + claims.claimLines,
      ["header": header, "claims": claims])
  }
}

/// `idx-flow refresh`: gets new tokens, even if the present ones are valid.
struct RefreshCommand: Command {
  static let name = "refresh"
  static let summary = "Get new tokens now."
  static let purpose = """
    Get new tokens now. You rarely need this: whoami and token refresh tokens that are about to
    expire.
    """
  static let options = CredentialAccess.selectionOptions + CredentialAccess.storeOptions
  static let notes: String? =
    "The exit status is 8 if the server no longer accepts the refresh token."

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let selected = try await access.selected()
    let text = CredentialText(try await access.use(selected) { try await $0.refresh() })
    try call.result("Refreshed the tokens of \(text.user): \(text.validity).", text.json)
    return .done
  }
}

extension TokenKind {
  /// The name in a sentence.
  var displayName: String {
    switch self {
    case .access: "access token"
    case .refresh: "refresh token"
    case .id: "ID token"
    }
  }
}
