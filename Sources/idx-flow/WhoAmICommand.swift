import IDXBase
import IDX
import IDXPrompt

/// `idx-flow whoami`: what the server tells of the person.
struct WhoAmICommand: Command {
  static let name = "whoami"
  static let summary = "Ask the server who is signed in."
  static let help = CommandHelp(
    purpose: """
      Ask the server who is signed in (its userinfo endpoint), refreshing the access token where it
      has expired. What it tells follows from the scopes of the sign-in.
      """,
    usage: ["whoami [OPTION...]"],
    options: CredentialAccess.choiceOptions + CredentialAccess.placeOptions)

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let info = try await access.use(access.selected()) { try await $0.userInfo() }
    try call.result(ClaimLines(claims: info.claims).text, info.claims)
    return .done
  }
}

/// Claims, a line each.
struct ClaimLines {
  let claims: JSONValue

  var text: String {
    let members = claims.object?.members ?? []
    // A server that names one claim at great length would pad all others as far.
    let width = min(members.map(\.name.count).max() ?? 0, 40)
    let sanitizer = TextSanitizer(oneLine: true)
    return members.map { member in
      let pad = String(repeating: " ", count: max(width - member.name.count, 0) + 2)
      return sanitizer.clean(member.name) + pad + sanitizer.clean(text(of: member))
    }.joined(separator: "\n")
  }

  private func text(of member: JSONValue.Object.Member) -> String {
    if let text = member.value.string { return text }
    guard Self.times.contains(member.name), let seconds = member.value.integer else {
      return member.value.text
    }
    return "\(seconds) (\(CredentialText.time(.init(timeIntervalSince1970: Double(seconds)))))"
  }

  /// The claims that are times, in seconds since 1970 (RFC 7519, section 2).
  private static let times: Set = ["exp", "iat", "nbf", "auth_time", "updated_at"]
}
