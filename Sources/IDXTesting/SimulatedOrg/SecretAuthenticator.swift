/// An authenticator that shares a secret with the org from the time when it is set up.
protocol SecretAuthenticator: OrgAuthenticator {}

extension SecretAuthenticator {
  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    guard ceremony.purpose == .enroll else { return nil }
    ceremony.sharedSecret = ceremony.sharedSecret ?? org.random.sharedSecret()
    return nil
  }
}
