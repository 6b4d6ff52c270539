import Foundation
import IDXBase
import IDXBrowserAuth
import IDXOAuth

@testable import IDXNetwork
@testable import IDXPrompt

extension FuzzTarget {
  /// Text for a terminal: nothing in it moves the cursor, and cleaning it again changes nothing.
  static let text = FuzzTarget(
    name: "text",
    seeds: ["\u{1B}[31mred\u{1B}]0;title\u{7}\u{9B}1;2H", "a\u{202E}b\u{200D}\r\n\tc"]
  ) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let clean = TextSanitizer().clean(text)
    let line = TextSanitizer(oneLine: true).clean(text)
    precondition(
      clean.unicodeScalars.allSatisfy { $0 == "\n" || !isControl($0) }, "Text has controls.")
    precondition(!line.unicodeScalars.contains(where: isControl), "A line has controls.")
    precondition(TextSanitizer().clean(clean) == clean, "Cleaning is not idempotent.")
    precondition(TextSanitizer(oneLine: true).clean(line) == line, "Cleaning is not idempotent.")
    precondition(!text.printable.hasControls, "A printable text has controls.")
    precondition(text.quotedBriefly.unicodeScalars.count <= 103, "A quotation is too long.")
    precondition(
      !ControlSequences.removed(from: text).unicodeScalars.contains(where: isControl))
    let lines = TextWrapper(width: 20).lines(of: clean, prefix: "  ")
    // Between spaces, a mark without a letter belongs to the space. No-break spaces become spaces.
    func isSpace(_ scalar: Unicode.Scalar) -> Bool { " \u{A0}\n".unicodeScalars.contains(scalar) }
    precondition(
      lines.flatMap(\.unicodeScalars).filter { !isSpace($0) }
        == clean.unicodeScalars.filter { !isSpace($0) }, "Text is lost.")
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// Secrets in texts of a server: the first line is the secret.
  static let redactor = FuzzTarget(
    name: "redactor", seeds: ["password\nNo password, no PASSWORD, no cGFzc3dvcmQ="]
  ) { bytes in
    let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.count == 2 else { return }
    let shown = SecretRedactor(lines[0].split(separator: " ").map { Secret(String($0)) })
      .removed(from: lines[1])
    precondition(shown.count <= 2000 * 8 + 1, "A text is too long.")
    let rest = shown.replacing("‹secret›", with: "‹›").lowercased()
    for secret in lines[0].split(separator: " ") where secret.utf8.count >= 6 {
      let isASCII = (secret + lines[1]).utf8.allSatisfy { (0x20..<0x7F).contains($0) }
      precondition(
        !isASCII || !rest.contains(secret.lowercased()), "A secret is shown.")
    }
  }

  /// The lines of the heads of responses, as libcurl passes them, and what it says about a stream.
  static let head = FuzzTarget(
    name: "head",
    seeds: [
      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/2 200\r\nA: 1\r\na: 2\r\n b\r\n\r\nTrailer: x\r\n",
      "Using Stream ID: 5 (easy\nrecveived GOAWAY, error=0, last_stream=3",
      "HTTP/1.1 200 OK\nContent-Encoding: gzip\nTransfer-Encoding: gzip, chunked\n\n",
    ]
  ) { bytes in
    var reader = ResponseReader(longestBody: 9)
    var log = StreamLog()
    var size = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let line = Array(line) + [0x0A]
      size += line.count
      var failure: TransportFailure?
      line.withUnsafeBufferPointer { buffer in
        do throws(TransportFailure) { try reader.take(line: buffer) } catch { failure = error }
      }
      if size > ResponseReader.longestHead {
        precondition(failure == .headTooLarge(ResponseReader.longestHead), "The limit is wrong.")
      } else {
        // The only other reasons are a body that is compressed, and one with two lengths.
        // A combining mark would be one character with the colon.
        let text = String(decoding: line.map { $0 < 0x80 ? $0 : 0x3F }, as: UTF8.self).lowercased()
        precondition(
          failure == nil || failure == .unrequestedEncoding && text.contains("-encoding:")
            || failure == .notHTTP && text.contains("content-length:"),
          "A line was refused that names no coding and no length.")
      }
      // A response that was refused is not read further.
      if failure != nil { return }
      log.read(String(decoding: line, as: UTF8.self))
    }
    let headers = reader.response?.headers ?? [:]
    precondition(
      Set(headers.keys.map { $0.lowercased() }).count == headers.count, "A field is there twice.")
    precondition(
      !headers.contains { ($0 + $1).utf8.contains(0x0A) }, "A field has a line break.")
    precondition(reader.response?.status ?? 200 >= 200, "A 1xx response counts.")
  }

  /// Times of a server.
  static let timestamp = FuzzTarget(
    name: "timestamp", seeds: ["2031-03-04T10:15:00.000Z", "2032-02-29T23:59:60.5+01:00"]
  ) { bytes in
    let date = Date(timestamp: String(decoding: bytes, as: UTF8.self))
    precondition(date?.timeIntervalSince1970.isFinite ?? true, "A time is not finite.")
  }

  /// Pages with a SAML response in a form: one response for an address that is secure, or none.
  static let saml = FuzzTarget(
    name: "saml",
    seeds: [
      "<form action='https&#x3a;//a.example/' method=POST><input name=\"SAMLResponse\" value=\(samlResponse)>"
        + "<input name=RelayState value='&amp;&#98'></form><!-- a --><script>b</script>"
    ]
  ) { bytes in
    guard let url = URL(string: "https://id.shop.example/app/a/b/sso/saml"),
      let response = try? SAMLResponse(page: bytes, at: url)
    else { return }
    precondition(
      ["http", "https"].contains(response.destination.scheme?.lowercased()),
      "The response is for something other than a web address.")
    let page = """
      <form action="\(escaped(response.destination.absoluteString))" method="post">
      <input name="SAMLResponse" value="\(escaped(response.encoded.revealed))">
      <input name="RelayState" value="\(escaped(response.relayState ?? ""))"></form>
      """
    // A text with invalid UTF-8 was repaired by then, so it is the same again.
    precondition(
      (try? SAMLResponse(page: Array(page.utf8), at: url)) == response,
      "A written form is read as another one.")
  }

  /// Sign-in pages of an org: what is found can be sent as a token, and is found again.
  static let page = FuzzTarget(
    name: "page",
    seeds: [
      #"<script>var stateToken = '02.id\x2Da_b';</script>"#,
      #"{"stateToken" : "", "a": {"stateToken":"02.\u002db"}}"#,
      #"var config = JSON.parse('{\x22stateToken\x22\x3A\x2202.a\x5Cx2Db\x22}');"#,
      "<input data-a='{&quot;stateToken&quot;:&quot;02.a&quot;}'> stateToken: '00a'",
    ]
  ) { bytes in
    let page = HostedPage(bytes)
    let tokens = page.stateTokens.map(\.revealed)
    precondition(tokens.count <= 5 && Set(tokens).count == tokens.count, "Tokens are repeated.")
    precondition(tokens.isEmpty || !page.isClassic, "A page with a token is not a classic one.")
    for token in tokens {
      precondition(
        (1...(16 << 10)).contains(token.utf8.count) && !token.hasPrefix("00")
          && token.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._~+/=".utf8.contains($0) },
        "A token has other characters than tokens have.")
    }
    let written = tokens.map { "stateToken='\($0)'" }.joined(separator: "\n")
    precondition(
      HostedPage(Array(written.utf8)).stateTokens == page.stateTokens,
      "A written page is read as another one.")
  }

  private static let samlResponse =
    "PFJlc3BvbnNlPjxBc3NlcnRpb24+PEF0dHJpYnV0ZVN0YXRlbWVudD48QXR0cmlidXRlIE5hbWU9ImEiPjxBdHRyaWJ1dGVWYWx1"
    + "ZT5iPC9BdHRyaWJ1dGVWYWx1ZT48L0F0dHJpYnV0ZT48L0F0dHJpYnV0ZVN0YXRlbWVudD48L0Fzc2VydGlvbj48L1Jlc3BvbnNl"
    + "Pg=="

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;")
  }
}
