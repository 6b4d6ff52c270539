package import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Removes the secrets of a request from texts of the server, and shortens them.
///
/// A server may quote the code or the token that it refuses: in another case, percent-encoded or in
/// Base64, or with invisible characters between its letters. The work is limited, whatever the server sends.
package struct SecretRedactor: Sendable {
  /// The longest text that is quoted, in Unicode scalars: a character can have any number of them.
  private static let longestText = 2000
  /// More secrets than in any real request; their lengths together are limited too.
  private static let maximumCount = 200
  private static let maximumSize = 64 << 10

  private let secrets: [String]
  private let minimumLength: Int
  /// Whether there are so many secrets that searching for all of them could take too long.
  private let hasTooManySecrets: Bool

  /// Finds the secrets of a request: credentials in header fields, and all parameters and members of
  /// the body that are not known to be harmless.
  package init(_ request: TransportRequest) {
    var found: [String] = []
    for (name, value) in request.headers {
      switch name.lowercased() {
      case "authorization": found += Self.secrets(inAuthorization: value)
      case "cookie": found += Self.values(ofCookies: value)
      case "dpop": found.append(value)
      default: break
      }
    }
    if let json = try? JSONValue(parsing: request.body) {
      Self.collect(json, named: "", into: &found)
    } else {
      Self.collect(String(decoding: request.body, as: UTF8.self), into: &found)
    }
    Self.collect(request.url.query(percentEncoded: true) ?? "", into: &found)
    self.init(found)
  }

  /// Removes these secrets, except those with fewer bytes.
  ///
  /// By default, 6: shorter texts are not handles or tokens, and replacing them would say more than it
  /// hides.
  package init(_ secrets: [Secret], minimumLength: Int = 6) {
    self.init(secrets.map(\.revealed), minimumLength: minimumLength)
  }

  private init(_ texts: [String], minimumLength: Int = 6) {
    self.minimumLength = minimumLength
    secrets = texts.filter { $0.utf8.count >= minimumLength }
    hasTooManySecrets =
      secrets.count > Self.maximumCount
      || secrets.reduce(0) { $0 + $1.utf8.count } > Self.maximumSize
  }

  /// A text without the secrets, cut after 2,000 scalars; if there are too many secrets to search
  /// for, nothing of it is left.
  package func removed(from text: String) -> String {
    guard !hasTooManySecrets else { return Self.replacement }
    let forms = secrets.flatMap { Self.mayContain(text, $0) ? SecretForm.all(of: $0) : [] }
    if forms.isEmpty { return text.shortened(to: Self.longestText) }
    // Long enough for a secret that begins before the end. Equivalent texts differ in length.
    let longest = forms.map(\.unicodeScalars.count).max() ?? 0
    var search = TextSearch(text, upTo: Self.longestText + 4 * longest)
    for form in forms { search.hide(form, minimumLength: minimumLength) }
    // The length is limited already, but not the number of lines.
    return search.shown(upTo: Self.longestText, replacement: Self.replacement)
      .shortened(to: .max)
  }

  /// An ID without the secrets, cut after 250 scalars; every response has one, so this is quick if it is
  /// short and contains no secret in the clear.
  package func cleanedID(_ id: String) -> String {
    let lowercase = id.lowercased()
    // “[” may begin an escape sequence.
    let isOrdinary =
      id.utf8.count <= 100 && id.utf8.allSatisfy { Self.isVisible($0) && $0 != UInt8(ascii: "[") }
      && !secrets.contains { lowercase.containsBytes(of: $0.lowercased()) }
    return isOrdinary ? id : removed(from: id).shortened(to: 250)
  }

  /// An error without the secrets.
  package func removed(from error: OAuthError) -> OAuthError {
    OAuthError(
      OAuthError.Code(rawValue: removed(from: error.code.rawValue)),
      description: error.explanation.map(removed))
  }

  private static let replacement = Secret("").description

  /// A quick check: all forms of a secret have at least as many characters.
  ///
  /// Only for visible ASCII, because other characters can be longer than their equivalents.
  private static func mayContain(_ text: String, _ secret: String) -> Bool {
    let isPlain = text.utf8.allSatisfy(isVisible) && secret.utf8.allSatisfy(isVisible)
    return !isPlain || secret.utf8.count <= text.utf8.count
  }

  private static func isVisible(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }

  /// Parameters that say who asks for what; an error without them would not help.
  private static let harmless: Set = [
    "client_id", "scope", "redirect_uri", "grant_type", "token_type_hint", "code_challenge_method",
    "max_age", "acr_values", "prompt", "login_hint", "identifier", "username", "userProfile",
    "authenticator", "intent", "channel_hint", "challenge_hint", "challenge_types_supported",
    "grant_types_supported", "factorType", "provider", "response_type", "response_mode",
  ]

  /// The credentials of a header field `Authorization`, also the client secret in them.
  private static func secrets(inAuthorization value: String) -> [String] {
    let credentials = value.split(separator: " ").dropFirst().map(String.init)
    let pairs = credentials.compactMap { Data(base64Encoded: $0) }
    let passwords = pairs.compactMap { pair in
      pair.firstIndex(of: UInt8(ascii: ":"))
        .flatMap { FormURLEncoding.percentDecode(pair[($0 + 1)...], plusAsSpace: true) }
    }
    return credentials + passwords
  }

  private static func values(ofCookies field: String) -> [String] {
    field.split(separator: ";").compactMap { pair in
      pair.firstIndex(of: "=").map { String(pair[pair.index(after: $0)...]) }
    }
  }

  private static func collect(_ parameters: String, into found: inout [String]) {
    for (name, value) in FormURLEncoding.decode(parameters) ?? [] where !harmless.contains(name) {
      found.append(value)
    }
  }

  private static func collect(_ json: JSONValue, named name: String, into found: inout [String]) {
    guard !harmless.contains(name) else { return }
    if let text = json.string { found.append(text) }
    for element in json.array ?? [] { collect(element, named: "", into: &found) }
    for member in json.object?.members ?? [] {
      collect(member.value, named: member.name, into: &found)
    }
  }
}

/// The forms in which a server may write a secret.
private enum SecretForm {
  static func all(of secret: String) -> Set<String> {
    let bytes = Array(secret.utf8)
    var forms: Set = [
      secret, FormURLEncoding.percentEncode(secret),
      FormURLEncoding.percentEncode(secret, spaceAsPlus: true),
    ]
    for text in [Base64URL.encode(bytes)] + (0..<3).map({ base64(bytes, after: $0) }) {
      forms.insert(text)
      forms.insert(String(decoding: text.utf8.map(standardBase64), as: UTF8.self))
    }
    return forms
  }

  /// A character of the URL-safe alphabet in the other alphabet of Base64.
  private static func standardBase64(_ byte: UInt8) -> UInt8 {
    switch byte {
    case UInt8(ascii: "-"): UInt8(ascii: "+")
    case UInt8(ascii: "_"): UInt8(ascii: "/")
    default: byte
    }
  }

  /// The characters in Base64 that depend on these bytes only, if other bytes are before and after them.
  private static func base64(_ bytes: [UInt8], after before: Int) -> String {
    let text = Base64URL.encode([UInt8](repeating: 0, count: before) + bytes)
    let first = (before * 8 + 5) / 6
    let end = (before + bytes.count) * 8 / 6
    return String(text.prefix(end).dropFirst(first))
  }
}
