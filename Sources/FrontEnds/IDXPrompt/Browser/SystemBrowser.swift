import Dispatch
import IDXSystem

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The browser of the desktop.
///
/// Commands are tried in this order: those in `BROWSER` (separated by colons; `%s` stands for the
/// address, which is otherwise the last argument), `open` on macOS, and `xdg-open` on Linux if `DISPLAY`
/// or `WAYLAND_DISPLAY` is set. Over SSH (`SSH_CONNECTION` or `SSH_TTY`), only `BROWSER` is used, because the desktop
/// is on another computer. Commands without a program are skipped. No shell is used, and the output of
/// the programs is dropped.
public struct SystemBrowser: Sendable {
  private let environment: [String: String]
  private let timeout: Duration

  /// Creates a browser with the environment of the process.
  ///
  /// A program that still runs after the `timeout` has opened the page; one that ends sooner has opened
  /// it if its exit status is 0.
  public init(environment: [String: String], timeout: Duration = .seconds(1)) {
    self.environment = environment
    self.timeout = timeout
  }

  /// Whether there is a command to try.
  package var isAvailable: Bool { !commands(for: "").isEmpty }

  /// Opens a page and returns whether a browser accepted it.
  ///
  /// Only https, http and the links of Okta Verify are opened: other schemes could start any program.
  public func open(_ url: URL) async -> Bool {
    guard ["https", "http", "com-okta-authenticator"].contains(url.scheme?.lowercased()) else {
      return false
    }
    for command in commands(for: url.absoluteString) {
      // After a cancellation no other browser must open the page.
      if Task.isCancelled { return false }
      if await run(command) { return true }
    }
    return false
  }

  /// The programs to try, each with its arguments.
  func commands(for address: String) -> [[String]] {
    let entries = (environment["BROWSER"] ?? "").split(separator: ":")
    var commands = entries.compactMap { entry -> [String]? in
      let words = entry.split(separator: " ").map(String.init)
      // The address comes from the server and must never be the program.
      guard let program = words.first, !program.contains("%s") else { return nil }
      let filled = words.map { $0.replacing("%s", with: address) }
      return filled == words ? words + [address] : filled
    }
    func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
    guard !isSet("SSH_CONNECTION"), !isSet("SSH_TTY") else { return commands }
    #if os(macOS)
      commands.append(["/usr/bin/open", address])
    #else
      if isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") { commands.append(["xdg-open", address]) }
    #endif
    return commands
  }

  /// Runs a program until it ends or the timeout is over; returns whether it opened the page.
  private func run(_ command: [String]) async -> Bool {
    guard let process = try? spawn(command, environment: environment, ownProcessGroup: true) else {
      return false
    }
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    // Waiting blocks a thread until the program ends, which may be when the browser is closed.
    DispatchQueue(label: "idx-flow.browser").async {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      end.yield(status == 0)
      end.finish()
    }
    let timer = Task { [timeout] in
      try? await Task.sleep(for: timeout)
      end.yield(true)
    }
    defer { timer.cancel() }
    for await isOpened in ends { return isOpened }
    return false
  }
}
