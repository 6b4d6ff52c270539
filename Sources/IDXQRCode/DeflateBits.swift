/// The bits of a deflate stream, the lowest of each byte first.
///
/// Source: RFC 1951, section 3.1.1.
struct DeflateBits {
  private let bytes: ArraySlice<UInt8>
  private var position: Int
  private var held = 0
  private var heldCount = 0

  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// The next bits as a number, the first its lowest; at most 16.
  mutating func take(_ count: Int) throws(QRCode.Unreadable) -> Int {
    while heldCount < count {
      guard position < bytes.endIndex else { throw .imageIsCutShort }
      held |= Int(bytes[position]) << heldCount
      heldCount += 8
      position += 1
    }
    defer {
      held >>= count
      heldCount -= count
    }
    return held & (1 << count - 1)
  }

  /// The next whole bytes; what is left of a byte that was begun is passed over.
  mutating func takeBytes(_ count: Int) throws(QRCode.Unreadable) -> ArraySlice<UInt8> {
    // No more than seven bits are held between calls, so no whole byte is lost.
    held = 0
    heldCount = 0
    guard count <= bytes.endIndex - position else { throw .imageIsCutShort }
    defer { position += count }
    return bytes[position..<position + count]
  }
}
