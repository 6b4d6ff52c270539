import Foundation
public import IDXOAuth

extension TransportError.Code {
  /// The request cannot be sent as it is.
  ///
  /// Its address contains a username, has no host or has a form that the system does not support; or
  /// its method or a header field contains characters that are not allowed.
  public static let requestRefused: Self = "request_refused"
}

extension TransportRequest {
  /// The method, the host and the path, for messages.
  ///
  /// The path stays percent-encoded, so that it contains no control characters.
  var attempt: String {
    let verb = method.filter(\.isASCIILetter)
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(verb) \(url.host(percentEncoded: true) ?? "")\(port)\(url.path(percentEncoded: true))"
  }

  /// Whether the request changes nothing on the server, so that it may be sent twice.
  var isSafe: Bool { method == "GET" || method == "HEAD" }

  /// Throws unless the address is https, or http to this machine, and contains no username.
  func checkDestination() throws(TransportError) {
    let host = url.host(percentEncoded: true) ?? ""
    switch url.scheme?.lowercased() {
    case "https": break
    case "http" where Origin.isLoopback(host): break
    case let scheme:
      let reason =
        scheme.map { "\($0)\(host.isEmpty ? "" : " to \(host)") is not allowed" }
        ?? "the address has no scheme"
      throw TransportError(
        .schemeRefused,
        message: "\(attempt) was not sent: \(reason). Use https, or http to a loopback address.",
        mayHaveArrived: false)
    }
    if host.isEmpty {
      throw refusal("the address has no host")
    }
    if url.user(percentEncoded: true) != nil || url.password(percentEncoded: true) != nil {
      throw refusal("the address contains a username")
    }
  }

  /// Throws if the method or a header field could end its line and add others.
  func checkSyntax() throws(TransportError) {
    if method.isEmpty || !method.allSatisfy(\.isASCIILetter) {
      throw refusal("the method must consist of letters")
    }
    for (name, value) in headers {
      let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
      if !isName || value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
        throw refusal("a header field has an invalid name or contains a control character")
      }
    }
  }

  private func refusal(_ reason: String) -> TransportError {
    TransportError(
      .requestRefused, message: "\(attempt) was not sent: \(reason).", mayHaveArrived: false)
  }
}

extension Character {
  fileprivate var isASCIILetter: Bool { isASCII && isLetter }
}
