import IDX

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

// How a sign-in is told in the claim `amr` (RFC 8176).
extension OrgSignIn {
  /// What a sign-in came to that ends now.
  init(of transaction: OrgTransaction, at time: Date) {
    self.init(
      proving: transaction.verified, by: transaction.methods,
      isVouchedFor: transaction.isVouchedFor, at: time)
  }

  /// A sign-in in which these authenticators were proved, in these ways.
  init(
    proving verified: Set<IDXAuthenticator.Key>, by ways: Set<IDXAuthenticator.Method>,
    isVouchedFor: Bool = false, at time: Date
  ) {
    var keys = verified
    if isVouchedFor { keys.remove(.password) }
    var names = Set(keys.map { Self.method($0, ways) })
    if verified.count > 1 { names.insert("mfa") }
    self.init(
      time: time, methods: names.sorted(),
      identityProvider: OrgSettings.id(isVouchedFor ? "0oa" : "00o", "provider"))
  }

  private static func method(
    _ key: IDXAuthenticator.Key, _ methods: Set<IDXAuthenticator.Method>
  ) -> String {
    switch key {
    case .password: "pwd"
    case .phone: methods.contains("voice") ? "tel" : "sms"
    case .securityQuestion: "kba"
    case .webAuthn, .yubiKey: "hwk"
    case .nfcPIN: "pin"
    case .duo: "mca"
    case .oktaVerify, .customApp: methods.contains("totp") ? "otp" : "swk"
    case .externalIdentityProvider: "user"
    default: "otp"
    }
  }
}
