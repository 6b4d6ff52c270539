// Files and folders.

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32
public func openat(_ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32
public func openat(
  _ folder: Int32, _ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t
) -> Int32
@discardableResult public func close(_ descriptor: Int32) -> Int32
@discardableResult public func read(
  _ descriptor: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int
) -> Int
@discardableResult public func write(
  _ descriptor: Int32, _ buffer: UnsafeRawPointer!, _ count: Int
) -> Int
@discardableResult public func pipe(_ ends: UnsafeMutablePointer<Int32>!) -> Int32
@discardableResult public func dup(_ descriptor: Int32) -> Int32
@discardableResult public func dup2(_ descriptor: Int32, _ number: Int32) -> Int32
public func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32
public func fcntl(_ descriptor: Int32, _ command: Int32, _ value: Int32) -> Int32
public func fcntl(
  _ descriptor: Int32, _ command: Int32, _ pointer: UnsafeMutableRawPointer
) -> Int32
public func ioctl(_ descriptor: Int32, _ request: UInt, _ value: Int32) -> Int32
public func ioctl(
  _ descriptor: Int32, _ request: UInt, _ pointer: UnsafeMutableRawPointer
) -> Int32
public func ioctl(_ descriptor: Int32, _ request: UInt) -> Int32
@discardableResult public func flock(_ descriptor: Int32, _ operation: Int32) -> Int32
@discardableResult public func fsync(_ descriptor: Int32) -> Int32
@discardableResult public func isatty(_ descriptor: Int32) -> Int32
@discardableResult public func access(_ path: UnsafePointer<CChar>!, _ mode: Int32) -> Int32
@discardableResult public func chown(
  _ path: UnsafePointer<CChar>!, _ owner: uid_t, _ group: gid_t
) -> Int32
@discardableResult public func chmod(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32
@discardableResult public func fchmod(_ descriptor: Int32, _ mode: mode_t) -> Int32
@discardableResult public func fchmodat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ mode: mode_t, _ flags: Int32
) -> Int32
@discardableResult public func mkdir(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32
@discardableResult public func mkdirat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ mode: mode_t
) -> Int32
@discardableResult public func mkfifo(_ path: UnsafePointer<CChar>!, _ mode: mode_t) -> Int32
@discardableResult public func rmdir(_ path: UnsafePointer<CChar>!) -> Int32
@discardableResult public func unlink(_ path: UnsafePointer<CChar>!) -> Int32
@discardableResult public func unlinkat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ flags: Int32
) -> Int32
@discardableResult public func rename(
  _ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!
) -> Int32
@discardableResult public func renameat(
  _ oldFolder: Int32, _ old: UnsafePointer<CChar>!, _ newFolder: Int32,
  _ new: UnsafePointer<CChar>!
) -> Int32
@discardableResult public func lchown(
  _ path: UnsafePointer<CChar>!, _ owner: uid_t, _ group: gid_t
) -> Int32
@discardableResult public func link(
  _ old: UnsafePointer<CChar>!, _ new: UnsafePointer<CChar>!
) -> Int32
@discardableResult public func linkat(
  _ oldFolder: Int32, _ old: UnsafePointer<CChar>!, _ newFolder: Int32,
  _ new: UnsafePointer<CChar>!, _ flags: Int32
) -> Int32
@discardableResult public func truncate(_ path: UnsafePointer<CChar>!, _ size: off_t) -> Int32
@discardableResult public func symlink(
  _ target: UnsafePointer<CChar>!, _ path: UnsafePointer<CChar>!
) -> Int32
@discardableResult public func readlink(
  _ path: UnsafePointer<CChar>!, _ buffer: UnsafeMutablePointer<CChar>!, _ count: Int
) -> Int
@discardableResult public func stat(
  _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!
) -> Int32
@discardableResult public func lstat(
  _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!
) -> Int32
@discardableResult public func fstat(
  _ descriptor: Int32, _ status: UnsafeMutablePointer<stat>!
) -> Int32
@discardableResult public func fstatat(
  _ folder: Int32, _ path: UnsafePointer<CChar>!, _ status: UnsafeMutablePointer<stat>!,
  _ flags: Int32
) -> Int32

// MARK: - Folders

public struct DIR {}

public struct dirent: Sendable {
  public var d_ino: UInt64
  public var d_reclen: UInt16
  public var d_namlen: UInt16
  public var d_type: UInt8
  /// The name is an array of 1024 characters on Darwin; its length does not matter here.
  public var d_name: (CChar, CChar)
  public init()
}

public func opendir(_ path: UnsafePointer<CChar>!) -> UnsafeMutablePointer<DIR>!
public func fdopendir(_ descriptor: Int32) -> UnsafeMutablePointer<DIR>!
public func readdir(_ folder: UnsafeMutablePointer<DIR>!) -> UnsafeMutablePointer<dirent>!
@discardableResult public func closedir(_ folder: UnsafeMutablePointer<DIR>!) -> Int32
public func rewinddir(_ folder: UnsafeMutablePointer<DIR>!)

// MARK: - Users and groups

public struct passwd {
  public var pw_name: UnsafeMutablePointer<CChar>!
  public var pw_uid: uid_t
  public var pw_gid: gid_t
  public var pw_dir: UnsafeMutablePointer<CChar>!
}

public struct group {
  public var gr_name: UnsafeMutablePointer<CChar>!
  public var gr_gid: gid_t
  public var gr_mem: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>!
}

public func getpwuid(_ user: uid_t) -> UnsafeMutablePointer<passwd>!
public func getgrgid(_ group: gid_t) -> UnsafeMutablePointer<group>!
public func setpwent()
public func getpwent() -> UnsafeMutablePointer<passwd>!
public func endpwent()
public func setgrent()
public func getgrent() -> UnsafeMutablePointer<group>!
public func endgrent()
public func geteuid() -> uid_t
public func getuid() -> uid_t
public func getegid() -> gid_t

// MARK: - Streams

public struct FILE {}

public var stdin: UnsafeMutablePointer<FILE>! { get set }
public var stdout: UnsafeMutablePointer<FILE>! { get set }
public var stderr: UnsafeMutablePointer<FILE>! { get set }
@discardableResult public func fflush(_ stream: UnsafeMutablePointer<FILE>!) -> Int32
@discardableResult public func fputs(
  _ text: UnsafePointer<CChar>!, _ stream: UnsafeMutablePointer<FILE>!
) -> Int32

// MARK: - Constants

public var AT_FDCWD: Int32 { get }
public var AT_REMOVEDIR: Int32 { get }
public var AT_SYMLINK_NOFOLLOW: Int32 { get }
public var FD_CLOEXEC: Int32 { get }
public var F_DUPFD_CLOEXEC: Int32 { get }
public var F_FULLFSYNC: Int32 { get }
public var F_GETFD: Int32 { get }
public var F_GETFL: Int32 { get }
public var F_SETFD: Int32 { get }
public var F_SETFL: Int32 { get }
public var LOCK_EX: Int32 { get }
public var LOCK_NB: Int32 { get }
public var LOCK_SH: Int32 { get }
public var LOCK_UN: Int32 { get }
public var O_CLOEXEC: Int32 { get }
public var O_CREAT: Int32 { get }
public var O_DIRECTORY: Int32 { get }
public var O_EXCL: Int32 { get }
public var O_NOCTTY: Int32 { get }
public var O_NOFOLLOW: Int32 { get }
public var O_NONBLOCK: Int32 { get }
public var O_RDONLY: Int32 { get }
public var O_RDWR: Int32 { get }
public var O_TRUNC: Int32 { get }
public var O_WRONLY: Int32 { get }
public var R_OK: Int32 { get }
public var STDERR_FILENO: Int32 { get }
public var STDIN_FILENO: Int32 { get }
public var STDOUT_FILENO: Int32 { get }
public var S_IFDIR: mode_t { get }
public var S_IFIFO: mode_t { get }
public var S_IFLNK: mode_t { get }
public var S_IFMT: mode_t { get }
public var S_IFREG: mode_t { get }
public var S_IRWXG: mode_t { get }
public var S_IRWXO: mode_t { get }
public var S_IRWXU: mode_t { get }
public var S_ISVTX: mode_t { get }
public var S_IWGRP: mode_t { get }
public var S_IWOTH: mode_t { get }
public var W_OK: Int32 { get }
public var X_OK: Int32 { get }
