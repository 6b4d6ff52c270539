// Source: Apple's documentation of Accessibility.

@_exported public import AppleFoundation

public enum AccessibilityNotification {
  public struct Announcement: Sendable {
    public init(_ announcement: String)
    public func post()
  }
}
