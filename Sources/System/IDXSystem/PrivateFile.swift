#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Creates files that only their owner can access.
package enum PrivateFile {
  /// Why a file could not be written.
  package struct WriteError: Error, CustomStringConvertible {
    package let path: String
    /// The system's error code (`errno`).
    package let systemCode: Int32

    package var description: String {
      systemCode == EEXIST
        ? "\(path) already exists and was not changed. Choose another name."
        : "\(path) cannot be written: \(String(cString: strerror(systemCode)))."
    }
  }

  /// Creates a file with mode 0600 and returns its descriptor, which the caller closes.
  ///
  /// An existing file or link is not changed.
  package static func create(_ path: String) throws(WriteError) -> Int32 {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WriteError(path: path, systemCode: errno) }
    var status = stat()
    // The umask must not lock out the owner.
    if fstat(descriptor, &status) == 0, status.st_mode & 0o600 != 0o600 {
      fchmod(descriptor, 0o600)
    }
    return descriptor
  }

  /// Writes a new file with mode 0600.
  ///
  /// An existing file or link is not changed.
  package static func write(_ bytes: [UInt8], to path: String) throws(WriteError) {
    let descriptor = try create(path)
    defer { close(descriptor) }
    guard let code = IDXSystem.write(all: bytes, to: descriptor) else { return }
    unlink(path)
    throw WriteError(path: path, systemCode: code)
  }
}
