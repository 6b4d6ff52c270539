/// The files that every page loads.
public struct StaticFile: Sendable {
  /// The media type.
  public let mediaType: String
  /// The bytes.
  public let bytes: [UInt8]

  /// The file at a path, in the style of the site; nil if there is none.
  public init?(at path: String, style: PageStyle = PageStyle()) {
    switch path {
    case "/sign-in.css":
      (mediaType, bytes) = ("text/css; charset=utf-8", PackageResources.sign_in_css)
    case "/sign-in.js":
      (mediaType, bytes) = ("text/javascript; charset=utf-8", PackageResources.sign_in_js)
    case "/site.css":
      guard let css = style.css else { return nil }
      (mediaType, bytes) = ("text/css; charset=utf-8", Array(css.utf8))
    default: return nil
    }
  }
}
