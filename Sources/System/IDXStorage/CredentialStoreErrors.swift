import Foundation
import IDXBase
public import IDXOAuth

extension CredentialStoreError {
  /// The error of ``/IDXOAuth/CredentialStore/makeCurrent(_:)`` for a credential that is not in the store.
  public static var notFound: CredentialStoreError {
    CredentialStoreError(.notFound, "There is no such credential. Sign in first.")
  }

  /// A newer version wrote the entry at a place.
  static func newer(_ place: String) -> CredentialStoreError {
    CredentialStoreError(
      .newer,
      "A newer version wrote \(place.printable). It was not changed. Use that version, or move it "
        + "away and sign in again.")
  }

  /// The error for an entry that is damaged, or that belongs in another place.
  ///
  /// `place` says in words where the entry is, such as `the row 7`; the message begins with it.
  public static func damaged(_ place: String) -> CredentialStoreError {
    CredentialStoreError(
      .damaged,
      "\(place.printable) is damaged and was not changed. Move it away and sign in again.")
  }

  /// The system refuses to read a file or folder.
  static func unreadable(_ path: String, _ code: Int32) -> CredentialStoreError {
    let reason =
      switch code {
      case EACCES, EPERM: "permission denied. Make it readable for you"
      case let code: describe(code)
      }
    return CredentialStoreError(
      .unavailable, "\(path.printable) cannot be read: \(reason).", systemCode: code)
  }

  /// The system refuses to write a file or folder.
  static func unwritable(_ path: String, _ code: Int32) -> CredentialStoreError {
    let reason =
      switch code {
      case ENOSPC: "the disk is full. Free some space"
      case EDQUOT: "your disk quota is used up. Free some space"
      case EROFS: "the disk is read-only. Choose another folder"
      case EACCES, EPERM: "permission denied. Make its folder writable for you"
      case EFBIG: "the file would be larger than the system allows (see ulimit -f)"
      case let code: describe(code)
      }
    return CredentialStoreError(
      .notWritable, "\(path.printable) cannot be written: \(reason).", systemCode: code)
  }

  /// Whether the error concerns one entry only, and not the whole store.
  var isAboutOneEntry: Bool { code == .damaged || code == .newer }

  private static func describe(_ code: Int32) -> String {
    String(cString: strerror(code)).lowercased()
  }
}

extension Duration {
  /// The time in words, in whole seconds.
  var inWords: String {
    let seconds = self / .seconds(1)
    return seconds == 1 ? "1 second" : seconds < 1 ? "a moment" : "\(Int(seconds)) seconds"
  }
}
