#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes files that are for nobody but their owner.
package enum PrivateFile {
  package struct WriteError: Error, CustomStringConvertible {
    package let path: String
    package let systemCode: Int32

    package var description: String {
      systemCode == EEXIST
        ? "\(path) is there already and stays as it is. Give another name."
        : "\(path) cannot be written: \(String(cString: strerror(systemCode)))."
    }
  }

  /// Writes a new file with mode 0600.
  ///
  /// A file that is there, or a link, is left alone.
  package static func write(_ bytes: [UInt8], to path: String) throws(WriteError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WriteError(path: path, systemCode: errno) }
    defer { close(descriptor) }
    guard let code = IDXSystem.write(all: bytes, to: descriptor) else { return }
    unlink(path)
    throw WriteError(path: path, systemCode: code)
  }
}
