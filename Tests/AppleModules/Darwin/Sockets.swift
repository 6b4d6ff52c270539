// Sockets, and waiting for descriptors.

public struct in_addr: Sendable {
  public var s_addr: in_addr_t
  public init()
  public init(s_addr: in_addr_t)
}

public struct in6_addr: Sendable {
  public init()
}

public struct sockaddr: Sendable {
  public var sa_len: UInt8
  public var sa_family: sa_family_t
  public init()
}

public struct sockaddr_in: Sendable {
  public var sin_len: UInt8
  public var sin_family: sa_family_t
  public var sin_port: in_port_t
  public var sin_addr: in_addr
  public init()
}

public struct sockaddr_in6: Sendable {
  public var sin6_len: UInt8
  public var sin6_family: sa_family_t
  public var sin6_port: in_port_t
  public var sin6_flowinfo: UInt32
  public var sin6_addr: in6_addr
  public var sin6_scope_id: UInt32
  public init()
}

public struct linger: Sendable {
  public var l_onoff: Int32
  public var l_linger: Int32
  public init()
  public init(l_onoff: Int32, l_linger: Int32)
}

public struct addrinfo {
  public var ai_flags: Int32
  public var ai_family: Int32
  public var ai_socktype: Int32
  public var ai_protocol: Int32
  public var ai_addrlen: socklen_t
  public var ai_canonname: UnsafeMutablePointer<CChar>!
  public var ai_addr: UnsafeMutablePointer<sockaddr>!
  public var ai_next: UnsafeMutablePointer<addrinfo>!
  public init()
}

@discardableResult public func getaddrinfo(
  _ host: UnsafePointer<CChar>!, _ service: UnsafePointer<CChar>!,
  _ hints: UnsafePointer<addrinfo>!,
  _ found: UnsafeMutablePointer<UnsafeMutablePointer<addrinfo>?>!
) -> Int32
public func gai_strerror(_ code: Int32) -> UnsafePointer<CChar>!
public func getnameinfo(
  _ address: UnsafePointer<sockaddr>!, _ size: socklen_t,
  _ host: UnsafeMutablePointer<CChar>!, _ hostSize: socklen_t,
  _ service: UnsafeMutablePointer<CChar>!, _ serviceSize: socklen_t, _ flags: Int32
) -> Int32
public var NI_MAXHOST: Int32 { get }
public var NI_NUMERICHOST: Int32 { get }
public func freeaddrinfo(_ found: UnsafeMutablePointer<addrinfo>!)
public func socket(_ domain: Int32, _ type: Int32, _ number: Int32) -> Int32
@discardableResult public func accept(
  _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!,
  _ size: UnsafeMutablePointer<socklen_t>!
) -> Int32
@discardableResult public func bind(
  _ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t
) -> Int32
@discardableResult public func connect(
  _ socket: Int32, _ address: UnsafePointer<sockaddr>!, _ size: socklen_t
) -> Int32
@discardableResult public func listen(_ socket: Int32, _ backlog: Int32) -> Int32
@discardableResult public func getsockname(
  _ socket: Int32, _ address: UnsafeMutablePointer<sockaddr>!,
  _ size: UnsafeMutablePointer<socklen_t>!
) -> Int32
@discardableResult public func setsockopt(
  _ socket: Int32, _ level: Int32, _ name: Int32, _ value: UnsafeRawPointer!, _ size: socklen_t
) -> Int32
@discardableResult public func recv(
  _ socket: Int32, _ buffer: UnsafeMutableRawPointer!, _ count: Int, _ flags: Int32
) -> Int
@discardableResult public func send(
  _ socket: Int32, _ buffer: UnsafeRawPointer!, _ count: Int, _ flags: Int32
) -> Int
@discardableResult public func shutdown(_ socket: Int32, _ how: Int32) -> Int32
@discardableResult public func inet_aton(
  _ text: UnsafePointer<CChar>!, _ address: UnsafeMutablePointer<in_addr>!
) -> Int32
@discardableResult public func inet_pton(
  _ family: Int32, _ text: UnsafePointer<CChar>!, _ address: UnsafeMutableRawPointer!
) -> Int32

public var AI_NUMERICHOST: Int32 { get }
public var AI_NUMERICSERV: Int32 { get }
public var AF_INET: Int32 { get }
public var AF_INET6: Int32 { get }
public var INADDR_LOOPBACK: UInt32 { get }
public var IPPROTO_IPV6: Int32 { get }
public var IPPROTO_TCP: Int32 { get }
public var IPV6_V6ONLY: Int32 { get }
public var SHUT_RDWR: Int32 { get }
public var SHUT_WR: Int32 { get }
public var SOCK_STREAM: Int32 { get }
public var SOL_SOCKET: Int32 { get }
public var SO_LINGER: Int32 { get }
public var SO_NOSIGPIPE: Int32 { get }
public var SO_REUSEADDR: Int32 { get }

// MARK: - Waiting

public struct pollfd: Sendable {
  public var fd: Int32
  public var events: Int16
  public var revents: Int16
  public init()
  public init(fd: Int32, events: Int16, revents: Int16)
}

public struct fd_set: Sendable {
  public init()
}

@discardableResult public func poll(
  _ descriptors: UnsafeMutablePointer<pollfd>!, _ count: nfds_t, _ milliseconds: Int32
) -> Int32
@discardableResult public func select(
  _ count: Int32, _ reading: UnsafeMutablePointer<fd_set>!,
  _ writing: UnsafeMutablePointer<fd_set>!, _ failing: UnsafeMutablePointer<fd_set>!,
  _ timeout: UnsafeMutablePointer<timeval>!
) -> Int32

public var FD_SETSIZE: Int32 { get }
public var POLLERR: Int32 { get }
public var POLLHUP: Int32 { get }
public var POLLIN: Int32 { get }
public var POLLOUT: Int32 { get }
