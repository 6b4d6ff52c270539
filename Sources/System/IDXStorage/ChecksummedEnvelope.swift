import Foundation
import IDXBase
public import IDXOAuth

/// The format in which stores save a value: its JSON and the SHA-256 of that JSON.
///
///     {"content":{"version":1,…},"sha256":"…"}
///
/// The checksum reveals any damage, even inside a token. Nothing is encrypted. A store of your own saves a
/// ``/IDXOAuth/Credential`` in this format, and the ID of the current one:
///
///     let bytes = try ChecksummedEnvelope.encode(credential)
///     let read = try ChecksummedEnvelope.decode(Credential.self, from: bytes, at: "the row 7")
public enum ChecksummedEnvelope {
  /// Encodes a value as UTF-8 text that ends with a line break.
  ///
  /// A value of your own should have no member `version`, because ``decode(_:from:at:)`` compares it with
  /// ``/IDXOAuth/Credential/formatVersion``. Throws ``/IDXOAuth/CredentialStoreError/Code/damaged`` if the value
  /// contains a date or a number that JSON does not have.
  public static func encode(_ value: some Encodable) throws(CredentialStoreError) -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let content = try? encoder.encode(value) else {
      throw CredentialStoreError(
        .damaged, "The credential contains an invalid date or number and was not saved.")
    }
    return start + content + middle + digest(of: Array(content)) + end
  }

  /// Decodes a value that ``encode(_:)`` of this or an earlier version encoded.
  ///
  /// `place` says in words where the bytes are stored, such as `the row 7`, for the message of an error. Throws
  /// ``/IDXOAuth/CredentialStoreError/Code/newer`` if a newer version encoded them, and
  /// ``/IDXOAuth/CredentialStoreError/Code/damaged`` if they were changed or are something else.
  public static func decode<Value: Decodable>(
    _ type: Value.Type, from text: [UInt8], at place: String
  ) throws(CredentialStoreError) -> Value {
    let found = try? JSONDecoder().decode(Version.self, from: Data(text))
    guard max(found?.version ?? 0, found?.content?.version ?? 0) <= Credential.formatVersion else {
      throw .newer(place)
    }
    guard let content = content(of: text),
      let value = try? JSONDecoder().decode(type, from: Data(content))
    else { throw .damaged(place) }
    return value
  }

  private static let start = Array(#"{"content":"#.utf8)
  private static let middle = Array(#","sha256":""#.utf8)
  private static let end = Array("\"}\n".utf8)

  /// The JSON of the value; nil if the checksum is not that of exactly these bytes.
  private static func content(of text: [UInt8]) -> [UInt8]? {
    let tail = middle.count + 64 + end.count
    guard text.count >= start.count + tail, text.starts(with: start) else { return nil }
    let content = Array(text[start.count..<text.count - tail])
    return text.suffix(tail).elementsEqual(middle + digest(of: content) + end) ? content : nil
  }

  private static func digest(of bytes: [UInt8]) -> [UInt8] {
    Array(HashFunction.sha256.hash(bytes).hexadecimal.utf8)
  }

  /// The members that every version writes, now or later: `version` in the value or beside it.
  private struct Version: Decodable {
    struct Content: Decodable {
      let version: Int
    }

    let version: Int?
    let content: Content?
  }
}

/// The ID of the current credential, as stores save it in a ``ChecksummedEnvelope``.
///
/// It has a version, so that a store of an earlier version does not overwrite that of a later one.
public struct CurrentCredential: Codable, Sendable {
  private var version = 1
  /// The ID.
  public let id: Credential.ID

  /// Creates what is saved for a credential.
  public init(id: Credential.ID) { self.id = id }
}

extension Credential.ID {
  /// A name for a file, a row or an item: 64 lowercase hexadecimal digits, the same for the same ID in every
  /// version, and different for different IDs.
  ///
  /// It is a SHA-256, so that no part of the ID can be read from it or be special in a path.
  public var storageName: String {
    // The lengths distinguish "a" and "bc" from "ab" and "c", and nil from an empty text.
    let optional = label.map { [$0] } ?? []
    let parts = ([issuer.absoluteString, clientID, subject] + optional).map { part in
      part.map { "\($0.utf8.count):\($0)" } ?? "-"
    }
    return HashFunction.sha256.hash(Array(parts.joined().utf8)).hexadecimal
  }
}

extension Credential {
  /// The title of the item in the system's list of passwords.
  ///
  /// The limit counts Unicode scalars: a character can have any size, and an argument of a program
  /// cannot.
  var label: String {
    let scalars = "idx-flow: \(self)".printable.unicodeScalars
    return String(String.UnicodeScalarView(scalars.prefix(200)))
  }
}
