// Source: Apple's documentation of AppKit.
//
// On Apple platforms, a class of the main actor is Sendable although it inherits from NSObject.

@_exported public import AppleFoundation

@MainActor open class NSResponder: NSObject, @unchecked Sendable {}
@MainActor open class NSWindow: NSResponder, @unchecked Sendable {}
