import Expectations
import Testing

@testable import idx_flow

@Suite("XML of AWS")
struct XMLElementTests {
  private func parse(_ text: String) -> XMLElement? { XMLElement(parsing: Array(text.utf8)) }

  @Test("Elements, text, references and attributes are read; a declaration and spaces are skipped")
  func read() throws {
    let text = """
      \u{FEFF}<?xml version="1.0" encoding="UTF-8"?>
      <A xmlns="https://example.com/?a=1&amp;b" b='"'>
        <B-1>x &lt;&amp;&gt; &quot;&apos; &#65;&#x20ac;</B-1 ><C/><D a="1" />é
      </A>

      """
    let root = try require(parse(text))
    expectEqual(root.name, "A")
    expectEqual(root["B-1"]?.text, "x <&> \"' A€")
    expectEqual(root.children.map(\.name), ["B-1", "C", "D"])
    expectEqual(root["C"]?.text, "")
    expectEqual(root["E"], nil)
    expectContains(root.text, "é")
  }

  @Test(
    "Everything that can make a document grow or reach elsewhere is refused",
    .promise("aws-response"),
    arguments: [
      "<!DOCTYPE a [<!ENTITY b \"bb\">]><a>&b;</a>",
      "<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><a/>", "<a>&b;</a>", "<a><![CDATA[b]]></a>",
      "<a><!-- b --></a>", "<a><?b?></a>", "<?xml version=\"1.0\"?><?xml version=\"1.0\"?><a/>",
    ])
  func refused(text: String) { expectEqual(parse(text), nil) }

  @Test(
    "What is not well-formed is refused, wherever it ends",
    arguments: [
      "", " ", "a", "<", "<a", "<a>", "<a/", "<a/>b", "<a/><b/>", "</a>", "<a></b>",
      "<a><b></a></b>",
      "<a b>", "<a b=>", "<a b=\"/>", "<a b=1/>", "<a b=\"<\"/>", "<a b=\"1\"c=\"2\"/>", "< a/>",
      "<1/>", "<a>&</a>", "<a>&lt</a>", "<a>&#;</a>", "<a>&#x;</a>", "<a>&#xD800;</a>",
      "<a>&#x110000;</a>", "<a>&#-1;</a>", "<a>&#+1;</a>", "<?xml", "<?xml>", "<a>&amp",
    ])
  func malformed(text: String) { expectEqual(parse(text), nil) }

  @Test("Bytes that are not UTF-8 are refused")
  func notUTF8() {
    expectEqual(XMLElement(parsing: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)), nil)
  }

  @Test("A beginning of a document is never a document")
  func cut() {
    let whole = Array("<?xml version=\"1.0\"?><a b=\"c\"><d>&lt;e</d><f/></a>".utf8)
    expect(XMLElement(parsing: whole) != nil)
    for count in whole.indices { expectEqual(XMLElement(parsing: Array(whole[..<count])), nil) }
  }

  @Test("The depth and the size are limited", .promise("aws-response"))
  func limits() {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    expect(parse(nested(XMLElement.maximumDepth)) != nil)
    expectEqual(parse(nested(XMLElement.maximumDepth + 1)), nil)
    expectEqual(parse(nested(20_000)), nil)
    func long(_ count: Int) -> String { "<a>" + String(repeating: "b", count: count - 7) + "</a>" }
    expect(parse(long(XMLElement.maximumSize)) != nil)
    expectEqual(parse(long(XMLElement.maximumSize + 1)), nil)
  }
}
