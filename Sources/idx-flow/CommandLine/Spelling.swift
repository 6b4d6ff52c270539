/// Finds the words that a word with a typing mistake may stand for.
enum Spelling {
  /// A sentence with the most similar words, after a space; empty if none is similar enough.
  static func hint(for word: String, among words: [String]) -> String {
    let similar = similar(to: word, among: words)
    return similar.isEmpty ? "" : " Did you mean \(similar.alternatives)?"
  }

  /// At most three similar words, the most similar one first.
  ///
  /// A word is similar if few characters differ, or if it has all parts of the wrong word: `enroll-phone`
  /// has the part `phone`. Only words that are nearly as similar as the best one are returned.
  static func similar(to word: String, among words: [String]) -> [String] {
    let word = word.lowercased()
    guard !word.isEmpty else { return [] }
    let limit = max(1, (word.count + 2) / 4)
    let ranked = words.compactMap { candidate -> (word: String, distance: Int)? in
      let distance = distance(word, candidate.lowercased())
      if distance <= limit { return (candidate, distance) }
      let parts = candidate.split(separator: "-").map(String.init)
      let wanted = word.split { $0 == "-" || $0 == "_" || $0 == " " }.map(String.init)
      let isContained = wanted.allSatisfy { part in
        part.count > 2
          && parts.contains {
            $0.hasPrefix(part) || (part.count > 4 && self.distance(part, $0) <= 1)
          }
      }
      // After all words that differ in a few characters.
      return isContained && !wanted.isEmpty ? (candidate, limit + parts.count) : nil
    }
    let best = ranked.map(\.distance).min() ?? 0
    return ranked.enumerated().filter { $0.element.distance <= best + 1 }
      .sorted { ($0.element.distance, $0.offset) < ($1.element.distance, $1.offset) }
      .prefix(3).map(\.element.word)
  }

  /// How many characters must be inserted, removed, replaced, or swapped with the next one.
  static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (Array(left), Array(right))
    var twoBefore: [Int] = []
    var before = Array(0...right.count)
    for row in left.indices {
      var current = [row + 1]
      for column in right.indices {
        let isSame = left[row] == right[column]
        var best = min(
          before[column] + (isSame ? 0 : 1), before[column + 1] + 1, current[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          best = min(best, twoBefore[column - 1] + 1)
        }
        current.append(best)
      }
      (twoBefore, before) = (before, current)
    }
    return before[right.count]
  }
}
