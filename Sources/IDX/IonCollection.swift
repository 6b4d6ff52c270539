/// How lists stand in a response: `{"type": "array", "value": [...]}`, or one object as the value.
///
/// Source: protocol sections 2.1 and 2.7. What is no object is passed over.
extension JSONReader {
  /// Whether an object stands next.
  var isAtObject: Bool {
    mutating get { peek() == UInt8(ascii: "{") }
  }

  /// Whether an array stands next.
  var isAtArray: Bool {
    mutating get { peek() == UInt8(ascii: "[") }
  }

  /// The text read since a position.
  func raw(since start: Mark) -> RawJSON {
    RawJSON(document: document, from: start.index, to: index)
  }

  /// Reads each object of the collection that stands next, with its position among all elements;
  /// nil stands for the position where the value is one object and no list.
  @inline(__always)
  mutating func collection<Element>(
    _ read: (inout JSONReader, Int?) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var found: [Element] = []
    guard isAtObject else {
      try skip()
      return found
    }
    var members = try enterObject()
    while let name = try nextName(&members) {
      guard case "value" = name else {
        try skip()
        continue
      }
      if isAtObject { found = [try read(&self, nil)] } else { found = try objects(read) }
    }
    return found
  }

  /// Reads each object of the array that stands next; anything else is passed over.
  @inline(__always)
  mutating func objects<Element>(
    _ read: (inout JSONReader, Int?) throws(JSONError) -> Element
  ) throws(JSONError) -> [Element] {
    var found: [Element] = []
    guard isAtArray else {
      try skip()
      return found
    }
    try forEachElement { reader, position throws(JSONError) in
      if reader.isAtObject { found.append(try read(&reader, position)) } else { try reader.skip() }
    }
    return found
  }
}
