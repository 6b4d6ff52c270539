// Source: Apple's documentation of UIKit.
//
// On Apple platforms, a class of the main actor is Sendable although it inherits from NSObject.

@_exported public import AppleFoundation

@MainActor open class UIResponder: NSObject, @unchecked Sendable {
  public override init()
}
@MainActor open class UIView: UIResponder, @unchecked Sendable {
  public override init()
}
@MainActor open class UIWindow: UIView, @unchecked Sendable {
  public override init()
}

@MainActor open class UIScene: UIResponder, @unchecked Sendable {}
@MainActor open class UIWindowScene: UIScene, @unchecked Sendable {
  open var keyWindow: UIWindow? { get }
}
@MainActor open class UIApplication: UIResponder, @unchecked Sendable {
  open class var shared: UIApplication { get }
  open var connectedScenes: Set<UIScene> { get }
}

open class UIPasteboard: NSObject, @unchecked Sendable {
  public struct OptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String)
    public static let expirationDate: UIPasteboard.OptionsKey
    public static let localOnly: UIPasteboard.OptionsKey
  }

  open class var general: UIPasteboard { get }
  open func setItems(
    _ items: [[String: Any]], options: [UIPasteboard.OptionsKey: Any] = [:])
}

public enum UIKeyboardType: Int, Sendable {
  case `default` = 0
  case asciiCapable = 1
  case numbersAndPunctuation = 2
  case URL = 3
  case numberPad = 4
  case phonePad = 5
  case namePhonePad = 6
  case emailAddress = 7
}

public struct UITextContentType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String)
  public static let username: UITextContentType
  public static let password: UITextContentType
  public static let newPassword: UITextContentType
  public static let oneTimeCode: UITextContentType
  public static let emailAddress: UITextContentType
  public static let telephoneNumber: UITextContentType
  public static let givenName: UITextContentType
  public static let familyName: UITextContentType
}
