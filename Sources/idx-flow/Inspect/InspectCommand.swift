import IDX
import IDXBase
import IDXOAuth
import IDXRecording

/// `idx-flow inspect`: shows what responses ask for.
struct InspectCommand: Command {
  static let name = "inspect"
  static let summary = "Show what a recorded response asks for."
  static let purpose = """
    Show what recorded responses ask for: messages, steps with fields, and authenticators. A file of
    signin --record is shown exchange by exchange.
    """
  static let usage = ["inspect [OPTION...] FILE...      (- is standard input)"]
  static let options = [format]
  static let operand: OperandSpec? = OperandSpec("FILE", maximum: .max, of: .file)
  static let examples = [
    Example("Show a response", "idx-flow inspect response.json"),
    Example("Show a response from a pipe, for a program", "idx-flow inspect --format json -"),
  ]
  static let notes: String? = """
    Files that are not responses are reported, and the other files are still shown. The exit status is
    that of the first one: 1 if it is not a response, 2 if it cannot be read. The output of
    --format json contains state handles and shared secrets: protect it like the responses.
    """

  private static let format = OptionSpec(
    "--format", value: "FORMAT", of: .oneOf(["tree", "json"]),
    "the output format: tree (default) or json")

  static func run(_ call: CommandCall) throws -> ExitCode {
    let (paths, streams) = (call.options.operands, call.streams)
    let isJSON = call[format] == "json"
    guard !paths.isEmpty else {
      throw CommandFailure(.usage, "inspect needs a FILE, or - for standard input.")
    }
    var exitCode = ExitCode.done
    for path in paths {
      do {
        let bytes = [UInt8](try InputFile(path: path).read())
        guard !Recording.isRecording(bytes) else {
          try show(try Recording(parsing: bytes), titled: path, asJSON: isJSON, streams)
          continue
        }
        let response = try IDXResponse(parsing: bytes)
        if isJSON {
          try streams.result(ResponseSummary(response).json)
        } else {
          try streams.result(text: ResponseTree(response: response).text(titled: path))
        }
      } catch let failure as CommandFailure {
        throw failure
      } catch {
        let unreadable = error as? InputFile.Unreadable
        // The first file that fails decides.
        if exitCode == .done { exitCode = unreadable != nil ? .usage : .unexpected }
        let reason = unreadable.map { "It \($0)" } ?? "\(error)"
        if isJSON {
          let line: JSONValue = ["file": .string(path), "error": .string(reason)]
          try streams.result(line)
        } else {
          streams.note(text: "\(path): \(reason)".sanitized)
        }
      }
    }
    return exitCode
  }

  /// Shows each exchange in a line, and below it what an IDX response asks for.
  private static func show(
    _ recording: Recording, titled title: String, asJSON: Bool, _ streams: Streams
  ) throws {
    for (index, exchange) in recording.exchanges.enumerated() {
      let received: TransportResponse? =
        if case .success(let response) = exchange.result { response } else { nil }
      let response = received.flatMap { try? IDXResponse(parsing: $0.body) }
      if asJSON {
        guard let response else { continue }
        try streams.result(
          ResponseSummary(response).json.adding("exchange", JSONValue(index + 1)))
      } else {
        let end = received.map { "HTTP \($0.status)" } ?? "no response"
        let head =
          "\(title), exchange \(index + 1): \(exchange.request.method) "
          + "\(exchange.request.url.path), \(end)"
        try streams.result(
          text: response.map { ResponseTree(response: $0).text(titled: head) } ?? head.sanitized)
      }
    }
  }
}

/// A response as an indented tree, without fixed values, which are IDs and handles.
struct ResponseTree {
  /// What is said about a name that the package does not know, which a sign-in shows as a form.
  private static let isNew = "; new: this version does not know the name"

  let response: IDXResponse

  func text(titled title: String) -> String {
    var lines: [String] = [title.sanitized]
    let facts = [
      response.intent.map { "intent \($0)" }, response.expiresAtText.map { "expires \($0)" },
      response.user?.identifier.map { "user \($0)" },
      response.application?.label.map { "app \($0)" },
    ].compactMap(\.self)
    if !facts.isEmpty { lines.append("  " + facts.joined(separator: ", ").sanitized) }
    lines += response.messages.map { "  " + line(for: $0) }
    for remediation in response.remediations { lines += self.lines(for: remediation) }
    if response.issue != nil { lines.append("  signed in: contains an interaction code") }
    if response.raw["success"]?.object != nil {
      lines.append(
        "  signed in: \(response.successRedirect == nil ? "has no address" : "has an address for the browser")"
      )
    }
    let actions = response.actions.map(\.name.rawValue).filter { $0 != "success-redirect" }
    if !actions.isEmpty { lines.append("  also: " + actions.joined(separator: ", ").sanitized) }
    if let challenge = response.deviceChallenge {
      lines.append("  challenge for Okta Verify by \(challenge.method)".sanitized)
    }
    for authenticator in response.authenticators { lines.append("  " + line(for: authenticator)) }
    return lines.joined(separator: "\n")
  }

  private func lines(for remediation: Remediation) -> [String] {
    var head = "\(remediation.name)"
    if !remediation.authenticators.isEmpty {
      head += " with \(remediation.authenticators.map(\.description).joined(separator: ", "))"
    }
    if let refresh = remediation.refresh { head += ", polled every \(seconds(refresh))" }
    if let provider = remediation.raw["idp"]?["name"]?.string { head += " to \(provider)" }
    if !remediation.canBeSent { head += ", in a browser" }
    if !Remediation.Name.known.contains(remediation.name) { head += Self.isNew }
    return ["  " + head.sanitized] + remediation.messages.map { "    " + line(for: $0) }
      + lines(for: remediation.form, indent: "    ")
  }

  private func lines(for form: Remediation.Form, indent: String) -> [String] {
    form.fields.filter { !$0.isFixed }.flatMap { field -> [String] in
      var head = "\(field.name)"
      if let label = field.label { head += " “\(label)”" }
      let traits = [
        field.type.map(\.rawValue), field.isRequired ? "required" : nil,
        field.isSecret ? "secret" : nil, field.isVisible ? nil : "hidden",
        field.isMutable ? nil : "fixed", field.hint.map { "for \($0)" },
      ].compactMap(\.self)
      if !traits.isEmpty { head += " (\(traits.joined(separator: ", ")))" }
      var lines = [indent + head.sanitized]
      lines += field.messages.map { indent + "  " + line(for: $0) }
      if let form = field.form { lines += self.lines(for: form, indent: indent + "  ") }
      for option in field.choices {
        let key = option.authenticator?.key.map { " (\($0.rawValue.shortened(to: 200)))" } ?? ""
        let label = (option.label ?? option.value?.text ?? "no label") + key
        lines.append(indent + "  - " + label.sanitized)
        if let form = option.form { lines += self.lines(for: form, indent: indent + "    ") }
      }
      return lines
    }
  }

  private func line(for message: IDXMessage) -> String {
    let kind = message.kind?.rawValue ?? "MESSAGE"
    let key = message.key.map { " [\($0)]" } ?? ""
    let links = message.links.map { " <\($0.text)>" }.joined()
    return "\(kind): \(message.text ?? "no text")\(key)\(links)".sanitized
  }

  private func line(for authenticator: IDXAuthenticator) -> String {
    let place = authenticator.container.rawValue + (authenticator.index.map { "[\($0)]" } ?? "")
    let methods = authenticator.methods.map(\.rawValue).joined(separator: ", ")
    let actions = authenticator.actions.map(\.name.rawValue).joined(separator: ", ")
    let how = methods.isEmpty ? "" : " by \(methods)"
    let what = actions.isEmpty ? "" : "; actions \(actions)"
    let isKnown = authenticator.key.map(IDXAuthenticator.Key.known.contains) ?? true
    return "\(place): \(authenticator)\(how)\(what)\(isKnown ? "" : Self.isNew)".sanitized
  }

  /// A duration in seconds: `4 s`.
  private func seconds(_ duration: Duration) -> String {
    let (seconds, rest) = duration.components
    return rest == 0 ? "\(seconds) s" : "\(duration)"
  }
}
