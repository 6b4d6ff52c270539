// Processes, their environment, signals and limits.

public func _exit(_ status: Int32) -> Never
public func exit(_ status: Int32) -> Never
public func getpid() -> pid_t
public func getpgrp() -> pid_t
public func getsid(_ process: pid_t) -> pid_t
public func getenv(_ name: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>!
@discardableResult public func setenv(
  _ name: UnsafePointer<CChar>!, _ value: UnsafePointer<CChar>!, _ overwrite: Int32
) -> Int32
@discardableResult public func unsetenv(_ name: UnsafePointer<CChar>!) -> Int32
@discardableResult public func usleep(_ microseconds: UInt32) -> Int32
@discardableResult public func sched_yield() -> Int32
public func sysconf(_ name: Int32) -> Int

public var _SC_PAGESIZE: Int32 { get }

// MARK: - Starting a program

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer

@discardableResult public func posix_spawn_file_actions_init(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32
@discardableResult public func posix_spawn_file_actions_destroy(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!
) -> Int32
@discardableResult public func posix_spawn_file_actions_adddup2(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ from: Int32, _ to: Int32
) -> Int32
@discardableResult public func posix_spawn_file_actions_addopen(
  _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>!, _ descriptor: Int32,
  _ path: UnsafePointer<CChar>!, _ flags: Int32, _ mode: mode_t
) -> Int32
@discardableResult public func posix_spawnattr_init(
  _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!
) -> Int32
@discardableResult public func posix_spawnattr_destroy(
  _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!
) -> Int32
@discardableResult public func posix_spawnattr_setflags(
  _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ flags: Int16
) -> Int32
@discardableResult public func posix_spawnattr_setpgroup(
  _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ group: pid_t
) -> Int32
@discardableResult public func posix_spawnattr_setsigdefault(
  _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ signals: UnsafePointer<sigset_t>!
) -> Int32
@discardableResult public func posix_spawnattr_setsigmask(
  _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>!, _ signals: UnsafePointer<sigset_t>!
) -> Int32
@discardableResult public func posix_spawn(
  _ process: UnsafeMutablePointer<pid_t>!, _ path: UnsafePointer<CChar>!,
  _ actions: UnsafePointer<posix_spawn_file_actions_t?>!,
  _ attributes: UnsafePointer<posix_spawnattr_t?>!,
  _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32
@discardableResult public func posix_spawnp(
  _ process: UnsafeMutablePointer<pid_t>!, _ program: UnsafePointer<CChar>!,
  _ actions: UnsafePointer<posix_spawn_file_actions_t?>!,
  _ attributes: UnsafePointer<posix_spawnattr_t?>!,
  _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32

public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { get }
public var POSIX_SPAWN_SETPGROUP: Int32 { get }
public var POSIX_SPAWN_SETSIGDEF: Int32 { get }
public var POSIX_SPAWN_SETSIGMASK: Int32 { get }

// MARK: - Waiting for its end

public struct idtype_t: RawRepresentable, Equatable, Sendable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32)
  public init(rawValue: UInt32)
}

public struct siginfo_t {
  public var si_signo: Int32
  public var si_pid: pid_t
  public var si_status: Int32
  public init()
}

@discardableResult public func waitpid(
  _ process: pid_t, _ status: UnsafeMutablePointer<Int32>!, _ options: Int32
) -> pid_t
@discardableResult public func waitid(
  _ kind: idtype_t, _ id: id_t, _ information: UnsafeMutablePointer<siginfo_t>!,
  _ options: Int32
) -> Int32

public var P_PID: idtype_t { get }
public var WEXITED: Int32 { get }
public var WNOHANG: Int32 { get }
public var WNOWAIT: Int32 { get }

// MARK: - Signals

@discardableResult public func kill(_ process: pid_t, _ signal: Int32) -> Int32
@discardableResult public func pause() -> Int32
@discardableResult public func raise(_ signal: Int32) -> Int32
@discardableResult public func signal(
  _ number: Int32, _ handler: (@convention(c) (Int32) -> Void)!
) -> (@convention(c) (Int32) -> Void)!
@discardableResult public func sigaction(
  _ number: Int32, _ action: UnsafePointer<sigaction>!, _ old: UnsafeMutablePointer<sigaction>!
) -> Int32
@discardableResult public func pthread_sigmask(
  _ how: Int32, _ signals: UnsafePointer<sigset_t>!, _ old: UnsafeMutablePointer<sigset_t>!
) -> Int32
@discardableResult public func sigaddset(
  _ signals: UnsafeMutablePointer<sigset_t>!, _ signal: Int32
) -> Int32
@discardableResult public func sigemptyset(_ signals: UnsafeMutablePointer<sigset_t>!) -> Int32
@discardableResult public func sigfillset(_ signals: UnsafeMutablePointer<sigset_t>!) -> Int32
@discardableResult public func sigismember(
  _ signals: UnsafePointer<sigset_t>!, _ number: Int32
) -> Int32
@discardableResult public func sigpending(_ signals: UnsafeMutablePointer<sigset_t>!) -> Int32
@discardableResult public func sigwait(
  _ signals: UnsafePointer<sigset_t>!, _ number: UnsafeMutablePointer<Int32>!
) -> Int32

public var SIGABRT: Int32 { get }
public var SIGALRM: Int32 { get }
public var SIGBUS: Int32 { get }
public var SIGCHLD: Int32 { get }
public var SIGCONT: Int32 { get }
public var SIGFPE: Int32 { get }
public var SIGHUP: Int32 { get }
public var SIGILL: Int32 { get }
public var SIGINT: Int32 { get }
public var SIGKILL: Int32 { get }
public var SIGPIPE: Int32 { get }
public var SIGPROF: Int32 { get }
public var SIGQUIT: Int32 { get }
public var SIGSEGV: Int32 { get }
public var SIGSTOP: Int32 { get }
public var SIGSYS: Int32 { get }
public var SIGTERM: Int32 { get }
public var SIGTRAP: Int32 { get }
public var SIGTSTP: Int32 { get }
public var SIGTTIN: Int32 { get }
public var SIGTTOU: Int32 { get }
public var SIGURG: Int32 { get }
public var SIGUSR1: Int32 { get }
public var SIGUSR2: Int32 { get }
public var SIGVTALRM: Int32 { get }
public var SIGWINCH: Int32 { get }
public var SIGXCPU: Int32 { get }
public var SIGXFSZ: Int32 { get }
public var SIG_BLOCK: Int32 { get }
public var SIG_DFL: sig_t? { get }
public var SIG_IGN: sig_t { get }
public var SIG_SETMASK: Int32 { get }
public var SIG_UNBLOCK: Int32 { get }

@discardableResult public func execve(
  _ path: UnsafePointer<CChar>!, _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>!,
  _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>!
) -> Int32

// MARK: - Limits

public struct rlimit: Sendable {
  public var rlim_cur: rlim_t
  public var rlim_max: rlim_t
  public init()
  public init(rlim_cur: rlim_t, rlim_max: rlim_t)
}

@discardableResult public func getrlimit(
  _ resource: Int32, _ limits: UnsafeMutablePointer<rlimit>!
) -> Int32
@discardableResult public func setrlimit(
  _ resource: Int32, _ limits: UnsafePointer<rlimit>!
) -> Int32

public var RLIMIT_CORE: Int32 { get }
public var RLIMIT_FSIZE: Int32 { get }
public var RLIMIT_NOFILE: Int32 { get }

// MARK: - Clocks

public var CLOCK_MONOTONIC: clockid_t { get }
public var CLOCK_PROCESS_CPUTIME_ID: clockid_t { get }
public var CLOCK_THREAD_CPUTIME_ID: clockid_t { get }
@discardableResult public func clock_gettime(
  _ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>!
) -> Int32
