import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Something that shows codes made of a secret and the time: an app, a token.
struct CodeToken {
  private let key: IDXAuthenticator.Key
  private let generator: TOTPGenerator

  /// A token; nil without a secret that is Base32.
  init?(_ key: IDXAuthenticator.Key, secret: Secret?, period: Int = 30) {
    guard let secret, let generator = TOTPGenerator(base32: secret, period: period) else {
      return nil
    }
    self.key = key
    self.generator = generator
  }

  /// The code that a person would type: the one that is shown, or the next where that was used.
  ///
  /// `ahead` counts on from there, as someone does who waits.
  func code(ahead: Int, of account: OrgAccount, at date: Date) -> String {
    let current = generator.counter(at: date)
    let first = account.hasUsed(current, of: key) ? current &+ 1 : current
    return generator.code(counter: first &+ UInt64(ahead))
  }

  /// The time step of which a text is the code, one step off allowed; nil where there is none.
  func counter(of code: String?, at date: Date) -> UInt64? {
    let current = generator.counter(at: date)
    return [current, current &- 1, current &+ 1].first { generator.code(counter: $0) == code }
  }

  func isCode(_ code: String?, at counter: UInt64) -> Bool {
    generator.code(counter: counter) == code
  }
}

extension OrgAccount {
  func hasUsed(_ counter: UInt64, of key: IDXAuthenticator.Key) -> Bool {
    usedCounters[key]?.contains(counter) ?? false
  }
}

extension SimulatedUser.Enrollment.Detail {
  /// The secret that the device holds, or that the person knows; nil where there is none to show.
  var secret: Secret? {
    switch self {
    case .key(let secret), .token(let secret, _), .code(let secret): secret
    default: nil
    }
  }
}
