import Foundation

/// Pages with a SAML response for AWS, as an org sends them.
enum SAMLPages {
  /// A response with roles, each as in a value of the attribute, and with other attributes.
  static func xml(roles: [String], _ other: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <saml2p:Response xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" \
    Destination="https://signin.aws.amazon.com/saml" ID="id1" Version="2.0">\
    <saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" ID="id2">\
    <saml2:AttributeStatement>\(attribute("Role", roles))\(other)</saml2:AttributeStatement>\
    </saml2:Assertion></saml2p:Response>
    """
  }

  /// An attribute for AWS.
  static func attribute(_ name: String, _ values: [String]) -> String {
    let values = values.map { value in
      let text = value.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
      return "<saml2:AttributeValue xsi:type=\"xs:string\">\(text)</saml2:AttributeValue>"
    }
    return "<saml2:Attribute Name=\"https://aws.amazon.com/SAML/Attributes/\(name)\">"
      + "\(values.joined())</saml2:Attribute>"
  }

  /// The page whose form posts a response to AWS.
  static func page(roles: [String], _ other: String = "") -> String {
    let encoded = Data(xml(roles: roles, other).utf8).base64EncodedString()
      .replacing("+", with: "&#x2b;").replacing("=", with: "&#x3d;")
    return """
      <form id="appForm" action="https&#x3a;&#x2f;&#x2f;signin.aws.amazon.com&#x2f;saml" method="POST">
      <input name="SAMLResponse" type="hidden" value="\(encoded)"/>
      <input name="RelayState" type="hidden" value=""/></form>
      """
  }
}
