public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The code that a person enters at an address, in a browser on any device, so that a sign-in here continues.
///
/// Whoever has the code can be asked to enter it for somebody else, so show it only to the person who signs in.
/// Source: RFC 8628, section 3.2.
public struct UserCode: Sendable, Hashable {
  /// The code, such as `WDJB-MJHT`: 1 to 64 characters, without control characters.
  public let text: String
  /// The address where the code is entered (`verification_uri`).
  public let address: URL
  /// The address that contains the code, for a QR code (`verification_uri_complete`); nil if the server sent none.
  public let completeAddress: URL?

  /// The address for a QR code: the one that contains the code, or the one where it is entered.
  public var scannedAddress: URL { completeAddress ?? address }

  /// Creates a code.
  public init(_ text: String, at address: URL, completeAddress: URL? = nil) {
    self.text = text
    self.address = address
    self.completeAddress = completeAddress
  }

  /// The JSON of a draft, which ``IDXResponse/userCode`` reads.
  package var json: JSONValue {
    let json: JSONValue = ["text": .string(text), "address": .string(address.absoluteString)]
    return json.adding("completeAddress", completeAddress.map { .string($0.absoluteString) })
  }

  /// Reads what ``json`` wrote; nil if that is damaged.
  package init?(_ json: JSONValue?) {
    guard let text = json?["text"]?.string,
      let address = json?["address"]?.string.flatMap(URL.init(string:))
    else { return nil }
    self.init(
      text, at: address,
      completeAddress: json?["completeAddress"]?.string.flatMap(URL.init(string:)))
  }
}

extension UserCode: Redacted {
  /// The host of the address.
  public var description: String { "user code for \(address.host ?? "")" }
}

extension IDXResponse {
  static let userCodeName = "userCode"

  /// The code that the person enters elsewhere; nil if the sign-in has none.
  ///
  /// Identity Engine sends none: a client of another protocol puts it into ``Draft/userCode``.
  public var userCode: UserCode? { UserCode(raw[Self.userCodeName]?["value"]) }
}
