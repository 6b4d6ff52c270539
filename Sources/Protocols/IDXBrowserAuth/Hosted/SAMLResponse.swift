public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A SAML response, with which a person signs in to a service: what a sign-in to a SAML app ends with.
///
/// The org sends it to the browser in a form that posts itself to the service. Whoever has the response can sign in as
/// the person, once and for some minutes. Nothing of it is in its description. Neither the signature nor the times are
/// checked, because that is for the service. Source: SAML 2.0 Bindings, section 3.5.
public struct SAMLResponse: Sendable, Hashable, Redacted {
  /// The address of the service that the response is for: the `action` of the form.
  ///
  /// It is https, or this computer.
  public let destination: URL
  /// The response as XML in Base64, as received: the field `SAMLResponse`.
  public let encoded: Secret
  /// The field `RelayState`, which the service gets back unchanged; nil if it is missing or empty.
  public let relayState: String?
  /// The values of each attribute of the assertions by its name, in the order of the document.
  ///
  /// Empty if the assertion is encrypted.
  public let attributes: [String: [String]]
  /// Whether the response has an encrypted assertion, which only the service can read.
  public let isEncrypted: Bool

  /// The largest page in bytes: 4 MiB, enough for an assertion with thousands of values.
  static let maximumSize = 4 << 20

  /// Creates a response.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `unexpectedResponse` if the destination is neither https nor this
  /// computer, and if `encoded` is not XML in Base64 with the root `Response`.
  public init(destination: URL, encoded: Secret, relayState: String? = nil) throws(FlowError) {
    guard Origin(destination).isSecure, !Origin(destination).host.isEmpty, destination.user == nil
    else {
      throw Self.unexpected(
        "The form with the SAML response is for an address that is not https, so others could read it."
      )
    }
    guard let root = Self.root(of: encoded), root.localName == "Response" else {
      throw Self.unexpected(
        "The form has the field SAMLResponse, but its value is not a SAML response.")
    }
    self.destination = destination
    self.encoded = encoded
    self.relayState = relayState.flatMap { $0.isEmpty ? nil : $0 }
    isEncrypted = !root.children(withLocalName: "EncryptedAssertion").isEmpty
    attributes = Self.attributes(in: root)
  }

  /// Reads the page with the form.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `unexpectedResponse` if the page is larger than 4 MiB, has no form
  /// with the field `SAMLResponse` or several different ones, and for the reasons of
  /// ``init(destination:encoded:relayState:)``. An `action` without a host is at the address of the page.
  public init(page: [UInt8], at url: URL) throws(FlowError) {
    guard let response = try Self.find(in: page, at: url) else {
      throw Self.unexpected("The page of the org has no form with a SAML response.")
    }
    self = response
  }

  /// The response in a page; nil if no form has the field `SAMLResponse`.
  ///
  /// Throws as ``init(page:at:)`` does for other reasons.
  static func find(in page: [UInt8], at url: URL) throws(FlowError) -> SAMLResponse? {
    guard page.count <= maximumSize else {
      throw unexpected(
        "The page with the SAML response is larger than \(maximumSize >> 20) MiB.")
    }
    let forms = HTMLForms.forms(in: page).filter { $0[field] != nil }
    guard let form = forms.first, let encoded = form[field] else { return nil }
    guard forms.dropFirst().allSatisfy({ $0 == form }),
      form.fields.allSatisfy({ $0.name != field || $0.value == encoded })
    else { throw unexpected("The page of the org has several SAML responses.") }
    guard form.method.lowercased() == "post" else {
      throw unexpected("The form with the SAML response cannot be sent: its method is not POST.")
    }
    guard
      let destination = URL(string: form.action.trimmed(), encodingInvalidCharacters: false)
        .flatMap({ URL(string: $0.absoluteString, relativeTo: url)?.absoluteURL })
    else {
      throw unexpected("The form with the SAML response cannot be sent: it has no address.")
    }
    return try SAMLResponse(
      destination: destination, encoded: Secret(encoded), relayState: form["RelayState"])
  }

  /// `SAML response`.
  public var description: String { "SAML response" }

  private static let field = "SAMLResponse"

  private static func unexpected(_ message: String) -> FlowError {
    FlowError(.unexpectedResponse, message)
  }

  private static func root(of encoded: Secret) -> PlainXMLElement? {
    // Some services wrap Base64 into lines.
    let text = encoded.revealed.utf8.filter { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
    guard !text.isEmpty, let data = Data(base64Encoded: Data(text)) else { return nil }
    return PlainXMLElement(parsing: Array(data), atMost: maximumSize)
  }

  private static func attributes(in root: PlainXMLElement) -> [String: [String]] {
    let attributes = root.children(withLocalName: "Assertion")
      .flatMap { $0.children(withLocalName: "AttributeStatement") }
      .flatMap { $0.children(withLocalName: "Attribute") }
    var values: [String: [String]] = [:]
    for attribute in attributes {
      guard let name = attribute.attributes["Name"] else { continue }
      values[name, default: []] += attribute.children(withLocalName: "AttributeValue").map(\.text)
    }
    return values
  }
}
