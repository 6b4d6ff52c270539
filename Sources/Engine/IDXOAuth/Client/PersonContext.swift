public import IDXBase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// For whom requests are sent: the computer and the browser of a person, for a server that signs people in.
///
/// An org judges a sign-in by where it comes from: network zones, known devices, the place in a push. Without a context
/// it sees the server. A client that acts for a person sends the context with each request:
///
///     let context = try PersonContext(address: "203.0.113.7", browser: request.headers["user-agent"])
///     let state = try await client.acting(for: context).start(configuration)
///
/// The org uses the address only if the server is a trusted proxy in one of its network zones.
public struct PersonContext: Sendable, Hashable {
  /// The IP address of the person's computer (`X-Forwarded-For`); nil if it is unknown.
  ///
  /// Never take it from a header field of a request, unless a proxy of your own has written that field: anybody could
  /// name any address.
  public let address: String?
  /// What the person's browser calls itself (`X-Okta-User-Agent-Extended`); nil for the name of this package and
  /// ``app``.
  public let browser: String?
  /// The ID of the person's device (`X-Device-Token`; with the classic API `context.deviceToken`, of which that takes
  /// 32 characters); nil if it is unknown.
  public let deviceToken: Secret?
  /// The language of texts, such as `de` (`Accept-Language`); nil for what the transport asks for.
  public let language: String?
  /// The name and the version of the app, such as `Shop/2.1`, added to the name of this package; nil for none.
  public let app: String?

  /// Creates a context.
  ///
  /// Of the browser, the language and the app, characters that a header field cannot have are left out, and what is
  /// longer than 500 characters. Throws a ``FlowError`` with the code `invalidConfiguration` if the address is not an IP
  /// address, or if the device token has other characters than visible ones of ASCII, or more than 4096.
  public init(
    address: String? = nil, browser: String? = nil, deviceToken: Secret? = nil,
    language: String? = nil, app: String? = nil
  ) throws {
    if let address, !Self.isAddress(address) {
      throw FlowError(
        .invalidConfiguration, "“\(address.printable.shortened(to: 60))” is not an IP address.")
    }
    let token = deviceToken?.revealed
    guard token?.utf8.count ?? 1 <= 4096, token?.isEmpty != true, token?.isVisibleASCII ?? true
    else { throw FlowError(.invalidConfiguration, "The device token cannot be sent.") }
    self.address = address
    self.browser = browser.flatMap(Self.cleaned)
    self.deviceToken = deviceToken
    self.language = language.flatMap(Self.cleaned)
    self.app = app.flatMap(Self.cleaned)
  }

  private init() { (address, browser, deviceToken, language, app) = (nil, nil, nil, nil, nil) }

  /// A context of nobody in particular.
  public static let own = PersonContext()

  private static func cleaned(_ text: String) -> String? { text.headerFieldValue(atMost: 500) }

  /// Whether a text is an IPv4 or IPv6 address in its usual form.
  private static func isAddress(_ text: String) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    return !text.utf8.contains(0)
      && (inet_pton(AF_INET, text, &bytes) == 1 || inet_pton(AF_INET6, text, &bytes) == 1)
  }
}

extension PersonContext {
  /// The header fields of each request.
  var headers: [String: String] {
    var headers = [
      "X-Okta-User-Agent-Extended": browser
        ?? ([Self.product] + [app].compactMap(\.self)).joined(separator: " ")
    ]
    headers["X-Forwarded-For"] = address
    headers["X-Device-Token"] = deviceToken?.revealed
    headers["Accept-Language"] = language
    return headers
  }

  /// The name of this package, of the language and of the platform.
  private static let product = "idx-flow/\(Product.version) swift/6 \(Product.system)"
}

// A device token tells an org whose device this is.
extension PersonContext: Redacted {
  /// The address and the browser.
  public var description: String {
    "requests for \(address ?? "this computer")\(browser.map { " with \($0.shortened(to: 60))" } ?? "")"
  }
}
