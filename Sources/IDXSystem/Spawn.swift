#if canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#else
  package import Darwin
#endif

/// Starts a program without a shell.
package struct Spawn {
  /// Where a standard stream of the program leads.
  package enum Stream {
    case descriptor(Int32)
    /// `/dev/null`.
    case null
  }

  /// The program and its arguments; a program without a slash is searched for in `PATH`.
  package let command: [String]
  package let environment: [String: String]
  /// Standard input, output and error, in this order.
  package let streams: [Stream]
  /// Whether the program gets its own process group, so that Ctrl-C does not reach it.
  package var ownProcessGroup: Bool

  package init(
    command: [String], environment: [String: String], streams: [Stream],
    ownProcessGroup: Bool = false
  ) {
    self.command = command
    self.environment = environment
    self.streams = streams
    self.ownProcessGroup = ownProcessGroup
  }

  /// Starts the program and returns its process ID.
  package func start() throws(SystemFailure) -> pid_t {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
      var attributes: posix_spawnattr_t?
    #else
      var actions = posix_spawn_file_actions_t()
      var attributes = posix_spawnattr_t()
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    for (number, stream) in zip(Int32(0)..., streams) {
      switch stream {
      case .descriptor(let descriptor):
        posix_spawn_file_actions_adddup2(&actions, descriptor, number)
      case .null:
        posix_spawn_file_actions_addopen(&actions, number, "/dev/null", O_RDWR, 0)
      }
    }
    // The program must not inherit ignored signals, or the signals that threads of Dispatch block.
    var none = sigset_t()
    sigemptyset(&none)
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    #if canImport(Darwin)
      let closing = POSIX_SPAWN_CLOEXEC_DEFAULT
    #else
      // Code that opens a descriptor sets FD_CLOEXEC itself.
      let closing: Int32 = 0
    #endif
    let flags =
      POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
      | (ownProcessGroup ? POSIX_SPAWN_SETPGROUP : 0) | numericCast(closing)
    posix_spawnattr_setflags(&attributes, numericCast(flags))

    let words = command.map { strdup($0) } + [nil]
    let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var process: pid_t = 0
    guard let program = words.first ?? nil else {
      throw SystemFailure(call: "posix_spawn", code: EINVAL)
    }
    let code = posix_spawnp(&process, program, &actions, &attributes, words, variables)
    guard code == 0 else { throw SystemFailure(call: "posix_spawn", code: code) }
    return process
  }
}
