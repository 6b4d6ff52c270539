#if canImport(SwiftUI)
  import Foundation
  import IDXBase
  import SwiftUI

  /// The clipboard of the system, for a secret that a person copies.
  @MainActor
  enum Clipboard {
    /// Copies a secret, so that other devices do not get it and, on iOS, it is gone after two minutes.
    static func copy(_ secret: Secret) {
      #if os(macOS)
        let board = NSPasteboard.general
        board.prepareForNewContents(with: .currentHostOnly)
        board.setString(secret.revealed, forType: .string)
        // Programs that keep a history leave out what has this type (nspasteboard.org).
        board.setString("", forType: NSPasteboard.PasteboardType("org.nspasteboard.ConcealedType"))
      #else
        UIPasteboard.general.setItems(
          [["public.utf8-plain-text": secret.revealed]],
          options: [.localOnly: true, .expirationDate: Date(timeIntervalSinceNow: 120)])
      #endif
    }
  }
#endif
