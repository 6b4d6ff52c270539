import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The form in which stores keep a value: its JSON and the SHA-256 of that, so that no damage goes
/// unseen, not even within a token.
///
///     {"content":{"version":1,…},"sha256":"…"}
enum ChecksummedEnvelope {
  /// The text of a value, which carries a `version`.
  static func seal(_ value: some Encodable) throws(CredentialStoreError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let content = try? encoder.encode(value) else {
      throw CredentialStoreError(.damaged, "The credential holds a time that is none.")
    }
    return start + content + middle + digest(of: Array(content)) + end
  }

  /// The value of a text that stands at a place, in words for a person.
  ///
  /// Throws ``CredentialStoreError/Code/newer`` where a newer version wrote it, and
  /// ``CredentialStoreError/Code/damaged`` where it is not what ``seal(_:)`` returned.
  static func open<Value: Decodable>(
    _ type: Value.Type, from text: [UInt8], at place: String
  ) throws(CredentialStoreError) -> Value {
    guard let content = content(of: text) else {
      throw isNewer(text) ? newer(place) : damaged(place)
    }
    do {
      return try JSONDecoder().decode(type, from: Data(content))
    } catch let error as CredentialStoreError where error.code == .newer {
      throw newer(place)
    } catch {
      throw damaged(place)
    }
  }

  static func damaged(_ place: String) -> CredentialStoreError {
    CredentialStoreError(
      .damaged,
      "\(place.printable) is damaged, and stays as it is. Move it away and sign in again.")
  }

  private static func newer(_ place: String) -> CredentialStoreError {
    CredentialStoreError(
      .newer,
      "A newer version wrote \(place.printable), which stays as it is. Use that version, or move "
        + "it away and sign in again.")
  }

  private static let start = Array(#"{"content":"#.utf8)
  private static let middle = Array(#","sha256":""#.utf8)
  private static let end = Array("\"}\n".utf8)

  /// The JSON in it, where the digest is that of these very bytes.
  private static func content(of text: [UInt8]) -> [UInt8]? {
    let tail = middle.count + 64 + end.count
    guard text.count >= start.count + tail, text.starts(with: start) else { return nil }
    let content = Array(text[start.count..<text.count - tail])
    return text.suffix(tail).elementsEqual(middle + digest(of: content) + end) ? content : nil
  }

  private static func digest(of bytes: [UInt8]) -> [UInt8] {
    Array(HashFunction.sha256.hash(bytes).hexadecimal.utf8)
  }

  /// What any version is bound to write.
  private struct Version: Decodable {
    struct Content: Decodable {
      let version: Int
    }

    let version: Int?
    let content: Content?
  }

  private static func isNewer(_ text: [UInt8]) -> Bool {
    guard let found = try? JSONDecoder().decode(Version.self, from: Data(text)) else {
      return false
    }
    return max(found.version ?? 0, found.content?.version ?? 0) > Credential.formatVersion
  }
}

extension Credential.ID {
  /// A name for a file or an item: the same for equal ids, another for all others.
  var storageName: String {
    // The lengths keep "a" and "bc" from being "ab" and "c", and no subject from an empty one.
    let parts = [issuer.absoluteString, clientID, subject].map { part in
      part.map { "\($0.utf8.count):\($0)" } ?? "-"
    }
    return HashFunction.sha256.hash(Array(parts.joined().utf8)).hexadecimal
  }
}

extension Credential {
  /// What a person sees of it in the system's list.
  ///
  /// Counted in scalars: a character may be of any size, and an argument of a program may not.
  var label: String {
    let scalars = "idx-flow: \(self)".printable.unicodeScalars
    return String(String.UnicodeScalarView(scalars.prefix(200)))
  }
}

extension [UInt8] {
  var hexadecimal: String {
    map { byte in
      let digits = String(byte, radix: 16)
      return byte < 16 ? "0\(digits)" : digits
    }.joined()
  }
}
