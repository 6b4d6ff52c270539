import IDX

// A passkey that is offered after the sign-in, which may be skipped (protocol section 3.3).
extension OrgCore {
  /// The set-up of a passkey that is offered before the sign-in ends; nil where none is.
  func passkeyPromotion(
    for account: OrgAccount, _ transaction: OrgTransaction
  ) -> Ceremony? {
    guard settings.policy.promotesPasskey, !account.has(.webAuthn), !transaction.hasSkipped else {
      return nil
    }
    var ceremony = Ceremony(authenticator: .webAuthn, purpose: .enroll)
    ceremony.isPromotion = true
    return ceremony
  }
}
