import IDXClassicAuth
import IDXDirectAuth
import IDXFlow
import IDXTesting

/// A way to speak with the org; handlers know of none.
enum Speech: String, CaseIterable, Sendable {
  case idx, direct, classic

  /// Those by which something can be set up or replaced.
  static let changing: [Speech] = [.idx, .classic]

  func client(of org: SimulatedOrg) -> any FlowClient {
    switch self {
    case .idx: org.client
    case .direct: DirectAuthClient(transport: org, tokens: org.tokenClient)
    case .classic: ClassicAuthClient(transport: org, tokens: org.tokenClient)
    }
  }
}
