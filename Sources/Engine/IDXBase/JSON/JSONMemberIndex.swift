/// Where the members of one object are, by name, in eight bytes.
///
/// A form asks for many names, most of which a field does not have. Each name belongs to one of sixteen
/// slots. A slot shows that no member has the name, or which member can have it.
@usableFromInline
package struct JSONMemberIndex: Sendable {
  /// Four bits for each slot: how many values after its object the member begins, or 0 for no member.
  @usableFromInline var slots: UInt64

  /// The distance in a slot whose name has to be searched.
  @usableFromInline static var searched: Int { 15 }

  /// The index of an object without members.
  init() { slots = 0 }

  /// The index with which every member is searched; it takes no pass over the members.
  @inlinable
  package static var unknown: JSONMemberIndex { JSONMemberIndex(slots: .max) }

  @inlinable
  init(slots: UInt64) { self.slots = slots }

  /// Adds a member.
  ///
  /// If its slot is taken, or it is too far away, the names of the slot have to be searched.
  @inline(__always)
  mutating func insert(first: UInt8, length: Int, distance: Int) {
    let shift = Self.shift(first, length)
    let isTaken = slots >> shift & 15 != 0
    let slot = isTaken ? Self.searched : min(distance, Self.searched)
    slots |= UInt64(truncatingIfNeeded: slot) << shift
  }

  /// The distance of the member that can have a name, which must not be empty.
  @inlinable
  @inline(__always)
  func distance(_ name: StaticString) -> Int {
    Int(
      truncatingIfNeeded: slots >> Self.shift(name.utf8Start.pointee, name.utf8CodeUnitCount) & 15)
  }

  /// The position of the slot of a name.
  ///
  /// The factors give different slots to nearly all names of the protocol that stand in one object.
  @inlinable
  @inline(__always)
  static func shift(_ first: UInt8, _ length: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: Int(first) &* 23 &+ length &* 26) & 60
  }
}

extension JSONDocument {
  /// The index of an object's members; empty for anything else.
  package func index(of node: Int) -> JSONMemberIndex {
    var index = JSONMemberIndex()
    guard isObject(node) else { return index }
    let end = place(node).extent
    var child = node + 1
    while child < end {
      let member = place(child)
      guard !member.hasIrregularName else { return .unknown }
      index.insert(
        first: byte(at: member.nameStart), length: member.nameLength, distance: child - node)
      child = member.following(child)
    }
    return index
  }

  /// The member of an object with this name, of 1 to 61 bytes; the last one if it occurs twice.
  @inlinable
  @inline(__always)
  package func member(_ name: StaticString, of node: Int, in index: JSONMemberIndex) -> Int? {
    let distance = index.distance(name)
    if distance == 0 { return nil }
    if distance == JSONMemberIndex.searched { return member(name, of: node) }
    return isNamed(name, node + distance) ? node + distance : nil
  }
}
