import IDXBase

/// Searches a text for others, in time that grows with both lengths only.
///
/// It ignores what a reader may not see: case, control characters, invisible characters, accents and
/// escape sequences, because a server can write any of them between two letters.
struct TextSearch {
  private let scalars: [Unicode.Scalar]
  /// Whether the text goes on after what is searched.
  private let isCut: Bool
  /// The ways to read the text that differ.
  private let readings: [Reading]
  /// For each position at which a hidden part begins, its end; otherwise the position.
  private var ends: [Int]

  /// A search in the first scalars of a text.
  init(_ text: String, upTo limit: Int) {
    scalars = Array(text.unicodeScalars.prefix(limit))
    isCut = text.unicodeScalars.count > limit
    ends = Array(scalars.indices)
    let scalars = scalars
    readings = Reading.Rule.all.filter { $0.matters(for: scalars) }.map { Reading(scalars, $0) }
  }

  /// Marks each place where a text occurs, if at least this many bytes of it are visible.
  ///
  /// In a text that is cut, its beginning at the end counts too.
  mutating func hide(_ wanted: String, minimumLength: Int) {
    let scalars = Array(wanted.unicodeScalars)
    for reading in readings {
      let pattern = Reading(scalars, reading.rule)
      guard pattern.size >= max(minimumLength, 1) else { continue }
      for range in reading.ranges(of: pattern, withBeginningAtEnd: isCut) {
        ends[range.lowerBound] = max(ends[range.lowerBound], range.upperBound)
      }
    }
  }

  /// The text with a replacement for each hidden part, cut after this number of scalars.
  func shown(upTo limit: Int, replacement: String) -> String {
    var shown = String.UnicodeScalarView()
    var hiddenEnd = 0
    for (position, scalar) in scalars.enumerated() {
      if position >= limit { return String(shown) + "…" }
      let followsHidden = hiddenEnd > 0 && position <= hiddenEnd
      hiddenEnd = max(hiddenEnd, ends[position])
      if position < hiddenEnd {
        if !followsHidden { shown.append(contentsOf: replacement.unicodeScalars) }
      } else if followsHidden, scalar.isMark {
        // An accent belongs to the letter before it.
        hiddenEnd += 1
      } else {
        shown.append(scalar)
      }
    }
    return String(shown)
  }
}

/// The letters that a reader finds in a text.
private struct Reading {
  /// What counts as a letter; different programs show the same text in different ways.
  struct Rule {
    /// Whether accents are ignored; otherwise letters that Unicode calls equivalent are equal.
    let ignoresMarks: Bool
    let ignoresSequences: Bool
    /// Whether a line break or tab is a space; otherwise it is ignored.
    let hasSpaceForBreak: Bool

    /// Whether a text may be read in another way than without the rule.
    func matters(for scalars: [Unicode.Scalar]) -> Bool {
      (!ignoresMarks || !scalars.allSatisfy(\.isASCII))
        && (!ignoresSequences || scalars.contains(where: ControlSequences.canBegin))
        && (!hasSpaceForBreak || scalars.contains(where: \.isBreak))
    }

    static let all = [false, true].flatMap { marks in
      [false, true].flatMap { sequences in
        [false, true].map {
          Rule(ignoresMarks: marks, ignoresSequences: sequences, hasSpaceForBreak: $0)
        }
      }
    }
  }

  let rule: Rule
  /// The letters in lowercase.
  private var letters: [String] = []
  /// Where each letter begins in the text.
  private var starts: [Int] = []
  /// Where each letter ends in the text.
  private var ends: [Int] = []
  /// The different letters, and all letters as numbers, which are faster to compare.
  private let numbers: [String: Int]
  private let folded: [Int]

  /// The number of bytes of all letters.
  var size: Int { letters.reduce(0) { $0 + $1.utf8.count } }

  init(_ scalars: [Unicode.Scalar], _ rule: Rule) {
    self.rule = rule
    var kept: [(scalar: Unicode.Scalar, position: Int)] = []
    let sequences = ControlSequences(scalars)
    var position = 0
    while position < scalars.count {
      if rule.ignoresSequences, let end = sequences.endOfRest(from: position) {
        position = end
        continue
      }
      let scalar = scalars[position]
      if scalar.isBreak {
        if rule.hasSpaceForBreak { kept.append((" ", position)) }
      } else if !scalar.isInvisible, !rule.ignoresMarks || !scalar.isMark {
        kept.append((scalar, position))
      }
      position += 1
    }
    if rule.ignoresMarks {
      letters = kept.map { $0.scalar.properties.lowercaseMapping }
      starts = kept.map(\.position)
      ends = kept.map { $0.position + 1 }
    } else {
      var view = String.UnicodeScalarView()
      view.append(contentsOf: kept.map(\.scalar))
      var first = 0
      for character in String(view) {
        let next = first + character.unicodeScalars.count
        letters.append(character.lowercased())
        starts.append(kept[first].position)
        ends.append(kept[next - 1].position + 1)
        first = next
      }
    }
    let numbers = Dictionary(zip(letters, letters.indices)) { first, _ in first }
    folded = letters.compactMap { numbers[$0] }
    self.numbers = numbers
  }

  /// Where another text occurs (Knuth, Morris and Pratt).
  func ranges(of other: Reading, withBeginningAtEnd isCut: Bool) -> [Range<Int>] {
    guard !other.letters.isEmpty, isCut || other.letters.count <= letters.count else { return [] }
    let pattern = other.letters.map { numbers[$0] ?? -1 }
    // For each position, the length of the longest proper end of the pattern so far that it begins with.
    var fallback = [0]
    for letter in pattern.dropFirst() {
      fallback.append(Self.advanced(fallback[fallback.count - 1], by: letter, pattern, fallback))
    }
    var found: [Range<Int>] = []
    var matched = 0
    for (position, letter) in folded.enumerated() {
      if matched == pattern.count { matched = fallback[matched - 1] }
      matched = Self.advanced(matched, by: letter, pattern, fallback)
      if matched == pattern.count {
        found.append(starts[position + 1 - matched]..<ends[position])
      }
    }
    if isCut, matched > 0, let end = ends.last {
      found.append(starts[folded.count - matched]..<end)
    }
    return found
  }

  /// The number of letters that match after one more letter.
  private static func advanced(
    _ matched: Int, by letter: Int, _ pattern: [Int], _ fallback: [Int]
  ) -> Int {
    var matched = matched
    while matched > 0, pattern[matched] != letter { matched = fallback[matched - 1] }
    return pattern[matched] == letter ? matched + 1 : 0
  }
}

extension ControlSequences {
  fileprivate static func canBegin(with scalar: Unicode.Scalar) -> Bool {
    scalar == "[" || scalar == "\u{1B}" || (0x80...0x9F).contains(scalar.value)
  }

  /// The position after the sequence that begins here, also without an ESC that was removed before; nil if
  /// none does.
  fileprivate func endOfRest(from start: Int) -> Int? {
    guard scalars[start] == "[" else { return end(from: start) }
    let parameters = scalars[(start + 1)...].prefix { (0x30...0x3F).contains($0.value) }
    let final = parameters.endIndex
    return final < scalars.count && scalars[final].properties.isAlphabetic ? final + 1 : nil
  }
}

extension Unicode.Scalar {
  fileprivate var isBreak: Bool {
    switch self {
    case "\t"..."\r", "\u{85}", "\u{2028}", "\u{2029}": true
    default: false
    }
  }

  /// Whether nothing is drawn, or a terminal acts on it.
  fileprivate var isInvisible: Bool { !isPrintable || properties.isDefaultIgnorableCodePoint }

  /// Whether it is an accent or the like, which is drawn with the letter before it.
  fileprivate var isMark: Bool {
    switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }
}
