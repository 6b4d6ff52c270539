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
        exit(2)
      }
    }
    MainLoop.run()
    withExtendedLifetime(window) {}
  }

  private static func settings() async throws -> Settings {
    let arguments = CommandLine.arguments.dropFirst()
    switch (arguments.first, arguments.dropFirst().first) {
    case ("--demo", let name): return try .demo(name ?? "basic")
    case (let plist?, nil): return try await .org(plist)
    default: throw UsageError(message: "Usage: DesktopSignIn Okta.plist | --demo [SCENARIO]")
    }
  }
}
