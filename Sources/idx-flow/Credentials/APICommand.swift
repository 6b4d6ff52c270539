import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth

/// `idx-flow api`: sends a request with the access token, and prints the response.
struct APICommand: Command {
  static let name = "api"
  static let group = CommandGroup.tokens
  static let summary = "Send a request to an API with the access token."
  static let purpose = """
    Send a request to an API with the access token, and print the body of the response. It works for
    both types of tokens: a token that is bound to a key (DPoP) goes with a proof, which other programs
    cannot make. A token that is about to expire, or that the API refuses, is refreshed. URL is an
    address, or a path at the issuer's server.
    """
  static let options =
    APIRequest.options + [include, paginate, pages, OfferedSignIn.noInput]
    + CredentialAccess.plainRequestOptions
  static let operand: OperandSpec? = OperandSpec("URL", isRequired: true)
  static let examples = [
    Example("Get a resource", "idx-flow api https://api.example.com/orders"),
    Example(
      "Send JSON",
      "idx-flow api https://api.example.com/orders --field item=book --field count=2"),
    Example("Ask the org about yourself", "idx-flow api /oauth2/default/v1/userinfo"),
  ]
  static let notes: String? = """
    The server of URL gets the token, so use only addresses that you trust. Redirects are not followed,
    and a next page on another server is not read. A body has the type application/json unless --header
    says something else.

    The exit status is 0 for an HTTP status below 300, 8 for 401, 4 for others below 500, 7 for 429, 6
    from 500 on, and 1 for a redirect. The body is printed in any case, unless a refused token cannot be
    refreshed.
    """
  static let details: String? = """
    With GET or --input, fields are parameters of the address. For lists and objects, use --input. Other
    users can see the arguments of a program: send secrets with --input -.

    The body is printed as it is. At a terminal, short JSON has a line for each member, control
    characters are removed, and a body that is not a text is not shown. With a bound token, the first
    request goes twice if the API asks for a nonce.
    """

  private static let include = OptionSpec(
    "--include", "print the status and the header fields before the body")
  private static let paginate = OptionSpec(
    "--paginate", "with GET: also get the next pages, each as it is, one after the other")
  private static let pages = OptionSpec(
    "--max-pages", value: "NUMBER", "with --paginate: the most pages (default: 1000)")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    try APIRequest.checkUsage(call)
    let (showsHead, followsLinks) = (call.has(include), call.has(paginate))
    let mostPages = try mostPages(call)
    let access = try await CredentialAccess(call)
    // After a sign-in on the way, standard input is at its end, and what was written stays.
    let (input, hasWritten) = (KeptInput(), Locked(false))
    return try await OfferedSignIn(access: access, call: call).run(
      unless: { hasWritten.withLock { $0 } }
    ) {
      try await send(
        with: access, input, showsHead: showsHead, followsLinks: followsLinks, mostPages, call
      ) { hasWritten.withLock { $0 = true } }
    }
  }

  private static func send(
    with access: CredentialAccess, _ input: KeptInput, showsHead: Bool, followsLinks: Bool,
    _ mostPages: Int, _ call: CommandCall, onWrite: @escaping @Sendable () -> Void
  ) async throws -> ExitCode {
    let credential = try await access.selected()
    let request = try APIRequest(call, issuer: credential.id.issuer, reading: input).request
    guard request.isRepeatable || !followsLinks else {
      // A server must not choose what is written next.
      throw CommandFailure(.usage, "--paginate can only be used with the method GET.")
    }
    let streams = call.streams
    return try await access.use(credential) { session, transport in
      let api = AuthenticatedTransport(session, over: transport, origins: [request.url])
      var (request, seen) = (request, Set([request.url]))
      while true {
        let response = try await send(request, by: api)
        onWrite()
        try write(response, showsHead: showsHead, to: streams)
        guard response.status < 300 else {
          streams.note("idx-flow: \(explanation(of: response, to: request).sanitized)")
          return exitCode(for: response.status)
        }
        guard followsLinks, let next = try nextPage(of: response, after: request.url) else {
          return .done
        }
        guard !seen.contains(next) else {
          throw CommandFailure(
            .unexpected, "The next page at \(request.place) is one that was read before.")
        }
        guard seen.count < mostPages else {
          throw CommandFailure(
            .unexpected, "The limit of pages, \(mostPages), is reached, so some are missing.",
            remedy: "To read more of them, raise \(pages.name).")
        }
        seen.insert(next)
        request.url = next
      }
    }
  }

  /// After how many pages the command ends: a server could name a next one without end.
  private static func mostPages(_ call: CommandCall) throws -> Int {
    guard let text = call[pages] else { return 1000 }
    guard call.has(paginate) else {
      throw CommandFailure(.usage, "\(pages.name) can only be used with \(paginate.name).")
    }
    guard let number = Int(text), number > 0 else {
      throw CommandFailure(
        .usage, "\(pages.name) must be a number from 1, not \(text.sanitized).")
    }
    return number
  }

  /// Sends a request; a failure of the network explains what is wrong with the server, which is not always that of
  /// the sign-in.
  private static func send(
    _ request: TransportRequest, by api: AuthenticatedTransport
  ) async throws -> TransportResponse {
    do { return try await api.send(request) } catch let error as TransportError {
      let failure = FlowError(.network, error.message, underlying: error)
      let setup = SetupProblem(failure, at: request.url)
      let text: Sentence =
        setup.map { "\($0.explanationSentence) \(failure)" } ?? failure.sentence("\(failure)")
      let exitCode = CommandFailure(failure).exitCode
      let isAnswered = [.badResponse, .responseTooLarge].contains(error.code)
      let usual: Sentence? =
        exitCode == .network && !isAnswered ? "Check the network connection." : nil
      throw CommandFailure(
        exitCode, text.mapValues(\.sanitized), cause: failure,
        remedy: setup?.remedyWithOptions ?? usual)
    }
  }

  private static func write(
    _ response: TransportResponse, showsHead: Bool, to streams: Streams
  ) throws {
    if showsHead {
      let fields = response.headers.sorted { $0.key.lowercased() < $1.key.lowercased() }
      let lines = ["HTTP \(response.status)"] + fields.map { "\($0.key): \($0.value)" }
      try streams.result(lines.map(\.printable).joined(separator: "\n") + "\n")
    }
    guard !response.body.isEmpty else { return }
    guard streams.showsResults else { return try streams.result(bytes: response.body) }
    // A server must not control the terminal.
    guard let text = String(bytes: response.body, encoding: .utf8) else {
      return streams.note(
        "idx-flow: The body is not a text: \(response.body.count) bytes. Send the output to a file."
      )
    }
    // The indentation of a hostile body can be a hundred times as long as the body.
    let isShort = response.body.count <= longestIndented
    let json = isShort ? try? JSONValue(parsing: response.body) : nil
    let clean = TextSanitizer().clean(json?.indentedText ?? text)
    try streams.result(clean.hasSuffix("\n") ? String(clean.dropLast()) : clean)
  }

  /// How many bytes of JSON are written with a line for each member.
  private static let longestIndented = 32_768

  private static func explanation(
    of response: TransportResponse, to request: TransportRequest
  ) -> Sentence {
    let what: Sentence = "\(request.place) responded with HTTP status \(response.status)."
    switch response.status {
    case ..<400:
      // A query or a fragment may contain a token.
      let location = response.header("Location") ?? ""
      let isAddress = URL(string: location, encodingInvalidCharacters: false) != nil
      let url = isAddress ? URL(string: location, relativeTo: request.url)?.absoluteURL : nil
      let target =
        url.flatMap { $0.host == nil ? nil : $0 }.map {
          ": \(Origin($0))\($0.path(percentEncoded: true))"
        } ?? "."
      return "\(what) It redirects, which is not followed\(target)"
    case 401: return "\(what) It does not accept the access token."
    default: return what
    }
  }

  private static func exitCode(for status: Int) -> ExitCode {
    switch status {
    case ..<400: .unexpected
    case 401: .signInNeeded
    case 429: .rateLimited
    case ..<500: .refused
    default: .network
    }
  }

  /// The address in `Link: <…>; rel="next"` (RFC 8288, section 3); nil if there is none.
  ///
  /// Throws if it cannot be read, or is on another server, which must not get the token.
  static func nextPage(of response: TransportResponse, after url: URL) throws -> URL? {
    for link in HeaderList.parts(of: response.header("Link") ?? "", by: ",") {
      let parts = HeaderList.parts(of: link, by: ";")
      let relation = parts.dropFirst().map(HeaderList.parameter).first { $0.name == "rel" }?.value
      guard relation?.lowercased().split(separator: " ").contains("next") == true else { continue }
      let isTarget = parts[0].hasPrefix("<") && parts[0].hasSuffix(">")
      let target = isTarget ? String(parts[0].dropFirst().dropLast()) : ""
      guard !target.isEmpty, URL(string: target, encodingInvalidCharacters: false) != nil,
        let next = URL(string: target, relativeTo: url)?.absoluteURL
      else {
        throw CommandFailure(
          .unexpected, "The address of the next page cannot be read, so pages are missing.")
      }
      guard Origin(next) == Origin(url), next.user == nil else {
        throw CommandFailure(
          .unexpected,
          """
          The next page is on another server, \("\(Origin(next))".sanitized), which does not get the token.
          """)
      }
      return next
    }
    return nil
  }
}

/// The file of `--input`, which is read once: standard input cannot be read again.
final class KeptInput: Sendable {
  private let bytes = Locked<[UInt8]?>(nil)

  func bytes(of path: String) throws -> [UInt8] {
    if let kept = bytes.withLock({ $0 }) { return kept }
    let read = Array(try InputFile(path: path).read())
    bytes.withLock { $0 = read }
    return read
  }
}

/// The request of a command line.
struct APIRequest {
  static let options = [method, field, rawField, header, input]

  private static let method = OptionSpec(
    "--method", letter: "X", value: "METHOD",
    "the method (default: GET, or POST with --field or --input)")
  private static let field = OptionSpec(
    "--field", letter: "F", value: "NAME=VALUE",
    "a member of a JSON body; true, false, null and numbers are no texts")
  private static let rawField = OptionSpec(
    "--raw-field", letter: "f", value: "NAME=VALUE", "a member of a JSON body that is a text")
  private static let header = OptionSpec(
    "--header", letter: "H", value: "NAME:VALUE", "a header field of the request")
  private static let input = OptionSpec(
    "--input", value: "FILE", of: .file, "read the body from a file, or - for standard input")

  private(set) var request: TransportRequest

  /// Throws if the command line is wrong, whoever is signed in; no file is read.
  static func checkUsage(_ call: CommandCall) throws {
    _ = try fields(in: call)
    _ = try pairs(of: header, separator: ":", in: call)
    _ = try call[method].map { try method($0, method) }
    // A path is at the server of the sign-in.
    let operand = call.options.operands[0]
    if !operand.hasPrefix("/") { _ = try address(operand, at: nil) }
  }

  init(_ call: CommandCall, issuer: URL, reading kept: KeptInput) throws {
    let fields = try Self.fields(in: call)
    let headers = try Self.pairs(of: Self.header, separator: ":", in: call)
    let input = call[Self.input]
    let method = try Self.method(
      call[Self.method] ?? (fields.isEmpty && input == nil ? "GET" : "POST"), Self.method)
    var url = try Self.address(call.options.operands[0], at: issuer)
    let hasBody = input != nil || !["GET", "HEAD"].contains(method)
    if input != nil || !hasBody, !fields.isEmpty {
      url.append(queryItems: fields.map { URLQueryItem(name: $0.name, value: $0.text) })
    }
    request = TransportRequest(
      method: method, url: url, headers: ["Accept": "application/json"],
      isRepeatable: ["GET", "HEAD"].contains(method))
    if let input {
      do { request.body = try kept.bytes(of: input) } catch let error as InputFile.Unreadable {
        throw CommandFailure(.usage, "The file \(input.sanitized) of --input \(error)")
      }
    } else if hasBody, !fields.isEmpty {
      guard Set(fields.map(\.name)).count == fields.count else {
        throw CommandFailure(
          .usage,
          "--field and --raw-field have the same name twice, which a JSON object cannot have.")
      }
      request.body = JSONValue.object(.init(fields.map { .init($0.name, $0.value) })).bytes
    }
    if !request.body.isEmpty { request.headers["Content-Type"] = "application/json" }
    for (name, value) in headers {
      guard !["authorization", "dpop"].contains(name.lowercased()) else {
        throw CommandFailure(
          .usage, "--header cannot set \(name): idx-flow sends the token and its proof itself.")
      }
      let known = request.headers.keys.first { $0.lowercased() == name.lowercased() }
      request.headers[known ?? name] = value
    }
  }

  /// A method in capital letters.
  static func method(_ text: String, _ option: OptionSpec) throws -> String {
    guard (1...20).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x41...0x5A).contains($0 & ~0x20) })
    else {
      throw CommandFailure(
        .usage, "\(option.name) must be a method such as GET or POST, not \(text.sanitized).")
    }
    return text.uppercased()
  }

  /// The address of an operand: a whole address, or a path at the issuer's server.
  ///
  /// Nothing in it is encoded again, so that the request goes to exactly this address.
  static func address(_ text: String, at issuer: URL?) throws -> URL {
    let origin = issuer.map { Origin($0).description } ?? ""
    let whole = text.hasPrefix("/") ? origin + text : text
    guard let url = URL(string: whole, encodingInvalidCharacters: false),
      ["http", "https"].contains(url.scheme?.lowercased()), url.host?.isEmpty == false
    else {
      let isBare = !text.hasPrefix("/") && !text.contains("://") && text.contains(".")
      throw CommandFailure(
        .usage,
        "“\(text.sanitized)” is not an address such as https://api.example.com/orders"
          + (issuer == nil ? "" : ", and not a path that starts with a slash")
          + ". Other characters must be percent-encoded."
          + (isBare ? " Did you mean https://\(text.sanitized)?" : ""))
    }
    guard url.user == nil, url.host(percentEncoded: true)?.contains("%") == false else {
      throw CommandFailure(
        .usage, "The address must have no username, and no escapes in the name of the server.")
    }
    guard Origin(url).isSecure else {
      throw CommandFailure(
        .usage,
        """
        The address \("\(Origin(url))".sanitized) is plain http, over which others could read the token. Use \
        https.
        """)
    }
    return url
  }

  /// The members of a body, or the parameters of the address: first all of `--field`, then those of `--raw-field`.
  private static func fields(
    in call: CommandCall
  ) throws -> [(name: String, text: String, value: JSONValue)] {
    let typed = try pairs(of: field, separator: "=", in: call).map { pair in
      (pair.name, pair.value, value(of: pair.value))
    }
    let raw = try pairs(of: rawField, separator: "=", in: call).map { pair in
      (pair.name, pair.value, JSONValue.string(pair.value))
    }
    return typed + raw
  }

  /// A number, `true`, `false` or `null` as JSON; any other text is a string.
  private static func value(of text: String) -> JSONValue {
    switch try? JSONValue(parsing: text.utf8) {
    case .string, .array, .object, nil: .string(text)
    case let value?: value
    }
  }

  /// The names and values of an option that is given several times.
  private static func pairs(
    of option: OptionSpec, separator: Character, in call: CommandCall
  ) throws -> [(name: String, value: String)] {
    try call.options.all(option).map { text in
      let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0].trimmed()
      guard parts.count == 2, !name.isEmpty else {
        throw CommandFailure(
          .usage, "\(option.name) must be \(option.value ?? ""), not \(text.sanitized).")
      }
      return (String(name), separator == ":" ? String(parts[1].trimmed()) : String(parts[1]))
    }
  }
}
