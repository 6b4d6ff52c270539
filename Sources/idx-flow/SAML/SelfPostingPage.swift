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

  /// A text as the value of an attribute: only visible characters of ASCII stay as they are, so that nothing controls a
  /// terminal or ends the value.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      let isPlain =
        (0x20..<0x7F).contains(scalar.value) && !"&\"<>'".unicodeScalars.contains(scalar)
      return isPlain ? String(scalar) : "&#\(scalar.value);"
    }.joined()
  }
}
