import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is stored of the reply that completed a sign-in, so that only the same reply gets the result again.
///
/// It has 12 bits. They do not say which password was typed: of a million usual ones, about 250 have the same bits. And
/// they are enough against guessing, because the first other reply deletes the result.
struct ReplyMark: Codable, Hashable {
  private let salt: Data
  private let bits: Int

  init(_ reply: Reply, random: RandomBytes) {
    let salt = random(16)
    self.salt = Data(salt)
    bits = Self.bits(of: reply, salt)
  }

  /// Whether a reply is the same; another one almost never fits.
  func fits(_ reply: Reply) -> Bool { Self.bits(of: reply, Array(salt)) == bits }

  private static func bits(of reply: Reply, _ salt: [UInt8]) -> Int {
    let digest = HashFunction.sha256.hash(salt + reply.json.bytes)
    return digest.prefix(2).reduce(0) { $0 << 8 | Int($1) } >> 4
  }
}

extension Reply {
  /// The kind of reply and all that it contains; equal replies have equal JSON.
  fileprivate var json: JSONValue {
    func base64(_ parts: [[UInt8]?]) -> [JSONValue] {
      parts.map { $0.map { .string(Base64URL.encode($0)) } ?? .null }
    }
    // The words are stored, so they stay as they are.
    let parts: [JSONValue] =
      switch self {
      case .submit(let values):
        ["submit"]
          + values.sorted { $0.key < $1.key }
          .flatMap { [.string($0.key), .string($0.value.revealed)] }
      case .choose(let id): ["choose", .string(id)]
      case .returned(let url): ["returned", .string(url.absoluteString)]
      case .created(let passkey):
        ["created"] + base64([passkey.clientData, passkey.attestationObject])
          + passkey.transports.map(JSONValue.string)
      case .signed(let passkey):
        ["signed"]
          + base64([
            passkey.clientData, passkey.authenticatorData, passkey.signature, passkey.userHandle,
          ])
      case .fastPass(.delivered): ["fastPass", "delivered"]
      case .fastPass(.unreachable): ["fastPass", "unreachable"]
      case .fastPass(.refused(let status)):
        ["fastPass", "refused", status.map { .number(JSONValue.Number($0)) } ?? .null]
      case .failed(let message): ["failed", .string(message)]
      case .cancel: ["cancel"]
      }
    return .array(parts)
  }
}
