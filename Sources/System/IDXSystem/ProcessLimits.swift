#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The limits that the system sets for this process.
package enum ProcessLimits {
  /// Whether the process can open this number of files or connections more.
  package static func canOpenFiles(_ count: Int) -> Bool {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<count {
      let descriptor = open("/", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      opened.append(descriptor)
    }
    return true
  }

  /// Makes the system keep no copy of this process's memory after a crash, which would contain passwords
  /// and tokens.
  package static func preventCoreFiles() {
    var limits = rlimit()
    #if canImport(Glibc)
      let core = __rlimit_resource_t(RLIMIT_CORE.rawValue)
    #else
      let core = RLIMIT_CORE
    #endif
    guard getrlimit(core, &limits) == 0 else { return }
    #if os(Linux)
      // No core file is written in either case. But if the system passes core files to a program, such as
      // one that reports crashes, it ignores a limit of 0, and passes nothing only if the limit is 1.
      limits.rlim_cur = min(1, limits.rlim_max)
    #else
      limits.rlim_cur = 0
    #endif
    setrlimit(core, &limits)
  }
}
