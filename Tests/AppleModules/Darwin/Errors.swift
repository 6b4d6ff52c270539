// Darwin, as `import Darwin` shows it to Swift: macOS and iOS, 64 bits. Only what this package uses, in
// files named after what it is for. Source: the manual pages of macOS, sections 2, 3 and 4.

@_exported public import DarwinTypes

public var errno: Int32 { get set }
public func strerror(_ number: Int32) -> UnsafeMutablePointer<CChar>!

public var EACCES: Int32 { get }
public var EADDRINUSE: Int32 { get }
public var EADDRNOTAVAIL: Int32 { get }
public var EAFNOSUPPORT: Int32 { get }
public var EAGAIN: Int32 { get }
public var EBADF: Int32 { get }
public var ECHILD: Int32 { get }
public var ECONNREFUSED: Int32 { get }
public var ECONNRESET: Int32 { get }
public var EDQUOT: Int32 { get }
public var EEXIST: Int32 { get }
public var EFBIG: Int32 { get }
public var EINTR: Int32 { get }
public var EINVAL: Int32 { get }
public var EIO: Int32 { get }
public var EISDIR: Int32 { get }
public var ELOOP: Int32 { get }
public var EMFILE: Int32 { get }
public var E2BIG: Int32 { get }
public var ENOENT: Int32 { get }
public var ENOSPC: Int32 { get }
public var ENOTDIR: Int32 { get }
public var ENOTEMPTY: Int32 { get }
public var ENOTSUP: Int32 { get }
public var ENXIO: Int32 { get }
public var EOPNOTSUPP: Int32 { get }
public var EPERM: Int32 { get }
public var EPIPE: Int32 { get }
public var EROFS: Int32 { get }
public var ETIMEDOUT: Int32 { get }
public var EWOULDBLOCK: Int32 { get }

// MARK: - Memory and strings

public func free(_ pointer: UnsafeMutableRawPointer!)
public func strdup(_ text: UnsafePointer<CChar>!) -> UnsafeMutablePointer<CChar>!
public func strcmp(_ left: UnsafePointer<CChar>!, _ right: UnsafePointer<CChar>!) -> Int32
public func strlen(_ text: UnsafePointer<CChar>!) -> Int
public func memcpy(
  _ to: UnsafeMutableRawPointer!, _ from: UnsafeRawPointer!, _ count: Int
) -> UnsafeMutableRawPointer!
