// How a test or a demonstration reaches what the org issues.
extension SimulatedOrg {
  /// How tokens are issued now.
  public var tokenRules: OrgTokenRules { core.tokenRules }

  /// Changes how tokens are issued from now on; those that were given stay as they are.
  public func changeTokens(_ change: @Sendable (inout OrgTokenRules) -> Void) {
    change(&core.tokenRules)
  }

  /// Signs with a new key from now on.
  ///
  /// - Parameter keepingOld: Whether the keys before stay published, so that what they have signed
  ///   can still be checked; true by default.
  public func rotateKeys(keepingOld: Bool = true) {
    core.keyring.rotate(keepingOld: keepingOld)
  }
}
