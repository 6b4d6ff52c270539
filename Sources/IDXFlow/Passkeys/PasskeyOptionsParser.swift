public import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How much a server insists on something that a key may do.
///
/// The server may add words.
public struct PasskeyRequirement: OpenSet {
  /// The word on the wire.
  public let rawValue: String
  /// A demand by its word on the wire.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// It must be so.
  public static let required: Self = "required"
  /// It is to be so where the key can.
  public static let preferred: Self = "preferred"
  /// It is not to be so where the key can do without.
  public static let discouraged: Self = "discouraged"

  init?(_ json: JSONValue?) {
    guard let word = json?.string else { return nil }
    self.init(rawValue: word)
  }
}

/// Which passkey is meant.
public struct PasskeyDescriptor: Sendable, Hashable {
  /// The id that the key gave it.
  public let id: [UInt8]
  /// How the key can be reached, such as `usb`; empty where the server does not say.
  public let transports: [String]

  /// A passkey of this id.
  public init(id: [UInt8], transports: [String] = []) {
    self.id = id
    self.transports = transports
  }
}

/// Reads what `activationData` and `challengeData` have in common.
struct PasskeyOptionsParser {
  let data: JSONValue
  let origin: Origin

  init(_ data: JSONValue, origin: Origin) {
    self.data = data
    self.origin = origin
  }

  /// The id of the relying party: what the server names, else the host of its app id where that is a
  /// site of the org, else the issuer's host.
  ///
  /// A name that a browser at the issuer would refuse is refused: who signs for another site signs in
  /// there. Source: WebAuthn Level 2, section 5.1.3, step 8.
  var site: String {
    get throws(PasskeyError) {
      let named = data["rp"]?["id"]?.string ?? data["rpId"]?.string
      if let named {
        let site = named.lowercased()
        guard isOurs(site) else {
          throw PasskeyError(
            .siteRefused,
            "The server wants a passkey for “\(named.printable)”, which is not its own site.")
        }
        return site
      }
      let appID = data["u2fParams"]?["appid"]?.string ?? data["extensions"]?["appid"]?.string
      let host = appID.flatMap { URL(string: $0)?.host }?.lowercased()
      return host.flatMap { isOurs($0) ? $0 : nil } ?? origin.host
    }
  }

  var challenge: [UInt8] {
    get throws(PasskeyError) {
      guard let text = data["challenge"]?.string, let bytes = Self.bytes(text), !bytes.isEmpty
      else {
        throw PasskeyError(.unreadableRequest, "The server's challenge for a passkey is damaged.")
      }
      return bytes
    }
  }

  var timeout: Duration? {
    data["timeout"]?.integer.flatMap { $0 > 0 ? .milliseconds($0) : nil }
  }

  /// Whether the issuer may ask for passkeys of a site: its own host, or a domain that this is in.
  private func isOurs(_ site: String) -> Bool {
    site == origin.host || (site.contains(".") && origin.host.hasSuffix("." + site))
  }

  /// The bytes of a text in Base64, of either alphabet, with or without padding.
  static func bytes(_ text: String) -> [UInt8]? {
    let plain = text.filter { $0 != "=" }.map { character -> Character in
      switch character {
      case "+": "-"
      case "/": "_"
      default: character
      }
    }
    return Base64URL.decode(String(plain))
  }

  /// The id of a user: Base64 for URLs, as browsers take it, else the text itself.
  static func userID(_ text: String) -> [UInt8] { Base64URL.decode(text) ?? Array(text.utf8) }

  static func descriptors(_ list: JSONValue?) -> [PasskeyDescriptor] {
    (list?.array ?? []).compactMap { entry in
      entry["id"]?.string.flatMap(bytes).map {
        PasskeyDescriptor(
          id: $0, transports: entry["transports"]?.array?.compactMap(\.string) ?? [])
      }
    }
  }
}
