import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt

/// `idx-flow status`: shows the signed-in user from the local copy, without a request.
struct StatusCommand: Command {
  static let name = "status"
  static let group = CommandGroup.credentials
  static let summary = "Show who is signed in, where, and until when."
  static let purpose = """
    Show who is signed in, where, until when, and with which profile. --verbose also shows the app, the
    scopes, and where the credential is saved. This comes from the local copy; with --check, the server
    is asked too.
    """
  static let options =
    [check, verbose]
    + CredentialAccess.requestOptions.filter { $0.name != RequestTrace.option.name }
  static let examples = [
    Example("Show who is signed in", "idx-flow status"),
    Example(
      "In a script: sign in only if it is necessary",
      "idx-flow status --check >/dev/null; [ $? -ne 8 ] || idx-flow signin"),
  ]
  static let notes: String? = """
    The exit status is 8 if nobody is signed in, if the access token has expired and there is no
    refresh token, or if the server has refused the tokens.
    """

  private static let check = OptionSpec(
    "--check", "ask the server whether it still accepts the tokens")

  private static let verbose = RequestTrace.option.with(
    help: "show all details, and write each request to standard error")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    await access.noteKeptSessions()
    var credential = try await access.selected()
    var isRefused = false
    if call.has(check) {
      do {
        credential = try await access.use(credential) { try await $0.check() }
      } catch let failure as CommandFailure where failure.exitCode == .signInNeeded {
        call.streams.note("idx-flow: \(failure.sentence)")
        // The store may be unable to save the refusal.
        isRefused = true
        credential = try await access.store.credential(credential.id) ?? credential
      }
    }
    let text = access.text(of: credential)
    let showsAll = call.has(verbose)
    let checked: [Sentence] =
      call.has(check) && !isRefused ? ["checked   the server accepts the tokens"] : []
    let lines =
      text.lines + checked + (showsAll ? text.moreLines + ["saved in  \(access.store.place)"] : [])
    try call.result(
      lines.map(call.text).joined(separator: "\n"), access.store.adding(to: text.json))
    return text.isUsable && !isRefused ? .done : .signInNeeded
  }
}

/// `idx-flow whoami`: shows what the server says about the signed-in user.
struct WhoAmICommand: Command {
  static let name = "whoami"
  static let group = CommandGroup.credentials
  static let summary = "Ask the server who is signed in."
  static let purpose = """
    Ask the server who is signed in (userinfo endpoint). An expired access token is refreshed first.
    The scopes of the sign-in determine which claims the server returns.
    """
  static let options = CredentialAccess.requestOptions

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let info = try await access.use(access.selected()) { try await $0.userInfo() }
    try call.result(info.claims.claimLines, info.claims)
    return .done
  }
}

extension JSONValue {
  /// The members of this object as text, one on each line; members that are times also as a date.
  var claimLines: String {
    let members = object?.members ?? []
    // One very long name must not pad all other lines.
    let width = min(members.map(\.name.count).max() ?? 0, 40)
    return members.map { member in
      let pad = String(repeating: " ", count: max(width - member.name.count, 0) + 2)
      // Whole, because the person asked for them.
      return member.name.sanitized + pad + TextSanitizer(oneLine: true).clean(Self.text(of: member))
    }.joined(separator: "\n")
  }

  private static func text(of member: Object.Member) -> String {
    if let text = member.value.string { return text }
    // RFC 7519, section 2: seconds since 1970.
    let times = ["exp", "iat", "nbf", "auth_time", "updated_at"]
    guard times.contains(member.name), let seconds = member.value.integer else {
      return member.value.text
    }
    return "\(seconds) (\(CredentialText.time(.init(timeIntervalSince1970: Double(seconds)))))"
  }
}
