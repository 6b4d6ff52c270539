import Foundation
import IDXBase

@testable import IDXFlow
@testable import IDXQRCode
@testable import IDXSimulatedOrg
@testable import IDXSoftwarePasskeys

extension GrowthCases {
  mutating func addTokens() {
    add(.jwt, "claims", 400) { count in
      jwt("{\(many(count) { #""c\#($0)":1"# })}")
    }
    add(.jwt, "audiences", 400) { count in jwt(#"{"aud":[\#(many(count) { #""a\#($0)""# })]}"#) }
    add(.jwt, "parts", 4000) { repeated(".", $0) }
    add(.keys, "keys", 10) { count in #"{"keys":[\#(many(count) { key("k\($0)") })]}"# }
    add(.keys, "equal keys", 40) { count in #"{"keys":[\#(many(count) { _ in key("k") })]}"# }
    add(.keys, "other keys", 200) { count in
      #"{"keys":[\#(many(count) { _ in #"{"kty":"EC"}"# })]}"#
    }
    add(.tokens, "scopes", 1000) { #"{"access_token":"a","scope":"\#(repeated("ab ", $0))"}"# }
    add(.tokens, "members", 500) { count in
      #"{"access_token":"a",\#(many(count) { #""m\#($0)":"x""# })}"#
    }
    add(.oauthErrors, "description", 4000) {
      #"{"error":"e","error_description":"\#(repeated(#"é\u0007"#, $0))"}"#
    }
    add(.oauthErrors, "challenge", 1000) { "Bearer " + repeated(#"a="b", "#, $0) }
    add(.nonces, "nonce", 4000) { repeated("n", $0) + "\n\n" }
    add(.nonces, "challenge", 1000) { "\nDPoP " + repeated(#"a="b", "#, $0) + "\n" }
    add(.nonces, "body", 1000) { count in "\n\n{\(many(count) { #""m\#($0)":"x""# })}" }
    add(.proofs, "claims", 400) { count in
      FuzzTarget.proof(
        #"{"typ":"dpop+jwt","alg":"ES256"}"#, "{\(many(count) { #""c\#($0)":1"# })}")
    }
    add(.proofs, "parts", 4000) { repeated(".", $0) }
    add(.boundKeys, "members", 500) { count in "{\(many(count) { #""m\#($0)":"x""# })}" }
    add(.boundKeys, "private key", 4000) {
      #"{"kty":"EC","d":"\#(repeated("A", $0))","x":"AA","y":"AA"}"#
    }
    add(.forms, "pairs", 500) { repeated("a=b&", $0) }
    add(.forms, "escapes", 1000) { "a=" + repeated("%C3%A9+", $0) }
    add(.cookies, "cookies", 300) { count in many(count) { "c\($0)=v" } }
    add(.cookies, "attributes", 1000) { "a=1" + repeated("; Path=/; Max-Age=9", $0) }
    add(.cookies, "commas", 4000) { "a=1" + repeated(", ", $0) }
    add(.cookies, "date", 2000) { "a=1; Expires=" + repeated("15 Jan ", $0) }
    add(.otpauth, "parameters", 500) { count in
      "otpauth://totp/a?secret=GEZDGNBV" + (0..<count).map { "&p\($0)=x" }.joined()
    }
    add(.otpauth, "secret", 2000) { "otpauth://totp/a?secret=" + repeated("GEZDGNBV", $0) }
    add(.otpauth, "label", 2000) { "otpauth://totp/\(repeated("%20:", $0))?secret=GEZDGNBV" }
  }

  mutating func addTexts() {
    add(.text, "words", 1000) { repeated("ab ", $0) }
    add(.text, "one word", 3000) { repeated("a", $0) }
    add(.text, "lines", 1000) { repeated("a\r\n", $0) }
    add(.text, "wide characters", 500) { repeated("漢", $0) }
    add(.text, "marks on one letter", 1000) { "e" + repeated("\u{301}", $0) }
    add(.text, "characters without width", 1000) { repeated("\u{13430} ", $0) }
    add(.text, "sequences", 1000) { repeated("\u{1B}[31m", $0) }
    add(.text, "strings that do not end", 1000) { repeated("\u{1B}]0;ab", $0) }
    add(.text, "introducers", 1000) { repeated("\u{9D}\u{90}", $0) }
    add(.text, "joiners", 1000) { repeated("é\u{200D}", $0) }
    add(.head, "fields", 500) { count in
      "HTTP/1.1 200 OK\n" + (0..<count).map { "A\($0): b\n" }.joined() + "\n"
    }
    add(.head, "equal fields", 1000) { "HTTP/1.1 200 OK\n" + repeated("A: b\n", $0) + "\n" }
    add(.head, "lines of a field", 1000) { "HTTP/1.1 200 OK\nA: b\n" + repeated(" c\n", $0) + "\n" }
    add(.head, "1xx responses", 300) { repeated("HTTP/1.1 103 X\nA: b\n\n", $0) }
    add(.redactor, "text", 400) { "password\n" + repeated("passwor", $0) }
    add(.redactor, "secrets", 20) { count in
      (0..<count).map { "secret-\($0)" }.joined(separator: " ") + "\nNo secret-7 "
        + repeated("x", 500)
    }
    add(.redactor, "one long secret", 500) { repeated("a", $0) + "\n" + repeated("a", 3000) }
    add(.redactor, "equal characters", 400) { count in
      (6..<40).map { repeated("a", $0) + "b" }.joined(separator: " ") + "\n"
        + repeated("a", count)
    }
    add(.recording, "exchanges", 50) { count in recording(many(count) { _ in exchange() }) }
    add(.recording, "fields", 200) { count in
      recording(exchange(fields: many(count) { #""F\#($0)":"a""# }))
    }
    add(.recording, "body", 500) { count in recording(exchange(body: many(count) { "\($0)" })) }
    add(.redaction, "members", 200) { "{\(many($0) { "\"a\($0)\":\"Bob-\($0)\"" })}" }
    add(.redaction, "words", 400) { "{\"message\":\"\(repeated("Bob Zqxjk7 ", $0))\"}" }
    add(.redaction, "one word", 2000) { "{\"message\":\"\(repeated("a", $0))\"}" }
    add(.redaction, "escapes", 400) { "{\"message\":\"\(repeated("%5A\\\\u005a&#90;", $0))\"}" }
    add(.redaction, "addresses", 100) {
      "{\"message\":\"\(repeated("https://a.example/b?c=d ", $0))\"}"
    }
    add(.redaction, "not JSON", 1000) { repeated("<b>Zqxjk7</b>", $0) }
    add(.redaction, "addresses inside of each other", 200) {
      "{\"app\":{\"value\":{\"logoUri\":\"\(repeated("http://x/?redirect_uri=", $0))\"}}}"
    }
    add(.redaction, "long names", 20) { count in
      let name = repeated("a", 20 * count)
      return "{\(many(20) { "\"\(name)\($0)\":{\"\(name)\":1}" })}"
    }
    add(.redaction, "signs", 500) { "{\"message\":\"\(repeated("a+b/", $0))\"}" }
    add(.redaction, "hosts", 100) { count in
      "{\"a\":[\(many(count) { "\"https://a\($0).example/\",\"b\($0).example\"" })]}"
    }
    add(.redaction, "one host", 1000) { "{\"a\":\"https://\(repeated("a.", $0))example/\"}" }
    add(.redaction, "fields", 100) { count in
      let fields = many(count) { "{\"name\":\"f\($0)\",\"value\":\"v\($0)\"}" }
      return "{\"remediation\":{\"value\":[{\"value\":[\(fields)]}]}}"
    }
    add(.redaction, "nested", 25) { repeated("[", $0) + repeated("]", $0) }
    add(.timestamp, "fraction", 2000) { "2031-03-04T10:15:00.\(repeated("0", $0))Z" }
    add(.saml, "fields", 500) { "<form>" + repeated("<input name=a value='b&amp;'>", $0) }
    add(.saml, "forms", 500) { repeated("<form><input name=SAMLResponse value=a></form>", $0) }
    add(.saml, "attributes", 500) { count in
      "<form " + (0..<count).map { "a\($0)=b " }.joined() + ">"
    }
    add(.saml, "references", 1000) {
      "<form><input name=SAMLResponse value='\(repeated("&#x2b;&#", $0))'>"
    }
    add(.saml, "tags that do not end", 2000) { repeated("<form a='", $0) }
    add(.saml, "comments", 2000) { repeated("<!-->", $0) + repeated("<!--", $0) }
    add(.saml, "scripts", 1000) { repeated("<script></scrip", $0) }
    add(.saml, "attributes of the assertion", 200) { count in
      let attributes = (0..<count).map { "<Attribute Name='a\($0)'/>" }.joined()
      return samlForm("<AttributeStatement>\(attributes)</AttributeStatement>")
    }
    add(.saml, "values of an attribute", 200) { count in
      let values = repeated("<AttributeValue>b&lt;</AttributeValue>", count)
      return samlForm(
        "<AttributeStatement><Attribute Name='a'>\(values)</Attribute></AttributeStatement>")
    }
    add(.page, "names", 1000) { repeated("stateToken ", $0) }
    add(.page, "parts of a name", 1000) { repeated("stateToke", $0) }
    add(.page, "empty tokens", 1000) { repeated("stateToken='',", $0) }
    add(.page, "equal tokens", 1000) { repeated("stateToken='02a',", $0) }
    add(.page, "texts that do not end", 1000) { repeated("stateToken=\"a\\\n", $0) }
    add(.page, "spaces", 2000) { "stateToken" + repeated(" ", $0) + "=" + repeated("\n", $0) }
    add(.page, "a long token", 2000) { "stateToken='" + repeated(#"\x2D"#, $0) + "'" }
    add(.page, "backslashes", 2000) { "stateToken='" + repeated(#"\\"#, $0) + "'" }
  }

  mutating func addStates() {
    let start = "GET /callback?code=a"
    let version = " HTTP/1.1\r\nHost: 127.0.0.1:8484\r\n"
    add(.listener, "header fields", 100) { count in
      start + version + repeated("Accept: text/html\r\n", count) + "\r\n"
    }
    add(.listener, "query", 1000) { start + repeated("&a=b", $0) + version + "\r\n" }
    add(.listener, "words", 1000) { repeated("a ", $0) + "\r\n\r\n" }
    add(.listener, "without an end", 20_000) { repeated("\r\n\r", $0) }
    add(.redirect, "parameters", 200) { count in
      "state=a%20state&code=b" + (0..<count).map { "&p\($0)=x" }.joined()
    }
    add(.redirect, "error", 500) {
      "state=a%20state&error=e&error_description=" + repeated("%C3%A9", $0)
    }
    add(.snapshot, "forms", 50) { count in
      snapshot(response(many(count) { form("f\($0)", field("x")) }))
    }
    add(.snapshot, "client state", 100) { count in
      snapshot(response(form("identify")), clientState: "[\(many(count) { #"{"a":\#($0)}"# })]")
    }
    add(.credential, "scopes", 500) { count in
      """
      {"id":{"issuer":"https://id.shop.example","clientID":"0oa","subject":"00u"},"version":1,
       "username":"\(repeated("a", count))","receivedAt":"2031-03-04T10:15:00Z",
       "tokens":{"access_token":"a","token_type":"Bearer","scope":"\(repeated("ab ", count))"}}
      """
    }
    add(.credential, "depth", 100) { repeated("[", $0) + repeated("]", $0) }
    add(.classic, "factors", 40) { count in
      let factors = many(count) { #"{"id":"\#($0)","factorType":"token:\#($0)","provider":"P"}"# }
      let types = many(count) { #"{"factorType":"token:\#($0)","_links":{"next":{"href":"h"}}}"# }
      return """
        {"status":"MFA_REQUIRED","_embedded":{"factors":[\(factors)],"factorTypes":[\(types)]}}
        """
    }
    add(.classic, "scopes", 100) { count in
      let scopes = many(count) { #"{"name":"s\#($0)","displayName":"S"}"# }
      return """
        {"status":"CONSENT_REQUIRED","_embedded":{"scopes":[\(scopes)]},
         "_links":{"next":{"name":"consent","href":"https://id.shop.example/c"}}}
        """
    }
    add(.script, "entries", 200) { count in
      "[\(many(count) { #"{"step":"s\#($0)","fields":{"a":1}}"# })]"
    }
    add(.script, "fields", 200) { count in
      #"[{"step":"identify","fields":{\#(many(count) { #""f\#($0)":\#($0)"# })}}]"#
    }
    add(.replies, "values", 200) { count in
      #"{"reply":"submit","values":{\#(many(count) { #""f\#($0)":"v""# })}}"#
    }
    add(.replies, "members", 200) { count in
      #"{"reply":"cancel",\#(many(count) { #""number":\#($0)"# })}"#
    }
  }

  mutating func addBinary() {
    addBytes(.png, "height", 64) { count in
      var writer = PNGWriter(width: 64, height: count)
      for _ in 0..<count { writer.append([UInt8](repeating: 0x5A, count: 8)) }
      return writer.file
    }
    addBytes(.png, "chunks", 400) { count in
      // Empty texts after the header, and then the image.
      let text: [UInt8] = [0, 0, 0, 0] + Array("tEXt".utf8) + [0x96, 0x42, 0xC5, 0x85]
      let file = PNGWriter(width: 8, height: 8).file
      return file.prefix(33) + (0..<count).flatMap { _ in text } + file.dropFirst(33)
    }
    addBytes(.png, "length of a text", 10) { count in
      (try? QRCode(repeated("a", count)))?.png() ?? []
    }
    add(.qrcode, "length", 15) { repeated("a", $0) }
    addBytes(.cbor, "bytes", 2000) { CBOR.bytes([UInt8](repeating: 7, count: $0)).encoded }
    addBytes(.cbor, "array", 300) { CBOR.array((0..<$0).map(CBOR.integer)).encoded }
    addBytes(.cbor, "map", 100) { count in
      let members = (0..<count).map { (CBOR.integer($0), CBOR.bool(true)) }
      return CBOR.map(Dictionary(uniqueKeysWithValues: members)).encoded
    }
    addBytes(.cbor, "attestation", 100) { count in
      CBOR.attestation(
        format: "none", statement: [:], authenticatorData: [UInt8](repeating: 7, count: count)
      ).encoded
    }
    add(.cbor, "lines", 500) { repeated("YWI=\n", $0) }
    addBytes(.attestation, "parts of the subject", 100) { certificate(subjectParts: $0) }
    addBytes(.attestation, "extensions", 100) { certificate(extensions: $0) }
    addBytes(.attestation, "length of a part", 4000) { certificate(partLength: $0) }
    addBytes(.attestation, "answers of extensions", 100) { count in
      let answers = (0..<count).map { (CBOR.integer($0), CBOR.bool(true)) }
      return AuthenticatorData(
        site: "id.shop.example", flags: .userPresent, counter: 1,
        extensions: .map(Dictionary(uniqueKeysWithValues: answers))
      ).bytes
    }
  }
}

/// A certificate for attestations with a subject and extensions of these sizes.
private func certificate(
  subjectParts: Int = 4, extensions: Int = 1, partLength: Int = 8
) -> [UInt8] {
  let names: [[UInt8]] = [[0x55, 0x04, 0x03], [0x55, 0x04, 0x0a], [0x55, 0x04, 0x0b]]
  let text = der(0x0c, [UInt8](repeating: 0x41, count: partLength))
  let parts = (0..<subjectParts).flatMap { number in
    der(0x31, der(0x30, der(0x06, names[number % 3]) + text))
  }
  let constraints = der(0x30, der(0x06, [0x55, 0x1d, 0x13]) + der(0x04, der(0x30)))
  let more = (1..<max(1, extensions)).flatMap { number in
    let name = [0x2a, UInt8(number >> 14 | 0x80), UInt8(number >> 7 & 0x7f | 0x80)]
    return der(0x30, der(0x06, name + [UInt8(number & 0x7f)]) + der(0x04))
  }
  let curve: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07]
  let type = der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01]) + der(0x06, curve)
  let key = der(0x30, der(0x30, type) + der(0x03, [0, 4] + [UInt8](repeating: 7, count: 64)))
  let head = der(0xa0, der(0x02, [2])) + der(0x02, [1]) + der(0x30) + der(0x30) + der(0x30)
  let fields = der(0x30, head + der(0x30, parts) + key + der(0xa3, der(0x30, constraints + more)))
  return der(0x30, fields + der(0x30) + der(0x03))
}

/// An element of DER.
private func der(_ tag: UInt8, _ content: [UInt8] = []) -> [UInt8] {
  let octets = [16, 8, 0].map { UInt8(content.count >> $0 & 0xff) }.drop { $0 == 0 }
  let length =
    content.count < 0x80 ? [UInt8(content.count)] : [0x80 | UInt8(octets.count)] + Array(octets)
  return [tag] + length + content
}

/// A token with these claims and a signature that is wrong.
private func jwt(_ claims: String) -> String {
  [#"{"alg":"RS256"}"#, claims, "signature"].map { Base64URL.encode(Array($0.utf8)) }
    .joined(separator: ".")
}

private func key(_ id: String) -> String {
  #"{"kty":"RSA","kid":"\#(id)","e":"AQAB","n":"\#(repeated("v", 342))"}"#
}

/// A saved state with this response.
private func snapshot(_ response: String, clientState: String? = nil) -> String {
  func quoted(_ text: String) -> String { JSONValue.string(text).text }
  let more = clientState.map { #","clientState":\#(quoted($0))"# } ?? ""
  return """
    {"version":3,"flowProtocol":"idx","configuration":{"clientID":"0oaShopApp0000000001",\
    "issuer":"https://id.shop.example/oauth2/default","redirectURI":"com.example.shop:/callback",\
    "scopes":["openid","profile"]},"interactionHandle":"ih","nonce":"n","status":200,\
    "pkce":{"verifier":"n-qG0b_JTIBG6d4h0XVOIEz3bxa75i0k-4oviiMR4Kw"},"redirectState":"s",\
    "response":\(quoted(response))\(more)}
    """
}

/// A form with a SAML response, whose assertion has some elements.
private func samlForm(_ elements: String) -> String {
  let xml = "<Response><Assertion>\(elements)</Assertion></Response>"
  let text = Data(xml.utf8).base64EncodedString()
  return "<form action='https://a.example/' method=post><input name=SAMLResponse value='\(text)'>"
}

private func recording(_ exchanges: String) -> String {
  #"{"format":"idx-flow recording","version":1,"exchanges":[\#(exchanges)]}"#
}

private func exchange(fields: String = "", body: String = "") -> String {
  #"""
  {"start":0,"duration":12,"request":
  {"method":"POST","url":"https://id.shop.example/","headers":{\#(fields)},"json":{"a":[\#(body)]}},
  "response":{"status":200,"headers":{},"text":"no"},"replaced":["request.url"]}
  """#
}
