import Foundation
import IDXFlow

/// The key for an authenticator app: as a QR code for another device, as a link for this one, and as text.
struct AppKeyView {
  let app: AuthenticatorApp
  let words: Words

  var html: HTML {
    .tag(
      "section", ["class": "setup"],
      image.map { source in
        .tag("img", ["src": source, "alt": words.page(.qrCode), "width": "200", "height": "200"])
      },
      image.map { _ in .tag("p", ["class": "hint"], .text(words.page(.scan))) },
      app.keyInGroups.map { key in
        .tag(
          "p", [:], .text(words.page(.typeKey)), .tag("br"),
          .tag(
            "code",
            [
              "class": "key", "data-copy": words.page(.copyKey), "data-copied": words.page(.copied),
            ], .text(key)))
      },
      app.uri.map { uri in
        .tag(
          "p", ["class": "hint"],
          .tag("a", ["href": uri.text.revealed], .text(words.page(.openApp))))
      })
  }

  private var image: String? {
    app.qrCodePNG().map { "data:image/png;base64," + Data($0).base64EncodedString() }
  }
}
