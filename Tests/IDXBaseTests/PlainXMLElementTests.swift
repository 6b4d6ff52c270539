import Expectations
import IDXBase
import Testing

/// XML without document types.
struct PlainXMLElementTests {
  private func parse(_ text: String) -> PlainXMLElement? {
    PlainXMLElement(parsing: Array(text.utf8))
  }

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
    expectEqual(root.attributes, ["xmlns": "https://example.com/?a=1&b", "b": "\""])
    expectEqual(parse("<s:A><t:B/><B/></s:A>")?.children(withLocalName: "B").count, 2)
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

  @Test("What is not well-formed or not UTF-8 is refused, wherever it ends")
  func malformed() {
    for text in [
      "", " ", "a", "<", "<a", "<a>", "<a/", "<a/>b", "<a/><b/>", "</a>", "<a></b>",
      "<a><b></a></b>", "<a b>", "<a b=>", "<a b=\"/>", "<a b=1/>", "<a b=\"<\"/>",
      "<a b=\"1\"c=\"2\"/>", "<a b=\"&c;\"/>", "<a b=\"1\" b=\"1\"/>", "< a/>", "<1/>",
      "<a>&</a>", "<a>&lt</a>", "<a>&#;</a>", "<a>&#x;</a>", "<a>&#xD800;</a>",
      "<a>&#x110000;</a>", "<a>&#-1;</a>", "<a>&#+1;</a>", "<?xml", "<?xml>", "<a>&amp",
    ] {
      expectEqual(parse(text), nil, "\(text)")
    }
    expectEqual(PlainXMLElement(parsing: Array("<a>".utf8) + [0xFF] + Array("</a>".utf8)), nil)
    let whole = Array("<?xml version=\"1.0\"?><a b=\"c\"><d>&lt;e</d><f/></a>".utf8)
    expect(PlainXMLElement(parsing: whole) != nil)
    for count in whole.indices {
      expectEqual(PlainXMLElement(parsing: Array(whole[..<count])), nil)
    }
  }

  @Test("The depth and the size are limited", .promise("aws-response"))
  func limits() {
    func nested(_ depth: Int) -> String {
      String(repeating: "<a>", count: depth) + String(repeating: "</a>", count: depth)
    }
    expect(parse(nested(PlainXMLElement.maximumDepth)) != nil)
    expectEqual(parse(nested(PlainXMLElement.maximumDepth + 1)), nil)
    expectEqual(parse(nested(20_000)), nil)
    func long(_ count: Int) -> String { "<a>" + String(repeating: "b", count: count - 7) + "</a>" }
    expect(parse(long(PlainXMLElement.maximumSize)) != nil)
    expectEqual(parse(long(PlainXMLElement.maximumSize + 1)), nil)
  }
}
