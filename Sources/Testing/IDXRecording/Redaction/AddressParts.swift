import IDXBase
import IDXOAuth

/// The parts of an address as they are written, with their escapes (RFC 3986, appendix B).
///
/// The setters of `URLComponents` end the program if a part has an invalid character.
struct AddressParts {
  var scheme: String
  /// What stands between `//` and the path: the user, the host and the port; nil without `//`.
  var authority: (user: String?, host: String, port: String?)?
  var path: String
  var query: String?
  var fragment: String?

  /// Reads an address; nil if it has no valid scheme.
  init?(_ address: String) {
    guard let colon = address.firstIndex(of: ":") else { return nil }
    scheme = String(address[..<colon])
    guard scheme.first?.isLetter == true,
      scheme.utf8.allSatisfy({ $0.isASCIIAlphanumeric || ".-+".utf8.contains($0) })
    else { return nil }
    var rest = address[colon...].dropFirst()
    // What is behind a sign, which is removed.
    func cut(at sign: Character) -> String? {
      guard let index = rest.firstIndex(of: sign) else { return nil }
      defer { rest = rest[..<index] }
      return String(rest[index...].dropFirst())
    }
    fragment = cut(at: "#")
    query = cut(at: "?")
    if rest.hasPrefix("//") {
      rest = rest.dropFirst(2)
      var host = rest.prefix { $0 != "/" }
      rest = rest[host.endIndex...]
      var user: String?
      if let at = host.lastIndex(of: "@") {
        user = String(host[..<at])
        host = host[at...].dropFirst()
      }
      var port: String?
      if let colon = host.lastIndex(of: ":"), !host[colon...].contains("]") {
        port = String(host[colon...].dropFirst())
        host = host[..<colon]
      }
      authority = (user, String(host), port)
    }
    path = String(rest)
  }

  /// The whole address.
  var text: String {
    var text = "\(scheme):"
    if let authority {
      text += "//\(authority.user.map { "\($0)@" } ?? "")\(authority.host)"
      text += authority.port.map { ":\($0)" } ?? ""
    }
    text += path
    if let query { text += "?\(query)" }
    if let fragment { text += "#\(fragment)" }
    return text
  }

  /// Whether a text begins like an address: `https://` or `com.example.app:/`.
  var isWhole: Bool {
    (authority != nil || path.hasPrefix("/")) && !text.contains(" ")
  }

  /// A part of a path without escapes, also if it was escaped several times.
  static func withoutEscapes(_ part: some StringProtocol) -> String {
    var text = String(part)
    for _ in 0..<4 where text.contains("%") {
      text = FormURLEncoding.percentDecode(text.utf8) ?? text
    }
    return text
  }
}
