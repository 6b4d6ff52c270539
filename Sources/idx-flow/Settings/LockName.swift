import Foundation
import IDXOAuth

extension Credential.ID {
  /// The name of a lock on something else than a credential, which no credential has as its ID; `part` is a part of it
  /// with a lock of its own.
  static func lock(on name: String, part: String? = nil) -> Credential.ID {
    Credential.ID(issuer: URL(filePath: "/"), clientID: name, subject: part)
  }
}
