// Types of Darwin. They are not in the module Darwin itself because Swift allows no function and type with
// the same name, such as `stat`, in one module.

public typealias cc_t = UInt8
public typealias dev_t = Int32
public typealias gid_t = UInt32
public typealias id_t = UInt32
public typealias in_addr_t = UInt32
public typealias in_port_t = UInt16
public typealias ino_t = UInt64
public typealias mode_t = UInt16
public typealias nfds_t = UInt32
public typealias nlink_t = UInt16
public typealias off_t = Int64
public typealias pid_t = Int32
public typealias rlim_t = UInt64
public typealias sa_family_t = UInt8
public typealias sig_t = @convention(c) (Int32) -> Void
public typealias sigset_t = UInt32
public typealias socklen_t = UInt32
public typealias speed_t = UInt
public typealias suseconds_t = Int32
public typealias tcflag_t = UInt
public typealias time_t = Int
public typealias uid_t = UInt32

public struct clockid_t: Sendable {}

public struct timespec: Sendable {
  public var tv_sec: Int
  public var tv_nsec: Int
  public init()
  public init(tv_sec: Int, tv_nsec: Int)
}

public struct timeval: Sendable {
  public var tv_sec: Int
  public var tv_usec: suseconds_t
  public init()
  public init(tv_sec: Int, tv_usec: suseconds_t)
}

public struct stat: Sendable {
  public var st_dev: dev_t
  public var st_mode: mode_t
  public var st_nlink: nlink_t
  public var st_ino: ino_t
  public var st_uid: uid_t
  public var st_gid: gid_t
  public var st_rdev: dev_t
  public var st_atimespec: timespec
  public var st_mtimespec: timespec
  public var st_ctimespec: timespec
  public var st_birthtimespec: timespec
  public var st_size: off_t
  public init()
}

public struct __sigaction_u {
  public var __sa_handler: (@convention(c) (Int32) -> Void)!
  public init()
  public init(__sa_handler: (@convention(c) (Int32) -> Void)!)
}

public struct sigaction {
  public var __sigaction_u: __sigaction_u
  public var sa_mask: sigset_t
  public var sa_flags: Int32
  public init()
}
