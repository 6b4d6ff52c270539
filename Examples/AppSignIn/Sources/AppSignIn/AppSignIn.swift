import AppSignInUI
import SwiftUI

/// The app: your org if the bundle has an `Okta.plist`, otherwise one that is simulated in memory.
@main
struct AppSignIn: App {
  @State private var model = AppModel.launch()

  var body: some Scene {
    WindowGroup {
      RootView(model: model).task { Self.comeToFront() }
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
