#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Replaces this process with a program, which keeps the process ID, the open standard streams and the
/// terminal; returns only if that fails, with the reason.
///
/// A program without a slash is searched for in the `PATH` of `environment`. Signals have their default
/// actions, unless this process ignores them because its parent did.
package func replaceProcess(
  with command: [String], environment: [String: String]
) -> SystemFailure {
  guard let name = command.first, !name.isEmpty else {
    return SystemFailure(call: "execve", code: ENOENT)
  }
  let folders = (environment["PATH"] ?? "/usr/bin:/bin")
    .split(separator: ":", omittingEmptySubsequences: false)
  let paths = name.contains("/") ? [name] : folders.map { $0.isEmpty ? name : "\($0)/\(name)" }
  let words = command.map { strdup($0) } + [nil]
  let variables = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
  defer { for text in words + variables { free(text) } }
  // Code of the main actor can run on a thread of Dispatch, which blocks signals.
  var none = sigset_t()
  sigemptyset(&none)
  pthread_sigmask(SIG_SETMASK, &none, nil)
  var code = ENOENT
  for path in paths {
    execve(path, words, variables)
    // A file that cannot be run does not hide one in a later folder, but is the better reason.
    if ![ENOENT, ENOTDIR].contains(errno) { code = errno }
  }
  return SystemFailure(call: "execve", code: code)
}
