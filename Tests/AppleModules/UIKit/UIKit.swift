// Source: Apple's documentation of UIKit.
//
// On Apple platforms, a class of the main actor is Sendable although it inherits from NSObject.

@_exported public import AppleFoundation

@MainActor open class UIResponder: NSObject, @unchecked Sendable {}
@MainActor open class UIView: UIResponder, @unchecked Sendable {}
@MainActor open class UIWindow: UIView, @unchecked Sendable {}
