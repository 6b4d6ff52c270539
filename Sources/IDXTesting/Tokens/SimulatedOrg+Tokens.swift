#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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

  /// What another org with the same issuer and the same users needs to go on with the tokens that
  /// this one has issued: to tell of users, and to refresh, revoke and introspect.
  ///
  /// It holds the tokens in the clear, the names and addresses of who they are about, the keys and
  /// how far time was advanced; sign-ins on their way, passwords, factors and ``tokenRules`` are not
  /// in it. Tokens that are expired or revoked are left out.
  public func savedTokens() throws -> Data { try core.savedTokens() }

  /// Goes on with tokens that an org has issued elsewhere, in place of those that this one has
  /// issued.
  ///
  /// - Throws: ``SavedTokensError``, and then nothing has changed.
  public func restoreTokens(from data: Data) throws(SavedTokensError) {
    try core.restoreTokens(from: data)
  }
}
