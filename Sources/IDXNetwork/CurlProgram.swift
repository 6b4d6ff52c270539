#if canImport(FoundationNetworking)
  import Foundation
  import IDXBase
  import IDXOAuth
  import IDXSystem

  /// Sends requests with the program `curl`, for certificate authorities that are not those of the system.
  ///
  /// FoundationNetworking for Linux always trusts the authorities of the system, and those alone: it has no
  /// delegate method for certificates, it sets the file itself, and libcurl reads no variable that names
  /// another. The program uses the same library with the same proxies, and can be told what to trust.
  ///
  /// The request is in the standard input, because other users can see arguments. Source: the manual page of
  /// curl 7.76.
  struct CurlProgram {
    let authorities: CertificateAuthorities
    let limits: URLSessionTransport.Limits

    private static let missing = TransportError(
      .requestRefused,
      message:
        "Certificate authorities other than those of the system need the program curl, which is "
        + "not installed. Install it, for example: apt-get install curl. Or use those of the system.",
      mayHaveArrived: false)

    /// Sends a request that was checked; `attempt` describes it for errors.
    func send(
      _ request: TransportRequest, attempt: String
    ) async throws -> TransportResponse {
      let environment = ProcessInfo.processInfo.environment
      guard
        let curl = ExternalProgram(
          named: "curl", environment: environment, longestOutput: limits.body + 1 << 20)
      else {
        throw Self.missing
      }
      let outcome: ExternalProgram.Outcome
      do {
        outcome = try await curl.run(["-q", "--config", "-"], input: settings(for: request))
      } catch is ExternalProgram.OutputTooLong {
        throw TransportFailure.responseTooLarge(limits.body).error(attempt: attempt, cause: nil)
      } catch let failure as SystemFailure {
        // Nothing was sent.
        throw TransportError(
          [EMFILE, ENFILE].contains(failure.code) ? .noDescriptors : .requestRefused,
          message: "The program curl cannot be run: \(failure).", mayHaveArrived: false)
      }
      let failure = failure(outcome)
      if let failure { throw failure.error(attempt: attempt, cause: nil) }
      guard let response = TransportResponse(http: outcome.bytes) else {
        throw TransportFailure.notHTTP.error(attempt: attempt, cause: nil)
      }
      guard response.body.count <= limits.body else {
        throw TransportFailure.responseTooLarge(limits.body).error(attempt: attempt, cause: nil)
      }
      return response
    }

    /// The request and the options, in the format of curl's configuration files.
    func settings(for request: TransportRequest) -> String {
      var lines = [
        "silent", "show-error", "include", "suppress-connect-headers", "http1.1", "globoff",
        #"proto = "=https""#, Self.line("cacert", authorities.file),
        // Otherwise the folder of the system would be searched too. This one contains nothing.
        Self.line("capath", "/dev/null"),
        Self.line("max-time", "\(limits.time / .seconds(1))"),
        Self.line("url", request.url.absoluteString), Self.line("request", request.method),
        // Otherwise curl would wait for the server before it sends a long body.
        Self.line("header", "Expect:"),
      ]
      lines += request.headers.sorted { $0.key < $1.key }.map { name, value in
        // A field without a value is removed unless it ends with a semicolon.
        Self.line("header", value.isEmpty ? "\(name);" : "\(name): \(value)")
      }
      if !request.body.isEmpty {
        lines.append(Self.line("data-raw", String(decoding: request.body, as: UTF8.self)))
      }
      return lines.joined(separator: "\n") + "\n"
    }

    private static func line(_ name: String, _ value: String) -> String {
      var quoted = ""
      for scalar in value.unicodeScalars {
        switch scalar {
        case "\\": quoted += #"\\"#
        case "\"": quoted += #"\""#
        case "\n": quoted += #"\n"#
        case "\r": quoted += #"\r"#
        case "\t": quoted += #"\t"#
        default: quoted.unicodeScalars.append(scalar)
        }
      }
      return #"\#(name) = "\#(quoted)""#
    }

    /// Why there is no response; nil if there is one.
    private func failure(_ outcome: ExternalProgram.Outcome) -> TransportFailure? {
      let detail =
        outcome.errors.split(separator: "\n").first.map {
          String($0).printable.withoutUserInfo
        } ?? ""
      return switch outcome.status {
      case 0: nil
      case 5, 97: .proxyFailed(detail)
      case 56 where detail.contains("CONNECT"): .proxyFailed(detail)
      case 6: .hostNotFound
      case 7: .connectionRefused
      case 28: .timeLimit(limits.time, answered: false)
      case 35, 53, 54, 59, 66, 83, 90: .tlsFailed(detail)
      case 51, 60, 77, 82, 91: .untrustedCertificate(detail)
      case 1, 8: .notHTTP
      case 3: .unsupportedAddress
      case 18, 52, 55, 56: .connectionLost
      case 63: .responseTooLarge(limits.body)
      default: .other(detail)
      }
    }
  }

  extension TransportResponse {
    /// Reads a response with its status line and header fields; nil if it is not HTTP.
    ///
    /// Responses with a status below 200 come before it and are skipped. Fields with the same name are
    /// joined by commas (RFC 9110, section 5.3).
    init?(http bytes: [UInt8]) {
      var rest = bytes[...]
      while true {
        guard let head = rest.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
        let text = String(decoding: rest[..<head.lowerBound], as: UTF8.self)
        rest = rest[head.upperBound...]
        let lines = text.split(separator: "\r\n")
        let words = lines.first?.split(separator: " ") ?? []
        // Each field is compared with the others, so their number is limited.
        guard words.count >= 2, lines.count <= 250, words[0].hasPrefix("HTTP/"),
          let status = Int(words[1])
        else { return nil }
        if status < 200 { continue }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          guard let colon = line.firstIndex(of: ":") else { continue }
          let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
          let name = String(line[..<colon])
          let known = headers.keys.first { $0.lowercased() == name.lowercased() } ?? name
          headers[known] = headers[known].map { "\($0), \(value)" } ?? value
        }
        self.init(status: status, headers: headers, body: Array(rest))
        return
      }
    }
  }
#endif
