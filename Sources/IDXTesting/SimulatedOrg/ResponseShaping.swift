import IDXBase
import IDX

// Rewrites a response in another server's manner. The org itself goes on from the plain one.
extension OrgReply {
  func shaped(_ shape: ResponseShape) -> OrgReply {
    guard !shape.isEmpty else { return self }
    return OrgReply(
      status: status, body: Self.shape(body, shape), mediaType: mediaType, headers: headers)
  }

  private static let flags = ["required", "mutable", "visible", "secret"]

  private static func shape(_ value: JSONValue, _ shape: ResponseShape) -> JSONValue {
    switch value {
    case .array(let elements): return .array(elements.map { Self.shape($0, shape) })
    case .object(let object):
      var members = object.members.map { member -> JSONValue.Object.Member in
        if shape.contains(.flagsAsStrings), flags.contains(member.name),
          let flag = member.value.bool
        {
          return .init(member.name, .string(String(flag)))
        }
        if shape.contains(.bareReferences), member.name == "relatesTo",
          let reference = member.value[0]
        {
          return .init(member.name, reference)
        }
        return .init(member.name, Self.shape(member.value, shape))
      }
      if shape.contains(.optionsAsForms), object["name"] == nil,
        let form = object["value"]?["form"]
      {
        members.removeAll { $0.name == "value" }
        members.append(.init("form", Self.shape(form, shape)))
      }
      if shape.contains(.unknownMembers) {
        members.append(.init("futureMember", ["of": ["a", "later", "server"]]))
      }
      return .object(JSONValue.Object(members))
    default: return value
    }
  }
}
