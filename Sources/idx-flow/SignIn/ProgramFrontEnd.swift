import IDXBase
import IDXFlow

/// Shows the screens to a program, as lines of JSON, and receives its replies.
///
/// A line that cannot be used is answered with news, and the screen stays. The end of the input, a line that is too long
/// or not UTF-8, and an output that nobody reads cancel the sign-in.
struct ProgramFrontEnd: FrontEnd {
  let lines: ProgramLines

  func reply(to screen: Screen) async throws -> Reply {
    do { try lines.show(screen.json) } catch { return .cancel }
    while true {
      switch try await lines.input.next() {
      case .end: return .cancel
      case .tooLong:
        return cancel("A line is longer than \(LineReader.longestLine >> 20) MiB.")
      case .line(let bytes):
        guard String(validUTF8: bytes) != nil else {
          return cancel("A line is not UTF-8.")
        }
        do {
          if let reply = try reply(in: bytes, to: screen) { return reply }
        } catch { lines.tell(.error, "\(error)") }
      }
    }
  }

  /// The reply in a line; nil if there is none in it.
  private func reply(in bytes: [UInt8], to screen: Screen) throws -> Reply? {
    guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) else { return nil }
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch {
      throw InvalidReply(message: "The line is no reply. \(error)")
    }
    let reply = try Reply(json: json)
    guard let other = json["number"]?.integer else {
      throw InvalidReply(message: "The reply needs the “number” of its screen, a whole number.")
    }
    guard other == screen.number else {
      throw InvalidReply(
        message:
          "The reply is to screen \(other), but screen \(screen.number) is shown. It was ignored.")
    }
    // An ID with a mistake in it would leave out what the person has entered.
    if case .submit(let values) = reply,
      let unknown = Set(values.keys).subtracting(Self.ids(of: screen.inputs)).min()
    {
      throw InvalidReply(message: "There is no input “\(unknown.printable.shortened(to: 60))”.")
    }
    return reply
  }

  /// The IDs of inputs, also of those that belong to a choice.
  private static func ids(of inputs: [Screen.Input]) -> Set<Screen.Input.ID> {
    inputs.reduce(into: []) { ids, input in
      ids.insert(input.id)
      for choice in input.choices { ids.formUnion(Self.ids(of: choice.inputs)) }
    }
  }

  private func cancel(_ reason: String) -> Reply {
    lines.tell(.error, "\(reason) The sign-in is canceled.")
    return .cancel
  }
}
