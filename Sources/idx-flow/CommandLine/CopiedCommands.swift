/// The commands in sentences, for a person to copy.
struct CopiedCommands {
  let commands: CommandList

  /// The line with no-break spaces in its commands, so that a line feed in the middle makes no other command of one.
  func kept(in line: String) -> String {
    let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    var result = ""
    var end = 0
    for (index, word) in words.enumerated() {
      if index > 0 { result += index < end ? "\u{A0}" : " " }
      result += word
      if index >= end { end = index + length(of: words[index...]) }
    }
    return result
  }

  /// Programs in remedies, whose arguments go on to the end of the sentence.
  private static let others = ["apt-get", "brew", "chmod", "dnf", "ssh", "timedatectl", "ulimit"]

  /// How many of the words are a command; 1 if the first one is none.
  private func length(of words: ArraySlice<String>) -> Int {
    let name = words.first.map { $0.drop { $0 == "(" } } ?? ""
    if Self.others.contains(String(name)) {
      return words.firstIndex(where: Self.isEnd).map { $0 - words.startIndex + 1 } ?? words.count
    }
    let rest = words.dropFirst()
    guard name == "idx-flow", let first = rest.first,
      let command = commands[String(Self.withoutEnd(first))]
    else { return 1 }
    if Self.isEnd(first) { return 2 }
    var line = PartialLine(of: command)
    var length = 2
    // In quotation marks, a value can have several words.
    var value: [String] = []
    for word in rest.dropFirst() {
      value.append(word)
      let isOpen = value.joined().count { $0 == "'" } % 2 == 1
      if isOpen { continue }
      let text = String(Self.withoutEnd(value.joined(separator: " ")))
      guard line.accepts(text) else { break }
      line.take(text)
      length += value.count
      if Self.isEnd(word) { break }
      value = []
    }
    return length
  }

  /// Whether a word is the last one of a sentence or a clause.
  private static func isEnd(_ word: String) -> Bool { withoutEnd(word).endIndex < word.endIndex }

  private static func withoutEnd(_ word: String) -> Substring {
    word.last.map { ".,;:)".contains($0) } == true ? word.dropLast() : word[...]
  }
}
