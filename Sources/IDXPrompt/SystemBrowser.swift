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
/// desktop is elsewhere. No shell is involved, and what a program writes is dropped.
public struct SystemBrowser: Sendable {
  private let environment: [String: String]
  private let patience: Duration

  /// The browser that the environment names, or the one of the system.
  ///
  /// `patience` is how long a program may run before that counts as a page opened; one that ends
  /// sooner tells by its status.
  public init(environment: [String: String], patience: Duration = .seconds(1)) {
    self.environment = environment
    self.patience = patience
  }

  /// Opens a page, and tells whether a browser took it.
  ///
  /// Only https is opened, and http; anything else could start any program.
  public func open(_ url: URL) async -> Bool {
    guard ["https", "http"].contains(url.scheme?.lowercased()) else { return false }
    for command in commands(for: url.absoluteString) {
      if await run(command) { return true }
    }
    return false
  }

  /// The programs to try, each with its arguments.
  func commands(for address: String) -> [[String]] {
    let entries = (environment["BROWSER"] ?? "").split(separator: ":")
    var commands = entries.map { entry -> [String] in
      let words = entry.split(separator: " ").map(String.init)
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

  /// Runs a program until it ends, or is still there when the patience is.
  private func run(_ command: [String]) async -> Bool {
    guard let process = Self.start(command, environment) else { return false }
    let (ends, end) = AsyncStream.makeStream(of: Bool.self)
    // Waiting blocks, for as long as a browser runs that is no client of another.
    let watcher = DispatchQueue(label: "idx-flow.browser")
    watcher.async {
      var status: Int32 = 0
      while waitpid(process, &status, 0) < 0, errno == EINTR {}
      end.yield(status == 0)
      end.finish()
    }
    let time = Task { [patience] in
      try? await Task.sleep(for: patience)
      end.yield(true)
    }
    defer { time.cancel() }
    for await isWell in ends { return isWell }
    return false
  }

  /// Starts a program away from the terminal, in a process group of its own, so that Ctrl-C is not for
  /// it; nil where it cannot be started.
  private static func start(_ command: [String], _ environment: [String: String]) -> pid_t? {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0 else { return nil }
    defer { posix_spawn_file_actions_destroy(&actions) }
    guard posix_spawnattr_init(&attributes) == 0 else { return nil }
    defer { posix_spawnattr_destroy(&attributes) }
    for descriptor: Int32 in 0...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // The signals that this process catches or blocks are the program's own again.
    var every = sigset_t()
    var none = sigset_t()
    sigfillset(&every)
    sigemptyset(&none)
    posix_spawnattr_setsigdefault(&attributes, &every)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
    posix_spawnattr_setflags(&attributes, numericCast(flags))
    let arguments = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    guard let program = arguments.first ?? nil else { return nil }
    var process: pid_t = 0
    let code = posix_spawnp(&process, program, &actions, &attributes, arguments, variables)
    return code == 0 ? process : nil
  }
}
