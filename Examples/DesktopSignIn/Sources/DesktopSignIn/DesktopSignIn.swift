import CGTK
import Foundation

/// A window for a sign-in: `DesktopSignIn Okta.plist`, or `DesktopSignIn --demo SCENARIO`.
@main
@MainActor
struct DesktopSignIn {
  static func main() {
    gtk_init()
    var window: SignInWindow?
    Task {
      do {
        let app = DesktopApp(try await settings())
        window = SignInWindow(app)
        app.launch()
      } catch {
        FileHandle.standardError.write(Data("\(error.localizedDescription)\n".utf8))
        if error is UsageError { exit(2) }
        // Whoever starts a program from a menu does not see standard error.
        show(error.localizedDescription)
      }
    }
    MainLoop.run()
    withExtendedLifetime(window) {}
  }

  /// Shows why the app cannot start, until the window is closed.
  private static func show(_ problem: String) {
    let window: Widget = gtk_window_new()
    let text = label(problem)
    text.setMargins(24)
    gtk_window_set_child(window.cast(), text)
    gtk_window_set_default_size(window.cast(), 480, -1)
    window.onCloseRequest { exit(2) }
    gtk_window_present(window.cast())
  }

  private static func settings() async throws -> Settings {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.first, arguments.dropFirst().first) {
    case ("--demo", let name): return try .demo(name ?? "basic")
    case (let plist?, nil) where !plist.hasPrefix("-"): return try await .org(plist)
    default: throw UsageError(message: "Usage: DesktopSignIn Okta.plist | --demo [SCENARIO]")
    }
  }
}
