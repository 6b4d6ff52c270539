/// What the benchmark was asked to do.
struct BenchmarkOptions {
  enum Mode: Equatable {
    case all
    case parse(passes: Int)
    case read(passes: Int)
    case encode(passes: Int)
    case signIn(passes: Int)
    case hold(LiveMemory.Load)
    case help

    fileprivate var signsIn: Bool {
      switch self {
      case .signIn, .hold(.signIns): true
      default: false
      }
    }
  }

  private(set) var mode = Mode.all
  private(set) var isJSON = false
  private(set) var repetitions = 9
  /// Files and folders of responses; the fixtures where none are named.
  private(set) var paths: [String] = []

  /// What whoever calls it has to change.
  struct Misuse: Error, CustomStringConvertible {
    let description: String
  }

  init(_ words: [String]) throws {
    var rest = words[...]
    var passes: Int?
    var verb: String?
    var reportOption: String?
    while let word = rest.popFirst() {
      switch word {
      case "--help", "-h": mode = .help
      case "--json": (isJSON, reportOption) = (true, word)
      case "--passes": passes = try Self.count(after: word, &rest, least: 1)
      case "--repetitions":
        repetitions = try Self.count(after: word, &rest, least: 7)
        reportOption = word
      case "parse", "read", "encode", "signin", "hold":
        if verb == nil, paths.isEmpty { verb = word } else { paths.append(word) }
      case _ where word.isEmpty || word.hasPrefix("-"):
        throw Misuse(description: "There is no option “\(word)”. See: idx-benchmark --help")
      default: paths.append(word)
      }
    }
    guard mode != .help else { return }
    if let verb, let reportOption {
      throw Misuse(
        description: "\(reportOption) does not go with \(verb). See: idx-benchmark --help")
    }
    switch verb {
    case "parse"?: mode = .parse(passes: passes ?? 1)
    case "read"?: mode = .read(passes: passes ?? 1)
    case "encode"?: mode = .encode(passes: passes ?? 1)
    case "signin"?: mode = .signIn(passes: passes ?? 1)
    case "hold"?:
      switch paths.isEmpty ? "" : paths.removeFirst() {
      case "responses": mode = .hold(.responses(copies: passes ?? 1))
      case "signins": mode = .hold(.signIns(passes ?? 1))
      default:
        throw Misuse(description: "hold takes responses or signins. See: idx-benchmark --help")
      }
    default:
      guard passes == nil else {
        throw Misuse(
          description:
            "--passes goes with parse, read, encode, signin or hold. See: idx-benchmark --help")
      }
    }
    guard !mode.signsIn || paths.isEmpty else {
      throw Misuse(
        description: "A sign-in takes no files: \(paths[0]) is too much. See: idx-benchmark --help")
    }
  }

  private static func count(
    after option: String, _ rest: inout ArraySlice<String>, least: Int
  ) throws -> Int {
    guard let count = rest.popFirst().flatMap({ Int($0) }), count >= least else {
      throw Misuse(description: "\(option) needs a number, \(least) or more.")
    }
    return count
  }

  static let help = """
    idx-benchmark [--json] [--repetitions N] [FILE or FOLDER...]
      Measures everything on the responses named, on the folder Fixtures unless any are.
      Of folders it takes the files that end in .json; what is no IDX response is left out.
    idx-benchmark parse [--passes N] [FILE or FOLDER...]
      Only parses, N times over, and prints how many responses that were.
    idx-benchmark read [--passes N] [FILE or FOLDER...]
      Parses and reads every property, N times over, and prints how many responses that were.
    idx-benchmark encode [--passes N] [FILE or FOLDER...]
      Encodes an answer to each response that asks for one, N times over, and prints how many.
    idx-benchmark signin [--passes N]
      Only signs in, N times over, and prints how often.
    idx-benchmark hold responses [--passes N] [FILE or FOLDER...]
      Holds N copies of each, and prints how many bytes one takes beyond its own (Linux).
    idx-benchmark hold signins [--passes N]
      Holds N sign-ins, and prints how many bytes one takes (Linux).
    N is 1 where it is not given, of repetitions 9. The exit status is 2 where a word or a file has to
    be another, and 1 where something else went wrong.

    Run it in release mode: swift run -c release idx-benchmark
    """
}
