// Terminals.

public struct termios: Sendable {
  public var c_iflag: tcflag_t
  public var c_oflag: tcflag_t
  public var c_cflag: tcflag_t
  public var c_lflag: tcflag_t
  public var c_cc:
    (
      cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t, cc_t,
      cc_t, cc_t, cc_t, cc_t, cc_t
    )
  public var c_ispeed: speed_t
  public var c_ospeed: speed_t
  public init()
}

public struct winsize: Sendable {
  public var ws_row: UInt16
  public var ws_col: UInt16
  public var ws_xpixel: UInt16
  public var ws_ypixel: UInt16
  public init()
  public init(ws_row: UInt16, ws_col: UInt16, ws_xpixel: UInt16, ws_ypixel: UInt16)
}

@discardableResult public func openpty(
  _ master: UnsafeMutablePointer<Int32>!, _ slave: UnsafeMutablePointer<Int32>!,
  _ name: UnsafeMutablePointer<CChar>!, _ attributes: UnsafeMutablePointer<termios>!,
  _ size: UnsafeMutablePointer<winsize>!
) -> Int32
@discardableResult public func ttyname_r(
  _ descriptor: Int32, _ name: UnsafeMutablePointer<CChar>!, _ count: Int
) -> Int32
@discardableResult public func tcgetattr(
  _ descriptor: Int32, _ attributes: UnsafeMutablePointer<termios>!
) -> Int32
@discardableResult public func tcsetattr(
  _ descriptor: Int32, _ when: Int32, _ attributes: UnsafePointer<termios>!
) -> Int32
@discardableResult public func tcflush(_ descriptor: Int32, _ queue: Int32) -> Int32
@discardableResult public func tcgetpgrp(_ descriptor: Int32) -> pid_t
@discardableResult public func tcsetpgrp(_ descriptor: Int32, _ group: pid_t) -> Int32

public var ECHO: Int32 { get }
public var ECHONL: Int32 { get }
public var ICANON: Int32 { get }
public var ICRNL: Int32 { get }
public var IEXTEN: Int32 { get }
public var IGNCR: Int32 { get }
public var INLCR: Int32 { get }
public var ISIG: Int32 { get }
public var ISTRIP: Int32 { get }
public var IXANY: Int32 { get }
public var IXON: Int32 { get }
public var TCIFLUSH: Int32 { get }
public var TCSANOW: Int32 { get }
public var TIOCGWINSZ: UInt { get }
public var TIOCSWINSZ: UInt { get }
public var VEOF: Int32 { get }
public var VMIN: Int32 { get }
public var VTIME: Int32 { get }
