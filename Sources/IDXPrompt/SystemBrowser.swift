import IDXSystem
import Dispatch

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

/// The browser of the person's desktop.
///
/// Tried are, in this order: each of the commands in `BROWSER` (separated by colons, with `%s` for the
/// address, or without, when the address comes last), `open` on macOS, and `xdg-open` on Linux where
/// `DISPLAY` or `WAYLAND_DISPLAY` is set. Over ssh (`SSH_CONNECTION`) only `BROWSER` counts, since the
/// desktop is elsewhere. Entries that name no program are passed over. No shell is involved, and what a program writes is dropped.
public struct SystemBrowser: Sendable {
  private let environment: [String: String]
  private let timeout: Duration

  /// The browser that the environment names, or the one of the system.
  ///
  /// `timeout` is how long a program may run before that counts as a page opened; one that ends
  /// sooner tells by its status.
  public init(environment: [String: String], timeout: Duration = .seconds(1)) {
    self.environment = environment
    self.timeout = timeout
  }

  /// Opens a page, and tells whether a browser took it.
  ///
  /// Only https is opened, and http; anything else could start any program.
  public func open(_ url: URL) async -> Bool {
    guard ["https", "http"].contains(url.scheme?.lowercased()) else { return false }
    for command in commands(for: url.absoluteString) {
      // Whoever has given up wants no page, least of all in the next browser.
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
      // The address, which the server names, is never the program.
      guard let program = words.first, !program.contains("%s") else { return nil }
      let filled = words.map { $0.replacing("%s", with: address) }
      return filled == words ? words + [address] : filled
    }
    func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
    guard !isSet("SSH_CONNECTION") else { return commands }
    #if os(macOS)
      commands.append(["/usr/bin/open", address])
    #else
      if isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") { commands.append(["xdg-open", address]) }
    #endif
    return commands
  }

  /// Runs a program until it ends, or is still there when the timeout is.
  private func run(_ command: [String]) async -> Bool {
    let spawn = Spawn(
      command: command, environment: environment, streams: [.null, .null, .null],
      ownProcessGroup: true)
    guard let process = try? spawn.start() else { return false }
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    // Waiting blocks, for as long as a browser runs that is no client of another.
    let watcher = DispatchQueue(label: "idx-flow.browser")
    watcher.async {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      end.yield(status == 0)
      end.finish()
    }
    let time = Task { [timeout] in
      try? await Task.sleep(for: timeout)
      end.yield(true)
    }
    defer { time.cancel() }
    for await isWell in ends { return isWell }
    return false
  }
}
