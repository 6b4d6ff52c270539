import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDXOAuth

/// The cookies of a sign-in.
struct CookieJarTests {
  private static let issuer = "https://id.shop.example/oauth2/default"
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private func url(_ text: String) throws -> URL { try require(URL(string: text)) }

  /// A jar after responses with these header fields, each from a path of the issuer's host.
  private func jar(
    _ fields: (path: String, field: String)..., issuer: String = Self.issuer
  ) throws -> CookieJar {
    let issuer = try url(issuer)
    var jar = CookieJar(issuer: issuer)
    for (path, field) in fields {
      jar.take(field, from: try url(Origin(issuer).description + path), at: Self.now)
    }
    return jar
  }

  private func sent(
    _ jar: CookieJar, to path: String = "/", at now: Date = Self.now
  ) throws -> String? {
    jar.header(for: try url("https://id.shop.example" + path), at: now)
  }

  @Test(
    "A cookie never goes to another origin", .promise("cookie-origin", "saved-cookie"),
    arguments: [
      "https://evil.example/", "http://id.shop.example/", "https://id.shop.example:8443/",
      "https://a.id.shop.example/", "https://shop.example/",
      "https://id.shop.example.evil.example/",
    ])
  func origins(_ other: String) throws {
    let jar = try jar(("/", "DT=1; Domain=shop.example; Path=/"))
    try expectEqual(sent(jar), "DT=1")
    expectEqual(jar.header(for: try url(other), at: Self.now), nil)
    var changed = jar
    changed.take("DT=2; Path=/", from: try url(other), at: Self.now)
    expectEqual(changed, jar)
  }

  @Test(
    "A cookie for another domain, or for the end of an IP address, is ignored",
    arguments: [
      (issuer, "id.shop.example", true), (issuer, "shop.example", true),
      (issuer, ".SHOP.example", true), (issuer, "", true), (issuer, "other.example", false),
      (issuer, "a.id.shop.example", false), (issuer, "hop.example", false),
      (issuer, "d.shop.example", false), ("http://127.0.0.1:8080", "127.0.0.1", true),
      ("http://127.0.0.1:8080", "0.1", false),
    ])
  func domains(issuer: String, domain: String, isTaken: Bool) throws {
    try expectEqual(jar(("/", "a=1; Domain=\(domain)"), issuer: issuer).isEmpty, !isTaken)
  }

  @Test("Over http, a cookie for https only is ignored")
  func secure() throws {
    let issuer = "http://127.0.0.1:8080"
    try expect(jar(("/", "a=1; Secure"), issuer: issuer).isEmpty)
    try expect(!jar(("/", "a=1"), issuer: issuer).isEmpty)
    try expect(!jar(("/", "a=1; Secure")).isEmpty)
  }

  @Test(
    "A cookie is sent to its path and below; without a path, to the folder of the request",
    arguments: [
      (["Path=/idp/idx"], "/", "/idp/idx", true),
      (["Path=/idp/idx"], "/", "/idp/idx/identify", true),
      (["Path=/idp/idx/"], "/", "/idp/idx/identify", true),
      (["Path=/idp/idx"], "/", "/idp/idx2", false), (["Path=/idp/idx"], "/", "/idp", false),
      (["Path=/idp/idx/"], "/", "/idp/idx", false), (["Path=/"], "/", "", true),
      (noPath, "/idp/idx/introspect", "/idp/idx/identify", true),
      (noPath, "/idp/idx/introspect", "/idp", false),
      (noPath, "/interact", "/other/path", true), (noPath, "", "/other", true),
      (noPath, "/idp/idx/introspect?x=/a/b/c", "/idp/idx/y", true),
    ] as [([String], String, String, Bool)])
  func paths(attributes: [String], setBy path: String, requested: String, isSent: Bool) throws {
    for attribute in attributes {
      let jar = try jar((path, "a=1; \(attribute)"))
      try expectEqual(sent(jar, to: requested), (isSent ? "a=1" : nil))
    }
  }

  private static let noPath = ["", "Path=", "Path=relative"]

  @Test("Longer paths come first, then older cookies")
  func order() throws {
    let jar = try jar(
      ("/", "a=1; Path=/"), ("/", "b=2; Path=/idp/idx"), ("/", "c=3; Path=/"),
      ("/", "d=4; Path=/idp/idx"), ("/", "a=5; Path=/"))
    try expectEqual(sent(jar, to: "/idp/idx/x"), "b=2; d=4; a=5; c=3")
  }

  @Test(
    "A cookie expires, but a date or age that cannot be read is ignored",
    arguments: [
      ("Max-Age=60", 60.0), ("max-age=60; Expires=Thu, 01 Jan 1970 00:00:10 GMT", 60),
      ("Expires=Fri, 15 Jan 2027 08:01:00 GMT", 60), ("Expires=Fri, 15-Jan-27 08:01:00 GMT", 60),
      ("Expires=Friday, 15-Jan-2027 8:1:0 GMT", 60), ("Expires=Fri Jan 15 08:01:00 2027", 60),
      ("Max-Age=7; Max-Age=60", 60), ("Max-Age=60; Max-Age=x", 60),
      ("Expires=tomorrow", nil), ("Expires=Fri, 32 Jan 2027 08:00:00 GMT", nil),
      ("Expires=", nil), ("Expires=Fri, 15 Jan 1600 08:00:00 GMT", nil),
      ("Expires=Fri, 31 Feb 2026 08:00:00 GMT", nil), ("Expires=15 Jan 2020", nil),
      ("Expires=15 Jan 2020 08:00", nil), ("Expires=15 Jan 2020 24:00:00", nil),
      ("Max-Age=", nil), ("Max-Age=1d", nil), ("Max-Age", nil), ("Max-Age=+0", nil),
      ("Max-Age=99999999999999999999", nil),
    ] as [(String, TimeInterval?)])
  func expiry(attribute: String, seconds: TimeInterval?) throws {
    let jar = try jar(("/", "a=1; \(attribute)"))
    guard let seconds else {
      try expectEqual(sent(jar, at: Self.now.addingTimeInterval(9 * 366 * 24 * 3600)), "a=1")
      return
    }
    try expectEqual(sent(jar, at: Self.now.addingTimeInterval(seconds - 1)), "a=1")
    try expectEqual(sent(jar, at: Self.now.addingTimeInterval(seconds)), nil)
  }

  @Test(
    "An expired cookie deletes the one with the same name and path",
    arguments: [
      "sid=\"\"; Version=1; Path=/; Max-Age=0", "sid=; Path=/; Max-Age=-1",
      "sid=x; Path=/; Expires=Thu, 01-Jan-1970 00:00:10 GMT",
      "sid=x; Path=/; Max-Age=-99999999999999999999",
    ])
  func deletion(field: String) throws {
    let jar = try jar(
      ("/", "sid=1; Path=/"), ("/", "sid=2; Path=/idp"), ("/", "DT=3; Path=/"), ("/", field))
    try expectEqual(sent(jar, to: "/idp"), "sid=2; DT=3")
  }

  @Test(
    "Cookies are sent back with their values, also if their header fields were joined by commas",
    arguments: [
      (#"DT=a=b"c d; Path=/; HttpOnly; SameSite=None"#, #"DT=a=b"c d"#),
      ("a=1, b=2", "a=1; b=2"), ("a=1; Path=/,b=2;Path=/", "a=1; b=2"),
      ("a=1; Expires=Fri, 15 Jan 2100 08:00:00 GMT; Path=/, b=2", "a=1; b=2"),
      ("a=1; Path=/; Expires=Fri, 15-Jan-2100 08:00:00 GMT, b=2", "a=1; b=2"),
      ("a=1,2, 3", "a=1,2, 3"), ("a=1,", "a=1,"), (",a=1", "a=1"), ("a=1, =2", "a=1, =2"),
    ])
  func joined(field: String, cookies: String) throws {
    try expectEqual(sent(CookieJar(issuer: url(Self.issuer))), nil)
    try expectEqual(sent(jar(("/", field))), cookies)
  }

  @Test(
    "A damaged cookie is ignored", .promise("cookie-origin"),
    arguments: [
      "", ";", "a", "=1", "; Path=/", "a b=1", "a=1\u{1}", "a=1\r\nX: y", "é=1", "a=é", "a=\u{7F}",
      "a=" + String(repeating: "x", count: 4096),
    ])
  func damaged(field: String) throws {
    try expect(jar(("/", field)).isEmpty)
  }

  @Test(
    "The number and the size of cookies are limited; the newest are kept", .promise("cookie-origin")
  )
  func limits() throws {
    var jar = CookieJar(issuer: try url(Self.issuer))
    for number in 0..<200 { jar.take("n\(number)=1", from: try url(Self.issuer), at: Self.now) }
    let names = try require(sent(jar, to: "/oauth2/x")).components(separatedBy: "; ")
    expectEqual(names.count, CookieJar.maximumCount)
    expect(names.last == "n199=1" && names.first == "n150=1")
    let long = String(repeating: "x", count: 4000)
    for number in 0..<20 {
      jar.take("l\(number)=\(long)", from: try url(Self.issuer), at: Self.now)
    }
    try expect(require(try sent(jar, to: "/oauth2/x")).utf8.count < CookieJar.maximumSize)
    let field = (0..<20).map { "l\($0)=\(long)" }.joined(separator: ", ")
    try expect(!self.jar(("/", field)).isEmpty)
  }

  @Test(
    "A jar is decoded as it was encoded, unless a cookie could change a request, and shows no value",
    .promise("saved-cookie"))
  func encoding() throws {
    let jar = try jar(("/", "DT=s3cr3t; Max-Age=60"), ("/idp/idx/x", "sid=hidden"))
    let data = try JSONEncoder().encode(jar)
    try expectEqual(JSONDecoder().decode(CookieJar.self, from: data), jar)
    for value in [#"1\r\nHost: evil.example"#, "1; other=2", "\\u0000"] {
      let text = String(decoding: data, as: UTF8.self)
      let changed = text.replacingOccurrences(of: "s3cr3t", with: value)
      expect(changed != text)
      #expect(throws: DecodingError.self, "\(value)") {
        try JSONDecoder().decode(CookieJar.self, from: Data(changed.utf8))
      }
    }
    let text = printedTexts(of: jar)
    expectContains(text, "2 cookies of https://id.shop.example")
    expect(!text.contains("s3cr3t") && !text.contains("hidden"))
  }
}
