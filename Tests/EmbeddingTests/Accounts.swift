import IDXFlow
import IDXSimulatedOrg

let login = SimulatedUser.demo.login
let password = SimulatedUser.demo.password.revealed

extension Outcome {
  var credential: Credential? {
    if case .signedIn(let signIn) = self { signIn.credential } else { nil }
  }
}

extension SimulatedOrg {
  /// How many requests went to a path with this end.
  func count(of end: String) -> Int { requests.count { $0.hasSuffix(end) } }
}
