// Source: Apple's documentation of AppKit.
//
// On Apple platforms, a class of the main actor is Sendable although it inherits from NSObject.

@_exported public import AppleFoundation

@MainActor open class NSResponder: NSObject, @unchecked Sendable {
  public override init()
}
@MainActor open class NSWindow: NSResponder, @unchecked Sendable {
  public override init()
}

@MainActor open class NSApplication: NSResponder, @unchecked Sendable {
  public enum ActivationPolicy: Int, Sendable {
    case regular
    case accessory
    case prohibited
  }

  open class var shared: NSApplication { get }
  open var keyWindow: NSWindow? { get }
  @discardableResult
  open func setActivationPolicy(_ activationPolicy: NSApplication.ActivationPolicy) -> Bool
  open func activate()
}

open class NSPasteboard: NSObject, @unchecked Sendable {
  public struct PasteboardType: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(_ rawValue: String)
    public init(rawValue: String)
    public static let string: NSPasteboard.PasteboardType
  }

  open class var general: NSPasteboard { get }
  public struct ContentsOptions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt)
    public static let currentHostOnly: NSPasteboard.ContentsOptions
  }

  @discardableResult
  open func prepareForNewContents(with options: NSPasteboard.ContentsOptions = []) -> Int
  @discardableResult
  open func setString(_ string: String, forType dataType: NSPasteboard.PasteboardType) -> Bool
}

public struct NSTextContentType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String)
  public static let username: NSTextContentType
  public static let password: NSTextContentType
  public static let oneTimeCode: NSTextContentType
}
