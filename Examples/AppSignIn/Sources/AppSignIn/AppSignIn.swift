import AppSignInUI
import SwiftUI

/// The app.
@main
struct AppSignIn: App {
  var body: some Scene {
    WindowGroup {
      RootView().task { Self.comeToFront() }
    }
  }

  /// Without an app bundle, macOS gives a program no place in the Dock and no keyboard by itself.
  private static func comeToFront() {
    #if os(macOS)
      NSApplication.shared.setActivationPolicy(.regular)
      NSApplication.shared.activate()
    #endif
  }
}
