package import IDX
public import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A challenge of Okta FastPass that may be passed to Okta Verify on this computer.
///
/// The server names the addresses, and must not be able to search this computer or its network with them. So a
/// challenge is refused unless
/// - its request is a JWT that the org itself has issued for itself or for Okta Verify;
/// - the addresses are http of `localhost`, `127.0.0.1` or `[::1]`, or https of a name, which the transport connects
///   only if it stands for this computer;
/// - there are 1 to 8 ports, each at least 1024.
public struct LoopbackChallenge: Sendable, Hashable {
  /// The most ports that a challenge may name.
  public static let maximumPorts = 8
  /// How long Okta Verify may take to answer, while it asks the person: 300 seconds.
  public static let answerTimeout: Duration = .seconds(300)
  /// How long the search at all addresses may take, with all answers: 360 seconds.
  public static let totalTimeout: Duration = .seconds(360)

  /// What Okta Verify signs.
  public let request: Secret
  /// The value of the header field `Origin`, with which Okta Verify compares the request: the org.
  public let origin: String
  /// The addresses of Okta Verify without a path, in the order in which they are tried.
  public let addresses: [URL]
  /// Those of ``addresses`` that are this computer whatever a name stands for.
  ///
  /// Only they are for a client that cannot check where a connection leads, such as the script of a web page.
  public var localAddresses: [URL] {
    addresses.filter { Origin.isLoopback($0.host(percentEncoded: true) ?? "") }
  }
  /// How long to wait for each address, from 50 milliseconds to one second.
  public let probeTimeout: Duration

  /// Checks a challenge of an org, whose `issuer` is that of the configuration.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `unsafeChallenge` and the reason.
  package init(_ challenge: DeviceChallenge, issuer: URL) throws {
    guard challenge.method == .loopback, let request = challenge.request else {
      throw FlowError.unsafe("it is not for Okta Verify on this computer")
    }
    let org = Origin(issuer)
    try Self.check(request, of: org)
    let ports = challenge.ports
    guard (1...Self.maximumPorts).contains(ports.count) else {
      throw FlowError.unsafe(
        "it names \(ports.count) ports, and 1 to \(Self.maximumPorts) are allowed")
    }
    if let port = ports.first(where: { !(1024...65_535).contains($0) }) {
      throw FlowError.unsafe("it names the port \(port), and ports from 1024 are allowed")
    }
    let domains = [challenge.httpsDomain, challenge.domain].compactMap(\.self)
    guard !domains.isEmpty else { throw FlowError.unsafe("it names no address") }
    addresses = try domains.flatMap { domain in
      let base = try Self.base(of: domain)
      return try ports.map { port in
        guard let url = URL(string: "\(base):\(port)") else { throw Self.notHere(domain) }
        return url
      }
    }
    self.request = request
    origin = org.description
    probeTimeout = min(max(challenge.probeTimeout, .milliseconds(50)), .seconds(1))
  }

  /// The scheme and the host of a domain, which must be this computer and have nothing else.
  private static func base(of domain: String) throws -> String {
    guard domain.utf8.count <= 300, let url = URL(string: domain),
      let scheme = url.scheme?.lowercased(),
      let host = url.host(percentEncoded: true)?.lowercased(),
      case let name = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host,
      // A port, a username, a path or a query would make another text.
      domain.lowercased() == "\(scheme)://\(name)" || domain.lowercased() == "\(scheme)://\(name)/"
    else { throw notHere(domain) }
    // The lowercase letter of another sign, such as U+212A, can be one of ASCII.
    guard domain.utf8.allSatisfy({ $0 < 0x80 }) else { throw notHere(domain) }
    let isHere = ["localhost", "127.0.0.1", "[::1]"].contains(name)
    let isName = name.utf8.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
    }
    // The last label of a name is no number, as in an address, where it can be hexadecimal.
    let isAddress =
      name.split(separator: ".").last.map { $0.hasPrefix("0x") || $0.allSatisfy(\.isNumber) }
      ?? true
    guard scheme == "http" ? isHere : scheme == "https" && (isHere || isName && !isAddress) else {
      throw notHere(domain)
    }
    return "\(scheme)://\(name)"
  }

  private static func notHere(_ domain: String) -> FlowError {
    .unsafe(
      "it names the address “\(domain.printable.shortened(to: 60))”, which is not this computer")
  }

  /// Throws unless a request is a JWT that an org has issued for itself or for Okta Verify.
  ///
  /// Another server could pass on a challenge of this person's org, so that the person signs in there for it.
  static func check(_ request: Secret, of org: Origin) throws {
    guard request.revealed.utf8.count <= 1 << 16, let jwt = try? JWT(parsing: request),
      let claims = JSONDocument(parsingUnique: jwt.payload)?.value(0)
    else { throw FlowError.unsafe("its request is not a JWT") }
    guard claims["iss"]?.string.map({ isOf(org, $0) }) == true else {
      throw FlowError.unsafe("another org has issued its request")
    }
    let audience = claims["aud"]
    let audiences = audience?.array?.compactMap(\.string) ?? audience?.string.map { [$0] } ?? []
    let isForUs = audiences.contains { audience in
      isOf(org, audience) || isOktaVerify(audience)
    }
    guard isForUs else { throw FlowError.unsafe("its request is for another org") }
  }

  /// Whether a text is the address of an org, as everybody reads it: with its origin character by character.
  private static func isOf(_ org: Origin, _ text: String) -> Bool {
    let origin = org.description
    return text.utf8.elementsEqual(origin.utf8) || text.utf8.starts(with: (origin + "/").utf8)
  }

  /// Whether an audience is Okta Verify, as which it is registered at Okta: `okta.` and a UUID.
  private static func isOktaVerify(_ audience: String) -> Bool {
    audience.hasPrefix("okta.") && UUID(uuidString: String(audience.dropFirst(5))) != nil
  }
}

// The request proves who signs in.
extension LoopbackChallenge: Redacted {
  /// The org and the number of addresses.
  public var description: String { "challenge of \(origin) at \(addresses.count) addresses" }
}

extension DeviceChallenge {
  /// The link that opens Okta Verify; nil if the challenge has none.
  ///
  /// It must have the scheme `com-okta-authenticator` and a request that the org has issued, or be an https address of
  /// the org. Throws a ``/IDXOAuth/FlowError`` with the code `unsafeChallenge` for another.
  package func safeLink(issuer: URL) throws -> URL? {
    guard method != .loopback, let link else { return nil }
    let org = Origin(issuer)
    guard link.utf8.count <= 8000, let url = URL(string: link) else {
      throw FlowError.unsafe("its link is no address")
    }
    if url.scheme?.lowercased() == "com-okta-authenticator" {
      // Okta Verify may read another part of the text than this check, so only what was checked is passed on.
      let items = URLComponents(string: link)?.queryItems ?? []
      guard items.count == 1, items[0].name == "challengeRequest", let request = items[0].value
      else { throw FlowError.unsafe("its link has no request, or more than that") }
      try LoopbackChallenge.check(Secret(request), of: org)
      return URL(string: "com-okta-authenticator:/deviceChallenge?challengeRequest=\(request)")
    }
    guard url.scheme?.lowercased() == "https", Origin(url) == org, url.user == nil else {
      throw FlowError.unsafe("its link leads neither to Okta Verify nor to the org")
    }
    return url
  }
}

extension FlowError.Code {
  /// The server's challenge for Okta Verify is not safe to pass on.
  public static let unsafeChallenge: Self = "unsafe_challenge"
}

extension FlowError {
  fileprivate static func unsafe(_ reason: String) -> FlowError {
    FlowError(
      .unsafeChallenge,
      "The server's challenge for Okta Verify was not passed on, because \(reason).")
  }
}
