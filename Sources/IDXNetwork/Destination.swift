public import IDXOAuth
import Foundation

extension TransportError.Code {
  /// The request itself is not fit to be sent.
  ///
  /// Its address names a user, has no host or has a form that the system cannot use; its method or
  /// a header field could be read as more than itself.
  public static let requestRefused: Self = "request_refused"
}

extension TransportRequest {
  /// The method, the host and the path as they were sent, for the text of an error.
  ///
  /// The path stays percent-encoded, so that it brings no control characters to a terminal.
  var attempt: String {
    let verb = method.filter(\.isASCIILetter)
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(verb) \(url.host(percentEncoded: true) ?? "")\(port)\(url.path(percentEncoded: true))"
  }

  /// Whether the request asks for nothing to be done, so that sending it twice does no harm.
  var isSafe: Bool { method == "GET" || method == "HEAD" }

  /// Throws unless the address is https, or http on this machine, and names no user.
  func checkDestination() throws(TransportError) {
    let host = url.host(percentEncoded: true) ?? ""
    switch url.scheme?.lowercased() {
    case "https": break
    case "http" where Origin.isLoopback(host): break
    case let scheme:
      throw TransportError(
        .schemeRefused,
        message: "\(attempt) was not sent: \(scheme ?? "an address without a scheme") to"
          + " \(host.isEmpty ? "no host" : host) is refused; it takes https, or http to a loopback"
          + " address.",
        mayHaveArrived: false)
    }
    if host.isEmpty {
      throw refusal("its address has no host")
    }
    if url.user(percentEncoded: true) != nil || url.password(percentEncoded: true) != nil {
      throw refusal("its address names a user")
    }
  }

  /// Throws where the method or a header field could be read as more than itself.
  func checkSyntax() throws(TransportError) {
    if method.isEmpty || !method.allSatisfy(\.isASCIILetter) {
      throw refusal("its method is not a word")
    }
    for (name, value) in headers {
      let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
      if !isName || value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
        throw refusal("one of its header fields holds a control character or a wrong name")
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
