import AppSignInUI
import SwiftUI

/// The app: your org if the bundle has an `Okta.plist`, otherwise one that is simulated in memory.
@main
struct AppSignIn: App {
  @State private var model = AppModel.launch()

  var body: some Scene {
    WindowGroup { RootView(model: model) }
  }
}
