import Foundation
public import IDXBase
import IDXSystem

extension TransportError.Code {
  /// The request cannot be sent as it is.
  ///
  /// Its address contains a username, has no host or has a form that the system does not support; its method or
  /// a header field contains characters that are not allowed; or the system has no library that can send it.
  public static let requestRefused: Self = "request_refused"
  /// The proxy refused to connect the request to the server, and would do so again.
  public static let proxyRefused: Self = "proxy_refused"
  /// The process has no file descriptors left for a connection.
  public static let noDescriptors: Self = "no_descriptors"
}

extension TransportRequest {
  /// The method and the ``place``, for messages.
  var attempt: String { "\(method.filter(\.isASCIILetter)) \(place)" }

  /// Throws unless the address is https, or http to this computer, and contains no username.
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
        message:
          "\(attempt) was not sent: \(reason). Use https; plain http is allowed only for a server on this computer.",
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
    if method == "HEAD", !body.isEmpty {
      throw refusal("a request with the method HEAD has no body")
    }
    for (name, value) in headers {
      let isName = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }
      if !isName || value.utf8.contains(where: { ($0 < 0x20 && $0 != 0x09) || $0 == 0x7F }) {
        throw refusal("a header field has an invalid name or contains a control character")
      }
    }
  }

  /// Whether the request stays on this computer.
  var isForLoopback: Bool { Origin.isLoopback(url.host(percentEncoded: true) ?? "") }

  /// Checks what must hold for every request before it is sent; returns its proxy, or nil if there is none.
  func check() throws(TransportError) -> NetworkEnvironment.Proxy? {
    try checkDestination()
    try checkSyntax()
    return try checkEnvironment(.process)
  }

  /// The proxy that the environment names for the request; nil if there is none.
  ///
  /// Throws if the environment makes the system reveal secrets. Only Linux reads the environment.
  func checkEnvironment(
    _ environment: NetworkEnvironment
  ) throws(TransportError) -> NetworkEnvironment.Proxy? {
    #if os(Linux)
      if let name = environment.revealingVariable {
        throw refusal(
          "the environment variable \(name) would reveal passwords and tokens. Remove it")
      }
      return environment.proxy(for: url)
    #else
      return nil
    #endif
  }

  /// Throws if the process has almost no file descriptors left.
  ///
  /// A lack of them while a name is looked up or certificates are read looks like another failure.
  func checkDescriptors() throws(TransportError) {
    guard !ProcessLimits.canOpenFiles(Self.neededDescriptors) else { return }
    throw TransportError(
      .noDescriptors,
      message:
        "\(attempt) was not sent: this process has too many open files and connections. Close "
        + "some, or raise the limit (ulimit -n).",
      mayHaveArrived: false)
  }

  /// A request needs about five; the rest is for requests that start at the same time.
  private static let neededDescriptors = 16

  /// The error for a request that is not sent for a reason.
  func refusal(_ reason: String) -> TransportError {
    TransportError(
      .requestRefused, message: "\(attempt) was not sent: \(reason).", mayHaveArrived: false)
  }
}

extension Character {
  fileprivate var isASCIILetter: Bool { isASCII && isLetter }
}
