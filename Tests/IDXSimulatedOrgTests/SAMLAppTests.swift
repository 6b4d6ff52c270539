import Expectations
import Foundation
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// SAML apps of the simulated org.
struct SAMLAppTests {
  private static let path = "/app/amazon_aws/exkDemoApp0000000001/sso/saml"

  /// A client of an org with an app that has characters to escape.
  private func client() async throws -> PageClient {
    var client = try await PageClient.opened()
    await client.org.changeRequests {
      var app = SAMLApp.awsConsole
      app.attributes["a\"<&>"] = ["1 < 2 & \"3\" > 2"]
      $0.samlApps = [app]
    }
    client.response = TransportResponse(status: 0)
    return client
  }

  /// The values of the form, by their names.
  private func values(in client: PageClient) throws -> [String: String] {
    let text = client.text
    expect(
      text.contains(
        #"<form id="appForm" action="https&#x3a;&#x2f;&#x2f;signin.aws.amazon.com&#x2f;saml""#))
    let inputs = text.matches(of: #/<input name="(\w+)" type="hidden" value="([^"]*)"/>/#)
    return Dictionary(
      uniqueKeysWithValues: inputs.map { input in
        let value = [("&#x2b;", "+"), ("&#x2f;", "/"), ("&#x3d;", "="), ("&#x3a;", ":")]
          .reduce(String(input.2)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
        return (String(input.1), value)
      })
  }

  @Test("A sign-in leads to the form of the app, and a session to the next one")
  func signsIn() async throws {
    var client = try await client()
    try await client.get("/home/amazon_aws/exkDemoApp0000000001/272")
    expectEqual(client.location, "https://demo.okta.example" + Self.path)
    try await client.get(Self.path + "?RelayState=https%3A%2F%2Fconsole.example%2F")
    try await client.introspect()
    expectEqual(client.json["app"]?["value"]?["name"], "amazon_aws")
    try await client.signIn()
    try await client.get(client.successAddress)
    expectEqual(client.response.status, 200)
    expect(client.cookies["idx"] != nil)
    let first = try values(in: client)
    expectEqual(first["RelayState"], "https://console.example/")
    try await client.get(Self.path)
    let second = try values(in: client)
    expectEqual(second["RelayState"], "")
    expect(first["SAMLResponse"] != second["SAMLResponse"])
    try await check(second, of: client)
  }

  /// Checks the assertion and its signature.
  private func check(_ values: [String: String], of client: PageClient) async throws {
    let data = try require(Data(base64Encoded: values["SAMLResponse"] ?? ""))
    let xml = String(decoding: data, as: UTF8.self)
    let roles = xml.matches(
      of: #/arn:aws:iam::123456789012:saml-provider\/okta,arn:aws:iam::123456789012:role\/(\w+)</#)
    expectEqual(roles.map { String($0.1) }, ["Dev", "Audit"])
    expect(xml.contains(">1 &lt; 2 &amp; \"3\" &gt; 2</saml2:AttributeValue>"))
    expect(xml.contains("Name=\"a&quot;&lt;&amp;>\""))
    expect(xml.contains("<saml2:AttributeValue>ada@shop.example</saml2:AttributeValue>"))
    expect(xml.contains(">ada@shop.example</saml2:NameID>"))
    expect(xml.contains("<saml2:Audience>urn:amazon:webservices</saml2:Audience>"))

    let element = try require(xml.firstMatch(of: #/<saml2:Assertion.*<\/saml2:Assertion>/#)?.0)
    let signature = try require(element.firstMatch(of: #/<ds:Signature .*<\/ds:Signature>/#)?.0)
    let unsigned = element.replacingOccurrences(of: signature, with: "")
    let digest = Data(HashFunction.sha256.hash(Array(unsigned.utf8))).base64EncodedString()
    expect(signature.contains("<ds:DigestValue>\(digest)</ds:DigestValue>"))
    let info = try require(signature.firstMatch(of: #/<ds:SignedInfo>.*<\/ds:SignedInfo>/#)?.0)
      .replacingOccurrences(
        of: "<ds:SignedInfo>",
        with: "<ds:SignedInfo xmlns:ds=\"http://www.w3.org/2000/09/xmldsig#\">")
    let value = try require(signature.firstMatch(of: #/<ds:SignatureValue>([^<]*)</#)?.1)
    let bytes = try require(Data(base64Encoded: String(value)))
    let keys = try await client.org.send(
      TransportRequest(url: client.org.issuer.appendingPathComponent("v1/keys")))
    let key = try require(JSONValue(parsing: keys.body)["keys"]?[0])
    expect(try require(RSAPublicKey(key)).verify(Array(bytes), of: Array(info.utf8)))
  }

  @Test("An app that the org does not have, or that has no page, is not found")
  func unknown() async throws {
    var client = try await client()
    for path in ["/app/amazon_aws/exk2/sso/saml", "/home/other/exkDemoApp0000000001/1"] {
      try await client.get(path)
      expectEqual(client.response.status, 404)
    }
    await client.org.changeRequests { $0.signInPage = nil }
    try await client.get(Self.path)
    expectEqual(client.response.status, 404)
  }
}
