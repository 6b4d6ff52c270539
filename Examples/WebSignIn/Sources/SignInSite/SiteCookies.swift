/// The cookies of the site, which contain only random IDs.
///
/// Scripts cannot read them, and other sites' posts do not carry them. The browser forgets them when it is
/// closed.
struct SiteCookies {
  enum Kind: String {
    case signIn = "sign-in"
    case account
  }

  /// Whether the site is reached by https, so that the cookies are never sent without it.
  let isSecure: Bool

  /// The name; with this prefix, browsers refuse a cookie that another host or plain http has set.
  func name(of kind: Kind) -> String { (isSecure ? "__Host-" : "") + kind.rawValue }

  func setting(_ kind: Kind, to id: String) -> String {
    "\(name(of: kind))=\(id); Path=/; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
  }

  func deleting(_ kind: Kind) -> String { setting(kind, to: "") + "; Max-Age=0" }
}
