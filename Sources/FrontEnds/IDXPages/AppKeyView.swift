import Foundation
import IDXFlow

/// The key for an authenticator app: as a QR code for another device, as a link for this one, and as text.
struct AppKeyView {
  let app: AuthenticatorApp
  let words: Words
  /// Whether the page asks for a code of the app.
  let asksForCode: Bool

  var html: HTML {
    .tag(
      "section", ["class": "setup"],
      .tag(
        "ol", ["class": "steps"],
        .tag("li", [:], .text(words.page(.addAccount, ["app": app.name]))),
        .tag("li", [:], .text(words.page(image == nil ? .typeKey : .scan))),
        asksForCode ? .tag("li", [:], .text(words.page(.enterCode))) : nil),
      image.map { source in
        .tag("img", ["src": source, "alt": words.page(.qrCode), "width": "216", "height": "216"])
      },
      app.keyInGroups.map { key in
        .all(
          [
            image.map { _ in
              .tag("p", ["class": "hint", "id": "key-label"], .text(words.page(.cannotScan)))
            },
            .tag(
              "div", ["class": "key-box"],
              .tag(
                "code",
                [
                  "class": "key", "data-copy": words.page(.copy),
                  "data-copy-name": words.page(.copyKey), "data-copied": words.page(.copied),
                ], .text(key))),
          ].compactMap(\.self))
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
