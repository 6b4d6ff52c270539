// Source: Apple's documentation of LocalAuthentication.

@_exported public import AppleFoundation

open class LAContext: NSObject {
  public override init()
  open var localizedReason: String { get set }
  open var touchIDAuthenticationAllowableReuseDuration: Double { get set }
  open func invalidate()
}
