import IDXBase

/// The page that a browser shows when it has returned, in the language of the browser.
///
/// It loads nothing, and its policy (Content-Security-Policy) allows no style but its own.
struct LoopbackPage {
  /// What the page says.
  enum Kind: CaseIterable {
    /// The browser has brought the answer.
    case accepted
    /// The browser has brought a refusal.
    case refused
    /// The address is that of another sign-in.
    case otherSignIn
    /// The page was asked for by another user of this computer.
    case otherUser
    /// The entrance was asked for by another user of this computer.
    case entranceOfOtherUser
    /// The browser is sent to another page.
    case leads
    /// Anything else.
    case nothing
  }

  let kind: Kind
  /// The field `Accept-Language` of the request; empty without one.
  let languages: String

  /// The policy of the page; the hash is that of its style, which a test computes again.
  static let policy =
    "default-src 'none'; style-src 'sha256-pIhoMEeBQSKbdkEqzYax0Ew/l0cvTU1FsA2btu3t1lo='; base-uri 'none'; frame-ancestors 'none'"

  /// The style, for light and dark displays.
  static let style = """
    :root{color-scheme:light dark;--ink:#1b1f27;--quiet:#596172;--page:#f3f5f9;--card:#fff;--line:#dfe3ec;--mark:#1b6b35}
    .no{--mark:#a8181d}
    @media(prefers-color-scheme:dark){:root{--ink:#eceef2;--quiet:#a8afbd;--page:#121419;--card:#1c2028;--line:#343a47;--mark:#7fd79b}.no{--mark:#ff9a96}}
    body{margin:0;padding:1rem;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
    main{max-width:24rem;margin:12vh auto 0;padding:2rem;border:1px solid var(--line);border-radius:1rem;background:var(--card);text-align:center}
    .mark{display:grid;place-items:center;width:3rem;height:3rem;margin:0 auto 1rem;border:2px solid;border-radius:50%;color:var(--mark);font-size:1.4rem}
    h1{margin:0 0 .5rem;font-size:1.35rem;line-height:1.25}p{margin:0;color:var(--quiet)}
    """

  /// The document.
  var html: String {
    let isGerman = languages.prefix { $0.isLetter }.lowercased() == "de"
    let (title, text) = isGerman ? german : english
    let isFine = kind == .accepted || kind == .leads
    return """
      <!doctype html><html lang="\(isGerman ? "de" : "en")"><meta charset="utf-8">\
      <meta name="viewport" content="width=device-width, initial-scale=1"><title>\(title)</title>\
      <style>\(Self.style)</style><main class="\(isFine ? "yes" : "no")">\
      <div class="mark" aria-hidden="true">\(isFine ? "✓" : "!")</div>\
      <h1>\(title)</h1><p>\(text)</p></main></html>
      """
  }

  private var english: (title: String, text: String) {
    switch kind {
    case .accepted: ("Done", "You can close this window and go back to the terminal.")
    case .refused: ("You are not signed in", "Go back to the terminal, which says why.")
    case .otherSignIn:
      ("This address belongs to another sign-in", "Go back to the terminal.")
    case .otherUser:
      ("This sign-in belongs to another user", "Paste this address at the terminal.")
    case .entranceOfOtherUser:
      (
        "This sign-in belongs to another user", "Open the address that the terminal shows."
      )
    case .leads: ("One moment…", "The page of your organization opens.")
    case .nothing: ("There is nothing here", "Go back to the terminal.")
    }
  }

  private var german: (title: String, text: String) {
    switch kind {
    case .accepted: ("Fertig", "Sie können dieses Fenster schließen und zum Terminal zurückkehren.")
    case .refused:
      ("Sie sind nicht angemeldet", "Kehren Sie zum Terminal zurück, das den Grund nennt.")
    case .otherSignIn:
      ("Diese Adresse gehört zu einer anderen Anmeldung", "Kehren Sie zum Terminal zurück.")
    case .otherUser:
      (
        "Diese Anmeldung gehört einer anderen Person", "Fügen Sie diese Adresse im Terminal ein."
      )
    case .entranceOfOtherUser:
      (
        "Diese Anmeldung gehört einer anderen Person",
        "Öffnen Sie die Adresse, die das Terminal zeigt."
      )
    case .leads: ("Einen Moment…", "Die Seite Ihrer Organisation öffnet sich.")
    case .nothing: ("Hier ist nichts", "Kehren Sie zum Terminal zurück.")
    }
  }
}
