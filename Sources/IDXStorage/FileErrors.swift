import IDXBase
import IDXOAuth

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension CredentialStoreError {
  /// A file or folder that the system does not let be read.
  static func unreadable(_ path: String, _ code: Int32) -> CredentialStoreError {
    let reason =
      switch code {
      case EACCES, EPERM: "that is not permitted. Make it your own and readable for you"
      case let code: describe(code)
      }
    return CredentialStoreError(
      .unavailable, "\(path.printable) cannot be read: \(reason).", systemCode: code)
  }

  /// A file or folder that the system does not let be written.
  static func unwritable(_ path: String, _ code: Int32) -> CredentialStoreError {
    let reason =
      switch code {
      case ENOSPC: "the disk is full. Make room and try again"
      case EDQUOT: "your share of the disk is used up. Make room and try again"
      case EROFS: "it is on a disk that is read-only. Choose another folder"
      case EACCES, EPERM: "that is not permitted. Make its folder your own and writable for you"
      case EFBIG: "no file may be as large here (see ulimit -f)"
      case let code: describe(code)
      }
    return CredentialStoreError(
      .notWritable, "\(path.printable) cannot be written: \(reason).", systemCode: code)
  }

  private static func describe(_ code: Int32) -> String {
    String(cString: strerror(code)).lowercased()
  }
}

extension String {
  /// The text as one word of a shell's command.
  var quoted: String {
    "'"
      + printable.split(separator: "'", omittingEmptySubsequences: false).joined(
        separator: #"'\''"#)
      + "'"
  }
}
