#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Writes all of the bytes to an open file, a terminal or a pipe, waiting where it is slow.
///
/// Returns the system's error code, or nil where everything was written.
package func write(all bytes: [UInt8], to descriptor: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if count > 0 {
      rest = rest.dropFirst(count)
      continue
    }
    switch errno {
    case EINTR: continue
    case EAGAIN:
      guard (try? Readiness.waitToWrite(descriptor)) != nil else { return EAGAIN }
    case let code: return code
    }
  }
  return nil
}
