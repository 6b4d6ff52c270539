/// A mistake in the command line, a file that cannot be used, or a benchmark that failed.
struct BenchmarkError: Error, CustomStringConvertible {
  let description: String
  var exitStatus: Int32 = 2
}

/// The options of the benchmark.
struct BenchmarkOptions {
  enum Mode: String {
    case parse, read, encode
    case signIn = "signin"
    case holdResponses = "hold responses"
    case holdSignIns = "hold signins"
    case holdSessions = "hold sessions"
    case help = "--help"
  }

  /// What to do; nil to measure everything.
  private(set) var mode: Mode?
  private(set) var isJSON = false
  private(set) var repetitions = 9
  private(set) var passes = 1
  /// Files and folders of responses; empty for the fixtures.
  private(set) var paths: [String] = []

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": mode = .help
      case "--json": isJSON = true
      case "--passes", "--repetitions":
        let minimum = argument == "--passes" ? 1 : 7
        guard let count = rest.popFirst().flatMap({ Int($0) }), count >= minimum else {
          throw BenchmarkError(description: "\(argument) needs a number of at least \(minimum).")
        }
        if argument == "--passes" { passes = count } else { repetitions = count }
      case _ where argument.isEmpty || argument.hasPrefix("-"):
        throw Self.mistake("There is no option “\(argument)”.")
      default: paths.append(argument)
      }
    }
    guard mode != .help else { return }
    let verb = paths.first ?? ""
    let words = verb == "hold" ? 2 : 1
    mode = Mode(rawValue: paths.prefix(words).joined(separator: " "))
    guard mode != nil || verb == "hold" else {
      guard !arguments.contains("--passes") else {
        throw Self.mistake("--passes needs parse, read, encode, signin or hold.")
      }
      return
    }
    if let option = arguments.last(where: ["--json", "--repetitions"].contains) {
      throw Self.mistake("\(option) cannot be used with \(verb).")
    }
    guard let mode else { throw Self.mistake("hold needs responses, signins or sessions.") }
    paths.removeFirst(words)
    if [.signIn, .holdSignIns, .holdSessions].contains(mode), let path = paths.first {
      throw Self.mistake("Sign-ins use no files, such as \(path).")
    }
  }

  private static func mistake(_ sentence: String) -> BenchmarkError {
    BenchmarkError(description: "\(sentence) See: idx-benchmark --help")
  }

  static let help = """
    idx-benchmark [--json] [--repetitions N] [FILE or FOLDER...]
      Measures everything, with the named responses or those in the folder Fixtures. In folders, only
      files that end in .json are read. Files that are not IDX responses are skipped.
    idx-benchmark parse [--passes N] [FILE or FOLDER...]
      Only parses the responses, N times, and prints the number of parsed responses.
    idx-benchmark read [--passes N] [FILE or FOLDER...]
      Parses the responses and reads every property, N times, and prints the number of responses.
    idx-benchmark encode [--passes N] [FILE or FOLDER...]
      Encodes an answer to each response that asks for one, N times, and prints the number of answers.
    idx-benchmark signin [--passes N]
      Only signs in, N times, and prints the number of sign-ins.
    idx-benchmark hold responses [--passes N] [FILE or FOLDER...]
      Holds N copies of each response, and prints how many bytes one takes in addition to its own (Linux).
    idx-benchmark hold signins [--passes N]
      Holds N sign-ins, and prints how many bytes one takes (Linux).
    idx-benchmark hold sessions [--passes N]
      Holds N open sign-ins of a server in memory, and prints how many bytes one takes (Linux).
    The default for --passes is 1, for --repetitions 9. The exit status is 2 for a mistake in the command
    line or a file that cannot be used, and 1 for other errors.

    Use a release build: swift run -c release idx-benchmark
    """
}
