#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Reads an open file to its end, but not much more than the limit.
///
/// Where more bytes are returned than the limit, the file is longer than that.
package func readAll(of descriptor: Int32, limit: Int) throws(SystemFailure) -> [UInt8] {
  var bytes: [UInt8] = []
  while bytes.count <= limit {
    var (result, code) = (0, Int32(0))
    bytes += [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, count in
      result = read(descriptor, buffer.baseAddress, buffer.count)
      code = errno
      count = max(result, 0)
    }
    if result == 0 { break }
    if result < 0, code != EINTR { throw SystemFailure(call: "read", code: code) }
  }
  return bytes
}
