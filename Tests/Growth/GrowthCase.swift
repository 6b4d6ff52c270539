/// Larger and larger inputs of one kind for one parser.
///
/// The work for a size, twice the size and four times the size is compared. `pytest -k growth` measures
/// time, and counts instructions where it grows too fast; `.ci/fuzz` uses small inputs as seeds.
struct GrowthCase: Sendable {
  let target: FuzzTarget
  /// What grows.
  let name: String
  /// The first size: large enough that what does not grow takes little of the work.
  let size: Int
  let make: @Sendable (Int) -> [UInt8]

  static let all: [GrowthCase] = {
    var cases = GrowthCases()
    cases.addResponses()
    cases.addForms()
    cases.addAnswers()
    cases.addTokens()
    cases.addTexts()
    cases.addStates()
    cases.addBinary()
    return cases.all
  }()
}

/// The list of all cases while it is made.
struct GrowthCases {
  private(set) var all: [GrowthCase] = []

  mutating func addBytes(
    _ target: FuzzTarget, _ name: String, _ size: Int,
    _ make: @escaping @Sendable (Int) -> [UInt8]
  ) {
    all.append(GrowthCase(target: target, name: name, size: size, make: make))
  }

  mutating func add(
    _ target: FuzzTarget, _ name: String, _ size: Int, _ make: @escaping @Sendable (Int) -> String
  ) {
    addBytes(target, name, size) { Array(make($0).utf8) }
  }

  /// Adds a case for the parser of responses, and for what a step does with the response.
  mutating func addBoth(
    _ name: String, _ size: Int, _ make: @escaping @Sendable (Int) -> String
  ) {
    add(.responses, name, size, make)
    add(.steps, name, size, make)
  }
}

/// The texts of so many elements with commas between them.
func many(_ count: Int, _ make: (Int) -> String) -> String {
  (0..<count).map(make).joined(separator: ",")
}

/// A text so many times.
func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }
