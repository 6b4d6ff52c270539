import Foundation
import IDXBase
import IDXOAuth
import IDXTokenSigning

/// A response of SAML 2.0 with a signed assertion (SAML Core, sections 2.3 and 3.3.3).
///
/// It is written in its canonical form, so that what is signed is what is sent (Exclusive XML Canonicalization). The key
/// is the one that signs the tokens of the org. There is no certificate: the signature contains the public key.
struct SAMLResponse {
  let app: SAMLApp
  let subject: TokenSubject
  let session: CompletedSignIn
  let now: Date
  /// The ID of the response, from which that of the assertion is made.
  let id: String
  let key: RSASigningKey

  /// The number of seconds for which the assertion is valid, before and after it is issued.
  private static let tolerance: TimeInterval = 5 * 60
  private static let names = "urn:oasis:names:tc:SAML:2.0:"

  /// The XML.
  var xml: String {
    let signed = assertion(with: signature(of: assertion(with: "")))
    return """
      <?xml version="1.0" encoding="UTF-8"?><saml2p:Response xmlns:saml2p="\(Self.names)protocol" \
      Destination="\(app.consumerURL.asXMLAttribute)" ID="\(id)" IssueInstant="\(now.timestamp)" \
      Version="2.0"><saml2:Issuer xmlns:saml2="\(Self.names)assertion">\(issuer)</saml2:Issuer>\
      <saml2p:Status><saml2p:StatusCode Value="\(Self.names)status:Success"></saml2p:StatusCode>\
      </saml2p:Status>\(signed)</saml2p:Response>
      """
  }

  private var issuer: String { "http://www.okta.com/\(app.id.asXMLText)" }
  private var end: String { now.addingTimeInterval(Self.tolerance).timestamp }

  private func assertion(with signature: String) -> String {
    """
    <saml2:Assertion xmlns:saml2="\(Self.names)assertion" ID="\(id)a" \
    IssueInstant="\(now.timestamp)" Version="2.0"><saml2:Issuer>\(issuer)</saml2:Issuer>\
    \(signature)<saml2:Subject>\
    <saml2:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">\
    \(subject.login.asXMLText)</saml2:NameID>\
    <saml2:SubjectConfirmation Method="\(Self.names)cm:bearer"><saml2:SubjectConfirmationData \
    NotOnOrAfter="\(end)" Recipient="\(app.consumerURL.asXMLAttribute)">\
    </saml2:SubjectConfirmationData></saml2:SubjectConfirmation></saml2:Subject>\
    <saml2:Conditions NotBefore="\(now.addingTimeInterval(-Self.tolerance).timestamp)" \
    NotOnOrAfter="\(end)"><saml2:AudienceRestriction><saml2:Audience>\
    \(app.audience.asXMLText)</saml2:Audience></saml2:AudienceRestriction></saml2:Conditions>\
    <saml2:AuthnStatement AuthnInstant="\(session.time.timestamp)" SessionIndex="\(id)">\
    <saml2:AuthnContext><saml2:AuthnContextClassRef>\
    \(Self.names)ac:classes:PasswordProtectedTransport</saml2:AuthnContextClassRef>\
    </saml2:AuthnContext></saml2:AuthnStatement>\(attributes)</saml2:Assertion>
    """
  }

  private var attributes: String {
    guard !app.attributes.isEmpty else { return "" }
    let format = Self.names + "attrname-format:uri"
    let list = app.attributes.sorted { $0.key < $1.key }.map { name, values in
      let values = values.map { value in
        let text = value.replacingOccurrences(of: "${user.login}", with: subject.login)
        return "<saml2:AttributeValue>\(text.asXMLText)</saml2:AttributeValue>"
      }
      return "<saml2:Attribute Name=\"\(name.asXMLAttribute)\" NameFormat=\"\(format)\">"
        + values.joined() + "</saml2:Attribute>"
    }
    return "<saml2:AttributeStatement>\(list.joined())</saml2:AttributeStatement>"
  }

  /// The signature of an element that contains it (XML Signature, sections 4 and 6).
  private func signature(of element: String) -> String {
    let base = "http://www.w3.org/2000/09/xmldsig#"
    let canonical = "http://www.w3.org/2001/10/xml-exc-c14n#"
    let digest = Self.base64(HashFunction.sha256.hash(Array(element.utf8)))
    let content = """
      <ds:CanonicalizationMethod Algorithm="\(canonical)"></ds:CanonicalizationMethod>\
      <ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256">\
      </ds:SignatureMethod><ds:Reference URI="#\(id)a"><ds:Transforms>\
      <ds:Transform Algorithm="\(base)enveloped-signature"></ds:Transform>\
      <ds:Transform Algorithm="\(canonical)"></ds:Transform></ds:Transforms>\
      <ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>\
      <ds:DigestValue>\(digest)</ds:DigestValue></ds:Reference></ds:SignedInfo>
      """
    // Alone, the element declares its namespace itself.
    let signed = key.sign(Array("<ds:SignedInfo xmlns:ds=\"\(base)\">\(content)".utf8))
    return """
      <ds:Signature xmlns:ds="\(base)"><ds:SignedInfo>\(content)<ds:SignatureValue>\
      \(Self.base64(signed))</ds:SignatureValue><ds:KeyInfo><ds:KeyValue><ds:RSAKeyValue>\
      <ds:Modulus>\(Self.base64(key.modulus))</ds:Modulus><ds:Exponent>AQAB</ds:Exponent>\
      </ds:RSAKeyValue></ds:KeyValue></ds:KeyInfo></ds:Signature>
      """
  }

  private static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}

extension String {
  /// The text of an element in its canonical form.
  fileprivate var asXMLText: String {
    replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: ">", with: "&gt;")
  }

  /// The value of an attribute in its canonical form.
  fileprivate var asXMLAttribute: String {
    replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
      .replacingOccurrences(of: "\"", with: "&quot;")
  }
}
