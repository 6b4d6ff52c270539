/// A transport that asks the server for texts in a language (`Accept-Language`, RFC 9110, section 12.5.4).
///
/// One transport can serve sign-ins in many languages, because this is only a wrapper:
///
///     let transport = LanguageTransport(shared, language: words.language)
///     let client = IDXClient(transport: transport)
///
/// A server that has no texts in the language sends those of its own.
public struct LanguageTransport: Transport {
  private let transport: any Transport
  private let language: String

  /// Creates a transport; `language` is a tag such as `de` or `pt-BR` (RFC 5646).
  ///
  /// Characters that a tag does not have are left out, so that it cannot add other header fields.
  public init(_ transport: any Transport, language: String) {
    self.transport = transport
    self.language = language.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  }

  /// Sends the request with the language, unless it already asks for one.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    var request = request
    if !language.isEmpty, request.headers["Accept-Language"] == nil {
      request.headers["Accept-Language"] = "\(language), *;q=0.5"
    }
    return try await transport.send(request)
  }
}

extension LanguageTransport: Redacted {
  /// The language.
  public var description: String { "transport in \(language)" }
}
