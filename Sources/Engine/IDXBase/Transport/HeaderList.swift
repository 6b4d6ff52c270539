/// Reads header fields whose values are lists with quoted texts (RFC 9110, section 5.6).
package enum HeaderList {
  /// The parts between separators that are outside of quoted texts and of angle brackets, without spaces around them.
  package static func parts(of text: String, by separator: Character) -> [String] {
    var parts: [String] = []
    var part = ""
    var (isQuoted, isEscaped, isBracketed) = (false, false, false)
    for character in text {
      switch character {
      case _ where isEscaped: isEscaped = false
      case "\\" where isQuoted: isEscaped = true
      case "\"" where !isBracketed: isQuoted.toggle()
      case "<" where !isQuoted: isBracketed = true
      case ">" where !isQuoted: isBracketed = false
      case separator where !isQuoted && !isBracketed:
        parts.append(part.trimmed())
        part = ""
        continue
      default: break
      }
      part.append(character)
    }
    return parts + [part.trimmed()]
  }

  /// The name in small letters and the value of `name=value` or `name="value"`; the value is empty if there is none.
  package static func parameter(_ text: String) -> (name: String, value: String) {
    let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = halves[0].trimmed().lowercased()
    guard halves.count == 2 else { return (name, "") }
    let value = halves[1].trimmed()
    guard value.count >= 2, value.hasPrefix("\""), value.hasSuffix("\"") else {
      return (name, value)
    }
    var (plain, isEscaped) = ("", false)
    for character in value.dropFirst().dropLast() {
      if character == "\\", !isEscaped {
        isEscaped = true
      } else {
        plain.append(character)
        isEscaped = false
      }
    }
    return (name, plain)
  }
}
