public import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Reply {
  /// Reads the reply of a front-end in another language, in the form of the schema: <doc:ScreensAsJSON#Replies>.
  ///
  /// The member `number` is the ``Screen/number`` of the screen, which the caller compares. Throws an ``InvalidReply``
  /// with a sentence, in English, about what is missing or unknown; it quotes no value.
  public init(json: JSONValue) throws(InvalidReply) {
    guard let object = json.object else {
      throw Self.invalid(
        "A reply must be a JSON object, such as {\"number\": 1, \"reply\": \"cancel\"}.")
    }
    guard let name = json["reply"]?.string, let kind = Kind(rawValue: name) else {
      let names = Kind.allCases.map(\.rawValue)
      throw Self.invalid(
        "“reply” must be \(names.dropLast().joined(separator: ", ")) or \(names[names.count - 1]).")
    }
    // A member with a mistake in its name would leave out what the person has entered.
    if let unknown = object.members.first(where: { !kind.members.contains($0.name) }) {
      throw Self.invalid("The reply “\(name)” has no member “\(unknown.name.printable.brief)”.")
    }
    func text(_ member: String) throws(InvalidReply) -> String {
      guard let text = json[member]?.string else {
        throw Self.invalid("The reply “\(name)” needs a text “\(member)”.")
      }
      return text
    }
    switch kind {
    case .submit: self = .submit(try Self.values(json["values"]))
    case .choose: self = .choose(try text("option"))
    case .returned:
      guard let url = URL(string: try text("url")) else {
        throw Self.invalid("“url” must be the whole address at which the browser returned.")
      }
      self = .returned(url)
    case .passkey:
      guard let reply = json["credential"].flatMap(Reply.init(passkey:)) else {
        throw Self.invalid(
          "“credential” must be the toJSON() of what the browser returned for the passkey.")
      }
      self = reply
    case .fastPass:
      guard let reply = Reply(fastPass: json) else {
        throw Self.invalid("“result” must be delivered, unreachable or refused.")
      }
      self = reply
    case .failed:
      self = .failed(TextSanitizer(oneLine: true).clean(try text("message").shortened()))
    case .cancel: self = .cancel
    }
  }

  private enum Kind: String, CaseIterable {
    case submit, choose, returned, passkey, fastPass, failed, cancel

    var members: Set<String> {
      let own: Set<String> =
        switch self {
        case .submit: ["values"]
        case .choose: ["option"]
        case .returned: ["url"]
        case .passkey: ["credential"]
        case .fastPass: ["result", "status"]
        case .failed: ["message"]
        case .cancel: []
        }
      return own.union(["reply", "number"])
    }
  }

  /// The values of inputs: texts, numbers, and true or false; none if there is no member for them.
  private static func values(
    _ json: JSONValue?
  ) throws(InvalidReply) -> [Screen.Input.ID: Secret] {
    guard let json else { return [:] }
    guard let members = json.object?.members else {
      throw invalid("“values” must be an object of values by the IDs of inputs.")
    }
    var values: [Screen.Input.ID: Secret] = [:]
    for member in members {
      guard let text = member.value.plainText else {
        throw invalid(
          "The value of “\(member.name.printable.brief)” must be a text, a number, true or false.")
      }
      values[member.name] = Secret(text)
    }
    return values
  }

  private static func invalid(_ sentence: String) -> InvalidReply {
    InvalidReply(message: sentence)
  }
}
