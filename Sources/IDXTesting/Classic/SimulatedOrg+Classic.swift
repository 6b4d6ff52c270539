public import IDXBase

// What browsers bring to the classic API.
extension SimulatedOrg {
  /// The state token of a sign-in that has begun at the app, as its page is handed it: nobody has said
  /// who it is (`UNAUTHENTICATED`).
  ///
  /// `POST /api/v1/authn` takes it alone, or with user name and password.
  public func stateToken() -> Secret { core.handOverState() }
}

extension OrgCore {
  mutating func handOverState() -> Secret {
    let transaction = beginClassic()
    transactions[transaction.stateHandle] = transaction
    return Secret(transaction.stateHandle)
  }
}
