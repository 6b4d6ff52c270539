public import IDXBase

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The cookies of one sign-in.
///
/// They tell the server which device it talks to, and sometimes which of its sessions. A jar belongs to the
/// origin of one issuer: it takes cookies only from there, and nothing else gets them. It holds at most
/// 50 cookies and 16 KiB; if there are more, the oldest are dropped. The
/// encoded form contains the cookies in the clear. Source: RFC 6265.
public struct CookieJar: Sendable, Hashable {
  /// The largest number of cookies: 50.
  static let maximumCount = 50
  /// The largest number of bytes of all names, values and paths: 16 KiB.
  static let maximumSize = 16 << 10

  /// The issuer to whose origin the cookies belong.
  private let issuer: URL
  /// The cookies, oldest first.
  private var cookies: [Cookie] = []

  /// Creates an empty jar for the origin of an issuer.
  package init(issuer: URL) { self.issuer = issuer }

  /// Whether there are no cookies.
  public var isEmpty: Bool { cookies.isEmpty }

  /// Whether the cookies belong to the origin of this issuer.
  package func belongs(to other: URL) -> Bool { Origin(issuer) == Origin(other) }

  /// The cookies by which the org knows the device again (`DT`), without those of the sign-in itself.
  ///
  /// Keep it apart from the tokens, and start the next sign-in of the same person on the same device with it: without
  /// it, each sign-in is one from a new device. It contains a secret.
  public var device: CookieJar {
    var jar = self
    jar.cookies.removeAll { $0.name != "DT" || $0.expiresAt == nil }
    return jar
  }

  /// The value of the header field `Cookie` for a request; nil if there is none (section 5.4).
  package func header(for url: URL, at now: Date) -> String? {
    guard !cookies.isEmpty, belongs(to: url) else { return nil }
    let path = Self.path(of: url)
    let sent = cookies.filter { !$0.hasExpired(at: now) && $0.applies(to: path) }
    guard !sent.isEmpty else { return nil }
    // Longer paths first, and then older cookies; sorting keeps no order by itself.
    let ordered = sent.enumerated().sorted {
      ($1.element.path.utf8.count, $0.offset) < ($0.element.path.utf8.count, $1.offset)
    }
    return ordered.map { "\($0.element.name)=\($0.element.value.revealed)" }
      .joined(separator: "; ")
  }

  /// Takes the cookies of the header field `Set-Cookie` in a response (section 5.3).
  ///
  /// Several header fields may be joined by commas. What is damaged, too long, or meant for another host or
  /// for https only is ignored.
  package mutating func take(_ field: String, from url: URL, at now: Date) {
    guard belongs(to: url) else { return }
    for text in SetCookie.texts(in: field) {
      guard let new = SetCookie(text, at: now),
        new.domain.map({ Self.host(of: url, isIn: $0) }) ?? true,
        !new.isSecure || url.scheme?.lowercased() == "https"
      else { continue }
      add(
        Cookie(
          name: new.name, value: new.value, path: new.path ?? Self.defaultPath(of: url),
          expiresAt: new.expiresAt), at: now)
    }
  }

  private mutating func add(_ cookie: Cookie, at now: Date) {
    cookies.removeAll { $0.hasExpired(at: now) }
    guard cookie.isValid else { return }
    let old = cookies.firstIndex { $0.name == cookie.name && $0.path == cookie.path }
    switch (old, cookie.hasExpired(at: now)) {
    case (let old?, true): cookies.remove(at: old)
    case (let old?, false): cookies[old] = cookie
    case (nil, true): return
    case (nil, false): cookies.append(cookie)
    }
    var size = cookies.reduce(0) { $0 + $1.size }
    while cookies.count > Self.maximumCount || size > Self.maximumSize {
      size -= cookies.removeFirst().size
    }
  }

  // MARK: Hosts and paths

  private static func path(of url: URL) -> String {
    let path = url.path(percentEncoded: true)
    return path.hasPrefix("/") ? path : "/"
  }

  /// The folder of an address (section 5.1.4).
  private static func defaultPath(of url: URL) -> String {
    let folder = path(of: url).split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return folder.count > 1 ? folder.joined(separator: "/") : "/"
  }

  /// Whether the host of an address is a domain, or below it (section 5.1.3).
  private static func host(of url: URL, isIn domain: String) -> Bool {
    let host = Origin(url).host
    // A domain cannot end with a number, which the address of a computer does.
    return host == domain || (host.hasSuffix("." + domain) && host.last?.isNumber == false)
  }
}

/// A stored cookie.
private struct Cookie: Sendable, Hashable, Codable {
  let name: String
  let value: Secret
  let path: String
  /// When it expires; nil for a cookie that lasts as long as the sign-in.
  let expiresAt: Date?

  var size: Int { name.utf8.count + value.revealed.utf8.count + path.utf8.count }

  /// Whether it can be sent in a header field, and is not too long (section 6.1).
  var isValid: Bool {
    let maximumSize = 4096
    return !name.isEmpty && size <= maximumSize && path.hasPrefix("/")
      && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"=;,".utf8.contains($0) }
      && value.revealed.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && $0 != UInt8(ascii: ";") }
  }

  func hasExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// Whether it is sent with requests for a path (section 5.1.4).
  func applies(to requested: String) -> Bool {
    requested == path || requested.hasPrefix(path.hasSuffix("/") ? path : path + "/")
  }
}

extension CookieJar: Redacted {
  /// The number of cookies, and the issuer.
  public var description: String {
    "\(cookies.count == 1 ? "1 cookie" : "\(cookies.count) cookies") of \(issuer)"
  }
}

extension CookieJar: Codable {
  private enum CodingKeys: CodingKey { case issuer, cookies }

  /// Reads what ``encode(to:)`` wrote; throws a `DecodingError` if it is damaged.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    issuer = try container.decode(URL.self, forKey: .issuer)
    let read = try container.decode([Cookie].self, forKey: .cookies)
    guard read.allSatisfy(\.isValid), read.count <= Self.maximumCount,
      read.reduce(0, { $0 + $1.size }) <= Self.maximumSize
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .cookies, in: container, debugDescription: "There are damaged or too many cookies.")
    }
    cookies = read
  }

  /// Writes the cookies in the clear.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(issuer, forKey: .issuer)
    try container.encode(cookies, forKey: .cookies)
  }
}

// MARK: - Requests

/// The cookies of a sign-in while a client sends requests for it.
package final class CookieKeeper: Sendable {
  private let stored: Locked<CookieJar>
  private let now: @Sendable () -> Date

  package init(_ jar: CookieJar, now: @escaping @Sendable () -> Date) {
    stored = Locked(jar)
    self.now = now
  }

  /// The cookies after all requests so far.
  package var jar: CookieJar { stored.withLock { $0 } }

  func take(_ response: TransportResponse, to request: TransportRequest) {
    guard let field = response.header("Set-Cookie") else { return }
    let time = now()
    stored.withLock { $0.take(field, from: request.url, at: time) }
  }
}
