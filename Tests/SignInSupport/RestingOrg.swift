import Foundation
package import IDXSimulatedOrg

// In these tests, time passes only where a test advances it: on a busy machine, a code must not expire meanwhile. The
// initializers have no default values, so that a call that names no clock means these.
extension SimulatedOrg {
  /// An org with a scenario, whose clock rests.
  package init(_ scenario: OrgScenario) {
    let start = Date()
    self.init(scenario, clock: { start })
  }

  /// An org with users and a policy, whose clock rests.
  package init(users: [SimulatedUser], policy: SignInPolicy) {
    let start = Date()
    self.init(users: users, policy: policy, clock: { start })
  }

  /// The same, with a seed.
  package init(users: [SimulatedUser], policy: SignInPolicy, seed: UInt64?) {
    let start = Date()
    self.init(users: users, policy: policy, seed: seed, clock: { start })
  }
}
