import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What a server has asked of Okta Verify since a sign-in began, so that it cannot search this computer step by step.
///
/// It is saved with the sign-in: a server cannot start anew by letting a process end or a page load again.
struct FastPassHistory: Sendable, Hashable, Codable {
  private static let maximumChallenges = 5
  private static let maximumPorts = 16
  private static let maximumNames = 2

  /// How many challenges were sent, also those that a link opens.
  private(set) var challenges = 0
  /// The ports and the names of this computer that they have named, at most one more than is allowed.
  private var ports: [Int] = []
  private var names: [String] = []

  /// Whether the server has sent more than a sign-in needs.
  var isTooLong: Bool {
    challenges > Self.maximumChallenges || ports.count > Self.maximumPorts
      || names.count > Self.maximumNames
  }

  /// Counts challenges anew from a state on; the ports and names stay counted.
  mutating func startOver(at state: FlowState) {
    challenges = 0
    add(state)
  }

  /// Counts the challenge of a state, if it has one.
  mutating func add(_ state: FlowState) {
    let response = state.response
    guard let form = response[.deviceChallengePoll] ?? response[.challengePoll],
      let challenge = response.deviceChallenge(for: form)
    else { return }
    challenges += 1
    guard !isTooLong,
      // What is not safe is passed to nobody.
      let safe = try? LoopbackChallenge(challenge, issuer: state.configuration.issuer)
    else { return }
    let local = Set(safe.localAddresses)
    for address in safe.addresses where !isTooLong {
      if let port = address.port, !ports.contains(port) { ports.append(port) }
      if let name = address.host, !local.contains(address), !names.contains(name) {
        names.append(name)
      }
    }
  }
}

extension Step {
  /// The challenge that may be passed to Okta Verify on this computer; nil if the step waits for something else.
  ///
  /// Throws a ``/IDXOAuth/FlowError`` with the code `unsafeChallenge` and the reason if the challenge is not safe, and
  /// after more than 5 challenges, 16 ports or 2 names in one sign-in.
  public var loopbackChallenge: LoopbackChallenge? {
    get throws {
      guard let challenge = deviceChallenge, challenge.method == .loopback else { return nil }
      guard !asksOktaVerifyTooOften else {
        throw FlowError(
          .unsafeChallenge,
          "The server has asked for Okta Verify on this computer too often, so it is not looked for any more."
        )
      }
      return try LoopbackChallenge(challenge, issuer: state.configuration.issuer)
    }
  }

  /// Whether the server has sent more challenges, ports or names than a sign-in needs.
  package var asksOktaVerifyTooOften: Bool { fastPassHistory.isTooLong }
}
