/// The files that the pages load: a style and a script, others for what few pages have, and the colour of the site.
public struct StaticFile: Sendable {
  /// The media type.
  public let mediaType: String
  /// The bytes.
  public let bytes: [UInt8]

  /// The header fields of the response, in order: a browser may keep the file for an hour.
  public var headers: [(name: String, value: String)] {
    [
      ("Content-Type", mediaType), ("Cache-Control", "max-age=3600"),
      ("X-Content-Type-Options", "nosniff"),
    ]
  }

  /// The file at a path, in the style of the site; nil if there is none.
  public init?(at path: String, style: PageStyle = PageStyle()) {
    switch path {
    case "/sign-in.css":
      (mediaType, bytes) = ("text/css; charset=utf-8", Self.css)
    case "/lists.css":
      (mediaType, bytes) = ("text/css; charset=utf-8", Self.listCSS)
    case "/sign-in.js":
      (mediaType, bytes) = ("text/javascript; charset=utf-8", Self.script)
    case "/passkey.js":
      (mediaType, bytes) = ("text/javascript; charset=utf-8", Self.passkeyScript)
    case "/okta-verify.js":
      (mediaType, bytes) = ("text/javascript; charset=utf-8", Self.oktaVerifyScript)
    case "/rules.js":
      (mediaType, bytes) = ("text/javascript; charset=utf-8", Self.rulesScript)
    case "/site.css":
      guard let css = style.css else { return nil }
      (mediaType, bytes) = ("text/css; charset=utf-8", Array(css.utf8))
    default: return nil
    }
  }

  private static let css = style(PackageResources.sign_in_css)
  private static let listCSS = style(PackageResources.lists_css)

  private static func style(_ bytes: [UInt8]) -> [UInt8] {
    short(bytes, comment: "/*", end: "") { line in
      // No text of the style has these.
      let shorter = [": ", "; ", ", ", " { ", " }", " > ", " ~ "].reduce(line) {
        $0.replacing($1, with: $1.filter { $0 != " " })
      }
      return [(";}", "}"), (" 0.", " ."), (":0.", ":.")].reduce(shorter) {
        $0.replacing($1.0, with: $1.1)
      }
    }
  }

  private static let script = script(PackageResources.sign_in_js)
  private static let passkeyScript = script(PackageResources.passkey_js)
  private static let oktaVerifyScript = script(PackageResources.okta_verify_js)
  private static let rulesScript = script(PackageResources.rules_js)

  private static func script(_ bytes: [UInt8]) -> [UInt8] {
    short(bytes, comment: "//") { $0 }
  }

  /// The lines without indentation, and without those that are comments.
  private static func short(
    _ bytes: [UInt8], comment: String, end: String = "\n", change: (String) -> String
  ) -> [UInt8] {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      String(line.drop { $0 == " " })
    }
    let kept = lines.filter { !$0.isEmpty && !$0.hasPrefix(comment) }.map(change)
    return Array(kept.joined(separator: end).utf8)
  }
}
