import Expectations
import Foundation
import IDXBase
import IDXBrowserAuth
import IDXOAuth
import Testing

/// The page with a SAML response, as orgs send it.
private enum SAMLPage {
  static let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <saml2p:Response xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol">
      <saml2:Assertion xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion"><saml2:AttributeStatement>
        <saml2:Attribute Name="https://service.example/Group"><saml2:AttributeValue \
    xmlns:xs="x">&lt;staff&gt;?</saml2:AttributeValue><saml2:AttributeValue>b</saml2:AttributeValue>
        </saml2:Attribute>
        <saml2:Attribute Name="empty"/>
      </saml2:AttributeStatement></saml2:Assertion>
    </saml2p:Response>
    """
  static let encoded = base64(xml)
  static let destination = "https://service.example:8443/saml?a=1&b=2"

  static func base64(_ xml: String) -> String { Data(xml.utf8).base64EncodedString() }

  static func hex(_ text: String) -> String {
    text.unicodeScalars.map { "&#x\(String($0.value, radix: 16));" }.joined()
  }

  static func form(
    action: String = destination, response: String = encoded, relayState: String = "r"
  ) -> String {
    """
    <form id="appForm" action="\(action.replacing("&", with: "&amp;"))" method="POST">
    <input name="SAMLResponse" type="hidden" value="\(response)"/>
    <input name="RelayState" type="hidden" value="\(relayState)"/></form>
    """
  }
}

/// The SAML response of an org.
struct SAMLResponseTests {
  private func read(_ page: String) throws -> SAMLResponse {
    let url = try require(URL(string: "https://id.shop.example/app/a/b/sso/saml"))
    return try SAMLResponse(page: Array(page.utf8), at: url)
  }

  private func reason(_ page: String) throws -> String {
    let error = try require(#expect(throws: FlowError.self) { try read(page) })
    expectEqual(error.code, .unexpectedResponse)
    expect(!"\(error)".contains(SAMLPage.encoded.prefix(20)))
    return error.message
  }

  @Test(
    "The form is read whatever the order, the quotes and the escapes are",
    arguments: [
      SAMLPage.form(),
      "<!doctype html><html><body onload=\"document.forms[0].submit()\">\(SAMLPage.form())</body></html>",
      "<FORM METHOD=post ACTION='\(SAMLPage.hex(SAMLPage.destination))'><INPUT VALUE=\(SAMLPage.hex(SAMLPage.encoded)) NAME=SAMLResponse>"
        + "<input value='&#114' name=RelayState></FORM>",
      "<form\nmethod = \"post\" data-x='>' action=\"\(SAMLPage.destination)\"><input disabled "
        + "name='SAMLResponse'\tvalue='\(SAMLPage.encoded.replacing("=", with: "&#61;").replacing("+", with: "&plus;"))'/>"
        + "<noscript><input type=submit value=Go></noscript><input name=RelayState value=r>",
      "<form action=/login method=post><input name=x value='<form>'></form>" + SAMLPage.form(),
      "<!-- \(SAMLPage.form(response: "AAAA")) --><script>var a = '\(SAMLPage.form(response: "AAAA"))'</script>"
        + SAMLPage.form(),
      "<form action='\(SAMLPage.destination)' method=post><form action='https://other.example/'>"
        + "<input name=SAMLResponse value='\(SAMLPage.encoded)'><input name=RelayState value=r></form>",
      // Twice the same is no contradiction, and of equal attributes the first counts.
      SAMLPage.form() + SAMLPage.form(),
      SAMLPage.form().replacing("<form ", with: "<form action='\(SAMLPage.destination)' "),
      SAMLPage.form(
        response: SAMLPage.encoded.prefix(60) + "&#13;&#10;" + SAMLPage.encoded.dropFirst(60)),
    ])
  func forms(page: String) throws {
    let response = try read(page)
    expectEqual(response.destination.absoluteString, SAMLPage.destination)
    expectEqual(response.encoded.revealed.filter { !$0.isWhitespace }, SAMLPage.encoded)
    expectEqual(response.relayState, "r")
    expectEqual(
      response.attributes, ["https://service.example/Group": ["<staff>?", "b"], "empty": []])
    expect(!response.isEncrypted)
    expectEqual("\(response)", "SAML response")
    var dumped = ""
    dump(response, to: &dumped)
    expect(!dumped.contains(SAMLPage.encoded.prefix(20)))
  }

  @Test("Without RelayState, or with an empty one, there is none")
  func relayState() throws {
    try expectEqual(read(SAMLPage.form(relayState: "")).relayState, nil)
    try expectEqual(read(SAMLPage.form().replacing("RelayState", with: "x")).relayState, nil)
    try expectEqual(
      read(SAMLPage.form(relayState: "a&#x2f;b&amp;amp;&#xe9;")).relayState, "a/b&amp;é")
  }

  @Test("An address without a host is at the org, and http only on this computer")
  func destinations() throws {
    try expectEqual(
      read(SAMLPage.form(action: "/saml")).destination.absoluteString,
      "https://id.shop.example/saml")
    try expectEqual(
      read(SAMLPage.form(action: "http://127.0.0.1:8484/saml")).destination.host, "127.0.0.1")
    for action in [
      "http://service.example/saml", "javascript:alert(1)", "data:text/html,a", "https://",
      "https://a@service.example/", "file:///etc/passwd",
    ] {
      try expectContains(reason(SAMLPage.form(action: action)), "https")
    }
    try expectContains(reason(SAMLPage.form().replacing("POST", with: "GET")), "cannot be sent")
    try expectContains(reason(SAMLPage.form().replacing("method", with: "m")), "cannot be sent")
  }

  @Test("A beginning of the form is no response, unless only RelayState is missing")
  func cut() throws {
    let page = Array(SAMLPage.form().utf8)
    let end = try require(SAMLPage.form().range(of: "\"/>\n<input name=\"RelayState\""))
    let whole = SAMLPage.form().utf8.distance(from: SAMLPage.form().startIndex, to: end.lowerBound)
    let url = try require(URL(string: "https://id.shop.example/"))
    for count in stride(from: 0, through: whole, by: 7) {
      expect((try? SAMLResponse(page: Array(page[..<count]), at: url)) == nil)
    }
  }

  @Test("A page without a response, with several different ones, or with other bytes is refused")
  func refused() throws {
    for page in [
      "", "<", "<form", "Welcome", "<form action='https://a.example/' method=post></form>",
      "<form action=\"https://a.example/\" method=\"post\"><input name=SAMLRequest value=a></form>",
      "<input name=SAMLResponse value='\(SAMLPage.encoded)'>", "<!--\(SAMLPage.form())",
      "<script>\(SAMLPage.form())",
      "<form action='\(SAMLPage.form())", SAMLPage.form().replacing("\"", with: "\u{201D}"),
      // A page of another service.
      "<form action='https://a.example/' method=post><input name=wresult value='&lt;t:RequestSecurity'></form>",
    ] { try expectContains(reason(page), "no form", "\(page)") }
    let other = SAMLPage.base64(SAMLPage.xml.replacing("staff", with: "admin"))
    for page in [
      SAMLPage.form() + SAMLPage.form(response: other),
      SAMLPage.form() + SAMLPage.form(action: "https://other.example/"),
      SAMLPage.form() + SAMLPage.form(relayState: "s"),
      SAMLPage.form().replacing(
        "</form>", with: "<input name=SAMLResponse value='\(other)'></form>"),
    ] { try expectContains(reason(page), "several", "\(page)") }
    for encoded in [
      "", "%", "AAA", "PD94", SAMLPage.base64("<a/>"), SAMLPage.base64("<Response>"),
      SAMLPage.base64("Response"),
      SAMLPage.base64("<!DOCTYPE a [<!ENTITY b \"c\">]><Response>&b;</Response>"),
      SAMLPage.base64("<Response><!-- a --></Response>"), SAMLPage.encoded + "!", "é",
    ] {
      try expectContains(
        reason(SAMLPage.form(response: encoded)), "not a SAML response", "\(encoded)")
    }
  }

  @Test("An encrypted assertion is known as such")
  func encrypted() throws {
    let xml = "<Response><EncryptedAssertion><EncryptedData/></EncryptedAssertion></Response>"
    let response = try read(SAMLPage.form(response: SAMLPage.base64(xml)))
    expect(response.isEncrypted && response.attributes.isEmpty)
  }

  @Test("Five thousand values are read, and a page without limits is not")
  func large() throws {
    let value = "arn:aws:iam::123456789012:saml-provider/Shop,arn:aws:iam::123456789012:role/Role"
    let values = (0..<5000).map { "<AttributeValue>\(value)\($0)</AttributeValue>" }.joined()
    let xml =
      "<Response><Assertion><AttributeStatement><Attribute Name=\"r\">\(values)</Attribute>"
      + "</AttributeStatement></Assertion></Response>"
    try expectEqual(
      read(SAMLPage.form(response: SAMLPage.base64(xml))).attributes["r"]?.count, 5000)
    let page = SAMLPage.form() + String(repeating: " ", count: 4 << 20)
    try expectContains(reason(page), "larger than 4 MiB")
  }
}
