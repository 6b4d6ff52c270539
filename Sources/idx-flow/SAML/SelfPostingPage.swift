import IDXBrowserAuth

/// A page that posts a SAML response to its app when a browser opens it.
struct SelfPostingPage {
  let html: String

  init(_ response: SAMLResponse) {
    let relay = response.relayState.map {
      "\n<input type=\"hidden\" name=\"RelayState\" value=\"\(Self.escaped($0))\">"
    }
    html = """
      <!doctype html>
      <meta charset="utf-8">
      <meta name="referrer" content="no-referrer">
      <title>SAML</title>
      <body onload="document.forms[0].submit()">
      <form method="post" action="\(Self.escaped(response.destination.absoluteString))">
      <input type="hidden" name="SAMLResponse" value="\(Self.escaped(response.encoded.revealed))">\(relay ?? "")
      <noscript><button>Continue</button></noscript>
      </form>
      """
  }

  private static func escaped(_ text: String) -> String {
    [("&", "&amp;"), ("\"", "&quot;"), ("<", "&lt;"), (">", "&gt;")].reduce(text) {
      $0.replacing($1.0, with: $1.1)
    }
  }
}
