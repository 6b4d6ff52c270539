/// The request line and the fields of a request, as they were received.
struct RequestHead {
  let method: String
  /// The path and the query.
  let target: String
  /// Such as `HTTP/1.1`.
  let version: String
  /// All fields, in order.
  let fields: [(name: [UInt8], value: [UInt8])]
  /// Whether the head contains bytes besides the request line, the fields, and one CR LF after each.
  let hasOtherBytes: Bool

  /// The fields by their names in lowercase; several with one name are joined.
  ///
  /// Bytes that are not ASCII mean nothing in a field, so each becomes a question mark: as a mark or as a joiner, they
  /// could change what a text says beside them.
  var headers: [String: String] {
    var headers: [String: String] = [:]
    for (name, value) in fields {
      let name = String(decoding: name, as: UTF8.self).lowercased()
      let value = String(
        decoding: value.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }, as: UTF8.self)
      let separator = name == "cookie" ? "; " : ", "
      headers[name] = headers[name].map { $0 + separator + value } ?? value
    }
    return headers
  }

  /// The status to refuse the request with; nil if every server finds the same fields in it, and the same end
  /// (RFC 9112, sections 3.2, 5.1, 5.2 and 6.3).
  ///
  /// Otherwise a server in front of this one may take a part of its body for the next request, or the other
  /// way round.
  var refusal: Int? {
    let (hosts, lengths) = (values(of: "host"), values(of: "content-length"))
    let encodings = values(of: "transfer-encoding")
    guard !hasOtherBytes, isToken(method.utf8), target.utf8.allSatisfy(isVisible),
      fields.allSatisfy({ isToken($0.name) && $0.value.allSatisfy(isText) }),
      // HTTP/1.0 has no such field.
      hosts.count == 1 || (hosts.isEmpty && version == "HTTP/1.0"), hosts.allSatisfy(isHost),
      lengths.isEmpty || (lengths.count == 1 && encodings.isEmpty), lengths.allSatisfy(isNumber)
    else { return 400 }
    // The ends of chunks are read differently by several servers, and no browser sends a form in chunks.
    return encodings.isEmpty ? nil : 411
  }

  private func values(of name: String) -> [[UInt8]] {
    fields.filter { String(decoding: $0.name, as: UTF8.self).lowercased() == name }.map(\.value)
  }
}

/// A name (RFC 9110, section 5.6.2).
private func isToken(_ bytes: some Collection<UInt8>) -> Bool {
  !bytes.isEmpty
    && bytes.allSatisfy { isLetterOrDigit($0) || "!#$%&'*+-.^_`|~".utf8.contains($0) }
}

/// A host and a port, or nothing.
private func isHost(_ bytes: [UInt8]) -> Bool {
  bytes.allSatisfy { isLetterOrDigit($0) || "-._~!$&'()*+;=%:[]".utf8.contains($0) }
}

private func isNumber(_ bytes: [UInt8]) -> Bool {
  !bytes.isEmpty && bytes.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
}

private func isLetterOrDigit(_ byte: UInt8) -> Bool {
  let character = Unicode.Scalar(byte)
  return ("a"..."z").contains(character) || ("A"..."Z").contains(character)
    || ("0"..."9").contains(character)
}

private func isVisible(_ byte: UInt8) -> Bool { (0x21...0x7E).contains(byte) }

/// A byte of a value: no control character but the tab.
private func isText(_ byte: UInt8) -> Bool {
  byte == UInt8(ascii: "\t") || (byte >= 0x20 && byte != 0x7F)
}
