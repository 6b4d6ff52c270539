#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes files that are for nobody but their owner.
enum PrivateFile {
  struct WriteError: Error, CustomStringConvertible {
    let path: String
    let systemCode: Int32

    var description: String {
      systemCode == EEXIST
        ? "\(path) is there already and stays as it is. Give another name."
        : "\(path) cannot be written: \(String(cString: strerror(systemCode)))."
    }
  }

  /// Writes a new file with mode 0600.
  ///
  /// A file that is there, or a link, is left alone.
  static func write(_ bytes: [UInt8], to path: String) throws(WriteError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw WriteError(path: path, systemCode: errno) }
    defer { close(descriptor) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { system(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        let code = errno
        unlink(path)
        throw WriteError(path: path, systemCode: code)
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func system(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(descriptor, bytes.baseAddress, bytes.count)
    #elseif canImport(Musl)
      Musl.write(descriptor, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(descriptor, bytes.baseAddress, bytes.count)
    #endif
  }
}
