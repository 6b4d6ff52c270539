/// A page with the header fields of its response.
public struct RenderedPage: Sendable {
  /// The document.
  public let html: HTML
  /// The header fields, in order: the media type, the policy, and that nobody keeps the page.
  ///
  /// The policy (Content-Security-Policy) lets the page load its own style and script, pictures in the page and the logo,
  /// and nothing else; no other page can contain it.
  public let headers: [(name: String, value: String)]

  /// Creates a page whose forms lead to these sources, and whose script may request these origins.
  init(_ html: HTML, style: PageStyle, requesting origins: [String] = [], formAction: String?) {
    self.html = html
    let images = ["data:", style.imageSource].compactMap(\.self).joined(separator: " ")
    let connections = (["'self'"] + origins).joined(separator: " ")
    let policy = [
      "default-src 'none'", "style-src 'self'", "script-src 'self'", "img-src \(images)",
      "connect-src \(connections)", formAction.map { "form-action \($0)" }, "base-uri 'none'",
      "frame-ancestors 'none'",
    ].compactMap(\.self).joined(separator: "; ")
    headers = [
      ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
      ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"),
      ("Referrer-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
    ]
  }

  /// The bytes of the document in UTF-8.
  public var body: [UInt8] { Array(html.markup.utf8) }
}
