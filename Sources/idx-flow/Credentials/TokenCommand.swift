import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// `idx-flow token`: prints a token for another program, or the content of a token.
struct TokenCommand: Command {
  static let name = "token"
  static let group = CommandGroup.tokens
  static let summary = "Print a valid access token, or the content of a token."
  static let purpose = """
    Print a valid access token. A token that is about to expire is refreshed first. Other users can see
    the arguments of a program, so pass a token through a pipe, or with idx-flow exec.
    """
  static let options =
    [FreshToken.typeOption, format, method, nonce, decode, output, OfferedSignIn.noInput]
    + CredentialAccess.requestOptions
  static let operand: OperandSpec? = OperandSpec("URL")
  static let examples = [
    Example(
      "Send one request with a token that is bound to a key (DPoP)",
      """
      URL=https://api.example.com/orders
      idx-flow token --for GET "$URL" | curl -H @- "$URL"
      """),
    Example(
      "Call an API with curl",
      "idx-flow token --format header | curl -H @- https://api.example.com/"),
    Example(
      "Let kubectl ask for tokens (client.authentication.k8s.io/v1)",
      """
      kubectl config set-credentials okta --exec-api-version=client.authentication.k8s.io/v1 \\
        --exec-interactive-mode=IfAvailable --exec-command=idx-flow --exec-arg=token \\
        --exec-arg=--profile=work --exec-arg=--type=id --exec-arg=--format=kubernetes
      """),
    Example(
      "Give a program a file with the token", "idx-flow token --type id --output id-token.jwt"),
  ]
  static let notes: String? = """
    Anyone who has the token can act as you. Keep it out of logs and command lines.

    A token that is bound to a key (DPoP) cannot be used without a proof of that key. So it is printed
    only with --for, together with a proof that is valid for this one request, for some minutes.
    idx-flow api sends requests without such limits.

    If a sign-in is needed and you are at a terminal, you sign in there first, as with api and exec.
    """
  static let details: String? = """
    header and kubernetes print no refresh token, because it is only for its issuer. They cannot be
    used with --json or --decode. A new file of --output takes the place of an existing one, or of a
    link; a folder, a pipe or a device is refused.
    """

  private static let format = OptionSpec(
    "--format", value: "FORMAT", of: .oneOf(["plain", "header", "kubernetes"]),
    "plain (default), header (Authorization: …) or kubernetes (ExecCredential)")
  private static let method = OptionSpec(
    "--for", value: "METHOD", "print the header lines for one request with this method to URL")
  private static let nonce = OptionSpec(
    "--nonce", value: "NONCE", "with --for: the nonce that the server has sent (DPoP-Nonce)")
  static let decode = OptionSpec("--decode", "print the content of the token, without validation")
  private static let output = OptionSpec(
    "--output", value: "FILE", of: .file,
    "write to a file that only you can read; it is replaced only on success")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let format = call[format]
    let oneRequest = try oneRequest(call)
    if format != nil, let other = [.json, decode].first(where: call.has) {
      throw CommandFailure(.usage, "--format and \(other.name) cannot be used together.")
    }
    if FreshToken.kind(call.options) == .refresh, format == "header" || format == "kubernetes" {
      throw CommandFailure(
        .usage, "A refresh token is only for its issuer. Use --type access or --type id.")
    }
    let file = try call[output].map(OutputFile.init)
    let access = try await CredentialAccess(call)
    guard format != "kubernetes" || mayAsk(for: call.environment) else {
      return try await write(format, oneRequest, to: file, access, call)
    }
    return try await OfferedSignIn(access: access, call: call).run {
      try await write(format, oneRequest, to: file, access, call)
    }
  }

  /// Whether kubectl lets its plugin ask a person (`spec.interactive`); also without kubectl.
  private static func mayAsk(for environment: [String: String]) -> Bool {
    execInfo(environment)?["spec"]?["interactive"] != false
  }

  private static func write(
    _ format: String?, _ oneRequest: TransportRequest?, to file: OutputFile?,
    _ access: CredentialAccess, _ call: CommandCall
  ) async throws -> ExitCode {
    let fresh = try await FreshToken(access, call.options, canProve: oneRequest != nil)
    let shows = file == nil && call.streams.showsResults
    if shows, !call.asJSON, !call.has(decode), !fresh.needsProof {
      let name = await CredentialText(fresh.credential).name(in: access.store)
      call.streams.note("Anyone who has this token can act as \(name).")
    }
    let text = try text(of: fresh, format, oneRequest, call)
    if let file {
      try file.write(text + "\n")
    } else if call.has(decode), !call.asJSON {
      try call.streams.result(text: text)
    } else {
      try call.streams.result(text)
    }
    return .done
  }

  /// What is printed of the token.
  private static func text(
    of fresh: FreshToken, _ format: String?, _ oneRequest: TransportRequest?, _ call: CommandCall
  ) throws -> String {
    if let oneRequest {
      let lines = try fresh.credential.headers(
        for: oneRequest, nonce: call[nonce])
      return lines.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }
    if call.has(decode) { return try content(of: fresh.token, asJSON: call.asJSON) }
    let token = fresh.token.revealed
    switch format {
    case "header": return "Authorization: \(fresh.scheme) \(token)"
    case "kubernetes":
      if call[FreshToken.typeOption] == nil {
        call.streams.note(
          "This is the access token. If the cluster needs the ID token, use --type id.")
      }
      return execCredential(fresh, call.environment).visibleText
    default:
      guard call.asJSON else { return token }
      let type = fresh.kind == .access ? fresh.scheme : fresh.kind.rawValue
      return CredentialText(fresh.credential).json.adding("token", .string(token))
        .adding("token_type", .string(type)).visibleText
    }
  }

  /// The request of `--for METHOD URL`; nil without these.
  private static func oneRequest(_ call: CommandCall) throws -> TransportRequest? {
    let text = call.options.operands.first
    guard let name = call[method] else {
      guard text == nil, !call.has(nonce) else {
        throw misuse("An address or --nonce needs --for")
      }
      return nil
    }
    if let format = call[format], format != "header" {
      throw misuse("--for prints header lines, not the format \(format)")
    }
    if let other = [.json, decode].first(where: call.has) {
      throw misuse("--for and \(other.name) cannot be used together")
    }
    if FreshToken.kind(call.options) != .access { throw misuse("--for is for the access token") }
    guard let text else { throw misuse("--for needs a method and an address") }
    if let nonce = call[nonce], !DPoPNonce.isValid(nonce) {
      throw misuse("--nonce is not one that a server can send")
    }
    return TransportRequest(
      method: try APIRequest.method(name, method), url: try APIRequest.address(text, at: nil))
  }

  private static func misuse(_ reason: String) -> CommandFailure {
    CommandFailure(.usage, "\(reason). The form is: idx-flow token --for METHOD URL")
  }

  /// What a credential plugin prints for kubectl.
  ///
  /// kubectl names the version that it expects (`KUBERNETES_EXEC_INFO`).
  private static func execCredential(
    _ fresh: FreshToken, _ environment: [String: String]
  ) -> JSONValue {
    let versions = ["v1", "v1beta1"].map { "client.authentication.k8s.io/\($0)" }
    let asked = execInfo(environment)?["apiVersion"]
    let version = versions.first { .string($0) == asked } ?? versions[0]
    let status: JSONValue = ["token": .string(fresh.token.revealed)]
    // RFC 3339, as in all times of Kubernetes.
    let end = fresh.expiresAt.map { JSONValue.string($0.formatted(.iso8601)) }
    return [
      "apiVersion": .string(version), "kind": "ExecCredential",
      "status": status.adding("expirationTimestamp", end),
    ]
  }

  /// What kubectl tells its plugin.
  private static func execInfo(_ environment: [String: String]) -> JSONValue? {
    environment["KUBERNETES_EXEC_INFO"].flatMap { try? JSONValue(parsing: $0.utf8) }
  }

  private static func content(of token: Secret, asJSON: Bool) throws -> String {
    guard let jwt = try? JWT(parsing: token), let header = try? JSONValue(parsing: jwt.header),
      let claims = try? JSONValue(parsing: jwt.payload)
    else {
      throw CommandFailure(.unexpected, "The token is opaque: only the server can read it.")
    }
    let json: JSONValue = ["header": header, "claims": claims]
    return asJSON ? json.visibleText : header.claimLines + "\n\n" + claims.claimLines
  }
}

/// `idx-flow refresh`: gets new tokens, even if the present ones are valid.
struct RefreshCommand: Command {
  static let name = "refresh"
  static let group = CommandGroup.tokens
  static let summary = "Get new tokens now."
  static let purpose = """
    Get new tokens now. You rarely need this: the other commands refresh tokens that are about to
    expire.
    """
  static let options = CredentialAccess.requestOptions
  static let notes: String? =
    "The exit status is 8 if the server no longer accepts the refresh token."

  static func run(_ call: CommandCall) async throws -> ExitCode {
    let access = try await CredentialAccess(call)
    let selected = try await access.selected()
    let text = CredentialText(try await access.use(selected) { try await $0.refresh() })
    let name = await text.name(in: access.store)
    try call.result(
      call.text("Refreshed the tokens of \(name): \(text.validity)."), text.json)
    return .done
  }
}
