package import Foundation

/// Starts a program without a shell and returns its process ID.
///
/// A program without a slash is searched for in `PATH`. `streams` are descriptors for standard input,
/// output and error, in this order; nil is `/dev/null`. In its own process group, Ctrl-C does not reach
/// the program.
package func spawn(
  _ command: [String], environment: [String: String], streams: [Int32?] = [nil, nil, nil],
  ownProcessGroup: Bool = false
) throws(SystemFailure) -> pid_t {
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
  for (number, descriptor) in zip(Int32(0)..., streams) {
    if let descriptor {
      posix_spawn_file_actions_adddup2(&actions, descriptor, number)
    } else {
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
