#if canImport(SwiftUI)
  import Foundation
  import IDXFlow
  import SwiftUI

  /// The key of an authenticator app: as a QR code for another device, as text, and as a link for this one.
  struct AuthenticatorAppView: View {
    let app: AuthenticatorApp
    let words: Words

    var body: some View {
      Section {
        // A phone cannot scan its own screen.
        #if os(iOS)
          link
          code
        #else
          code
          link
        #endif
        if let key = app.keyInGroups {
          HStack {
            Text(key).font(.title3.monospaced()).textSelection(.enabled)
            Button(words.app("app.copy-key"), systemImage: "doc.on.doc") {
              if let secret = app.uri?.secret { Clipboard.copy(secret) }
            }
            .labelStyle(.iconOnly).buttonStyle(.borderless)
          }
        }
        if let account = app.uri?.account { Text(account).foregroundStyle(.secondary) }
      }
    }

    @ViewBuilder private var code: some View {
      if let modules = app.qrCodeModules {
        QRCodeView(modules: modules).accessibilityLabel(Text(words.app("app.qr-code")))
      }
    }

    @ViewBuilder private var link: some View {
      if let uri = app.uri.flatMap({ URL(string: $0.text.revealed) }) {
        Link(words.app("app.open-authenticator"), destination: uri)
      }
    }
  }

  /// A QR code, dark on white also in dark mode.
  struct QRCodeView: View {
    let modules: [[Bool]]

    private static let quietZone = 4

    var body: some View {
      Canvas { context, size in
        let width = size.width / Double(modules.count + 2 * Self.quietZone)
        for (y, row) in modules.enumerated() {
          for (x, isDark) in row.enumerated() where isDark {
            let square = CGRect(
              x: Double(x + Self.quietZone) * width, y: Double(y + Self.quietZone) * width,
              width: width, height: width)
            context.fill(Path(square), with: .color(.black))
          }
        }
      }
      .background(.white)
      .aspectRatio(1, contentMode: .fit)
      .frame(maxWidth: 240)
    }
  }
#endif
