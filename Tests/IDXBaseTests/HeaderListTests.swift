import Expectations
import IDXBase
import Testing

/// Header fields that are lists.
struct HeaderListTests {
  @Test(
    "Separators in quoted texts and in angle brackets do not count",
    arguments: [
      ("", [""]), ("a", ["a"]), ("a, b ,c", ["a", "b", "c"]), (#""a,b", c"#, [#""a,b""#, "c"]),
      (#""a\",b", c"#, [#""a\",b""#, "c"]), ("<a,b>; x, c", ["<a,b>; x", "c"]),
      (#""<,", c"#, [#""<,""#, "c"]), (#"<">, c"#, [#"<">"#, "c"]), (",", ["", ""]),
      (#""a, b"#, [#""a, b"#]),
    ])
  func parts(text: String, expected: [String]) {
    expectEqual(HeaderList.parts(of: text, by: ","), expected)
  }

  @Test(
    "A parameter has a name in small letters and a value without its quotes",
    arguments: [
      ("a=b", "a", "b"), ("A = b", "a", "b"), (#"a="b c""#, "a", "b c"), ("a", "a", ""),
      (#"a="b\"\\c""#, "a", #"b"\c"#), ("a=", "a", ""), ("=b", "", "b"), (#"a=""#, "a", "\""),
    ])
  func parameter(text: String, name: String, value: String) {
    let found = HeaderList.parameter(text)
    expect(found.name == name && found.value == value)
  }
}
