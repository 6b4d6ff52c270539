import IDXOAuth

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
  ///
  /// The query of the path has the version of the files, and does not matter here.
  public init?(at path: String, style: PageStyle = PageStyle()) {
    let path = String(path.prefix { $0 != "?" })
    if path == "/site.css", let css = style.css {
      (mediaType, bytes) = (Self.css, Array(css.utf8))
    } else if let file = Self.files[path] {
      (mediaType, bytes) = file
    } else {
      return nil
    }
  }

  private static let css = "text/css; charset=utf-8"
  private static let javaScript = "text/javascript; charset=utf-8"

  /// The files that are the same on all sites, by their paths.
  private static let files: [String: (mediaType: String, bytes: [UInt8])] = [
    "/sign-in.css": (css, style(PackageResources.sign_in_css)),
    "/lists.css": (css, style(PackageResources.lists_css)),
    "/sign-in.js": (javaScript, script(PackageResources.sign_in_js)),
    "/passkey.js": (javaScript, script(PackageResources.passkey_js)),
    "/okta-verify.js": (javaScript, script(PackageResources.okta_verify_js)),
    "/rules.js": (javaScript, script(PackageResources.rules_js)),
  ]

  /// The address of a file in a page.
  ///
  /// It has the version of all files, so that a browser never puts a new script beside an old one that it has kept.
  static func address(of path: String) -> String { "\(path)?\(version)" }

  private static let version = {
    let bytes = files.sorted { $0.key < $1.key }.flatMap(\.value.bytes)
    return String(HashFunction.sha256.hash(bytes).hexadecimal.prefix(8))
  }()

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
