import Foundation
import IDXBase
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXStorage

/// `idx-flow aws`: prints temporary keys for AWS, for `credential_process`.
struct AWSCommand: Command {
  static let name = "aws"
  static let group = CommandGroup.tokens
  static let summary = "Print temporary keys for AWS."
  static let purpose = """
    Print temporary keys of a role in AWS, as credential_process in ~/.aws/config needs them. AWS gives
    them for the ID token (sts:AssumeRoleWithWebIdentity), if the role trusts the issuer. With --saml,
    AWS gives them for a sign-in to the app of AWS in Okta (sts:AssumeRoleWithSAML). They are kept with
    the tokens, and are the same until shortly before they expire. If a sign-in is needed and you are at
    a terminal, you sign in there first.
    """
  static let options =
    [AWSRole.option, SAMLAppAddress.option, listRoles] + AWSKeyRequest.options
    + [format, console, open, AWSConsole.endpoint, OfferedSignIn.noInput]
    + SAMLSignIn.options.filter { $0.name != OfferedSignIn.noInput.name }
    + CredentialAccess.plainRequestOptions
  static let examples = [
    Example(
      "Let the AWS tools ask for keys",
      """
      aws configure set profile.okta.credential_process \\
        "idx-flow aws --profile work --role-arn arn:aws:iam::123456789012:role/NAME"
      aws sts get-caller-identity --profile okta
      """),
    Example(
      "Set variables in this shell",
      "eval \"$(idx-flow aws --format env --role-arn arn:aws:iam::123456789012:role/NAME)\""),
    Example(
      "Sign in to the app of AWS, and choose a role",
      "idx-flow aws --profile work --saml https://dev-1234.okta.com/app/amazon_aws/ID/sso/saml"),
    Example("Open the console of AWS", "idx-flow aws --profile work --console --open"),
  ]
  static let notes: String? = """
    Anyone who has the keys can act in the role until they expire, also after a sign-out, which only
    deletes them here. Nothing is written into ~/.aws.

    The exit status is 4 if AWS refuses, 2 if a value is wrong, 6 if AWS cannot be asked, 7 if it gets
    too many requests, and 8 if a sign-in is needed. idx-flow doctor --role-arn ARN checks the role.
    """
  static let details: String? = """
    --saml needs no app with a client ID: idx-flow signs in with the steps of the org's own page. If you
    can use several roles, a menu asks for one. With --profile, the app, the role and the username are
    remembered; a profile keeps the app and the role that it has. Each new role needs a sign-in.

    With --keep-session, the org's session is kept with your credentials, so that new keys of any role
    need no password and no factor as long as the org accepts it. signout ends it.

    --console prints an address with which anyone is signed in to the console of AWS in the role. It
    works for 15 minutes.
    """

  private static let format = OptionSpec(
    "--format", value: "FORMAT", of: .oneOf(["process", "env"]),
    "process (default, JSON for the AWS tools) or env (lines for a shell)")
  private static let listRoles = OptionSpec(
    "--list-roles", "with --saml: sign in and print the ARNs of your roles")
  private static let console = OptionSpec(
    "--console", "print the address that signs in to the console of AWS")
  private static let open = OptionSpec("--open", "with --console: open the address in a browser")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    if call.has(open), !call.has(console) {
      throw CommandFailure(.usage, "--open needs --console.")
    }
    try AWSKeyRequest.check(call)
    let signIn = call.has(CredentialAccess.demo) ? nil : try SAMLSignIn(call)
    guard let signIn else {
      if call.has(CredentialAccess.demo), call.has(SAMLAppAddress.option) {
        throw CommandFailure(.usage, "--saml and --demo cannot be used together.")
      }
      guard !call.has(listRoles) else {
        throw CommandFailure(
          .usage, "--list-roles needs --saml URL, because an ID token does not name roles.")
      }
      return try await runWithIDToken(call)
    }
    let saml = AWSSAMLKeys(signIn: signIn, access: try await CredentialAccess(call), call: call)
    if call.has(listRoles) {
      for role in try await saml.roles() { try call.streams.result(role.role.arn) }
    } else {
      try await write(try await saml.keys(), call)
    }
    return .done
  }

  private static func runWithIDToken(_ call: CommandCall) async throws -> ExitCode {
    if let option = [SignInOptions.script, Setting.fastPass.option].first(where: call.has) {
      throw CommandFailure(.usage, "\(option.name) needs --saml.")
    }
    let profile = try Selection(call).profileOrCurrent(call)
    let role = try AWSRole(call, or: profile)
    let access = try await CredentialAccess(call)
    return try await OfferedSignIn(access: access, call: call).run {
      try await write(try await keys(of: role, access, call), call)
      return .done
    }
  }

  /// The kept keys of a role, or new ones.
  private static func keys(
    of role: AWSRole, _ access: CredentialAccess, _ call: CommandCall
  ) async throws -> AWSKeys {
    let service = try SecurityTokenService(call)
    let credential = try await access.selected()
    let request = try AWSKeyRequest(call, role: role, for: credential)
    let cache = AWSKeyCache(store: access.store)
    if let kept = cache.keys(for: request, of: credential) { return kept }
    let streams = call.streams
    return try await cache.keys(for: request, of: credential.id) { error in
      streams.note("idx-flow: The keys are not kept. \(CommandFailure(error).sentence.sanitized)")
    } orElse: {
      try await access.use(credential) { session in
        let fresh = try await FreshToken.withIDToken(session)
        guard let token = fresh.tokens.idToken else {
          // Another sign-in with the same scopes would not help.
          let command = access.text(of: credential).signInCommand(
            adding: StaySignedInQuestion.allScopes)
          throw CommandFailure(
            .usage, "The sign-in was without the scope openid, so there is no ID token for AWS.",
            code: "no_id_token",
            remedy: "Sign in with it: \(command)")
        }
        try FreshToken.checkIDToken(token, access.text(of: credential))
        do {
          return try await service.keys(for: request, with: .idToken(token))
        } catch let refusal as AWSRefusal {
          let signIn = access.text(of: credential).signInCommand
          throw refusal.failure(role, credential, signIn: signIn)
        }
      }
    }
  }

  private static func write(_ keys: AWSKeys, _ call: CommandCall) async throws {
    if call.has(console) { return try await writeAddress(for: keys, call) }
    if call.streams.showsResults {
      call.streams.note("Anyone who has these keys can act as \(keys.request.roleARN).")
    }
    if call[format] == "env" {
      try call.streams.result(keys.lines)
    } else {
      try call.streams.result(keys.json)
    }
  }

  /// Writes the address of the console, or opens it.
  private static func writeAddress(for keys: AWSKeys, _ call: CommandCall) async throws {
    let console = try AWSConsole(call, keys, transport: call.retrying(call.transport()))
    let address = try await console.address()
    if call.has(open) {
      guard try await isOpened(address, call) else {
        throw CommandFailure(
          .unexpected, "No browser could be opened.",
          remedy: "Run the command without --open, and open the address yourself.")
      }
      return call.streams.note("The console of AWS is open in the browser.")
    }
    if call.streams.showsResults {
      call.streams.note("Anyone who has this address can act as \(keys.request.roleARN).")
    }
    try call.streams.result(address.absoluteString)
  }

  /// Opens the address of the console in a browser; returns whether it is there.
  ///
  /// Arguments of a program can be read by others, so on Linux the browser gets an address on this computer that leads
  /// to the console, once and only for this user.
  private static func isOpened(_ address: URL, _ call: CommandCall) async throws -> Bool {
    let browser = SystemBrowser(environment: call.environment)
    guard let local = URL(string: "http://127.0.0.1:0/"),
      let listener = try? LoopbackListener(local, accepts: { _ in false }),
      let entrance = listener.lastEntrance(to: address)
    else { return await browser.open(address) }
    return try await TerminalTask.run(at: nil) {
      guard await browser.open(entrance) else { return false }
      return try await withThrowingTaskGroup(of: Bool.self) { group in
        group.addTask {
          _ = try await listener.next()
          return true
        }
        group.addTask {
          try await Task.sleep(for: .seconds(30))
          return false
        }
        defer { group.cancelAll() }
        return try await group.next() ?? false
      }
    }
  }
}
