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
    case idToken = "idtoken"
    case holdResponses = "hold responses"
    case holdSignIns = "hold signins"
    case holdSessions = "hold sessions"
    case scaleSignIns = "scale signins"
    case scaleSessions = "scale sessions"
    case scaleNetwork = "scale network"
    case network, fleet
    /// What runs in another process: a server, and sign-ins that stay open.
    case serve, steps
    case help = "--help"

    /// The number of passes if the command line names none.
    var defaultPasses: Int {
      switch self {
      case .scaleSignIns, .scaleSessions: 100_000
      case .scaleNetwork: 10_000
      case .fleet: 1000
      case .network: 6000
      default: 1
      }
    }

    var usesFiles: Bool {
      [.parse, .read, .encode, .holdResponses].contains(self)
    }
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
    var passes: Int?
    defer { self.passes = passes ?? mode?.defaultPasses ?? 1 }
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
    let words = Self.kinds[verb] == nil ? 1 : 2
    mode = Mode(rawValue: paths.prefix(words).joined(separator: " "))
    guard mode != nil || words == 2 else {
      guard passes == nil else {
        throw Self.mistake(
          "--passes needs parse, read, encode, signin, idtoken, hold, scale, network or fleet.")
      }
      return
    }
    if let option = arguments.last(where: ["--json", "--repetitions"].contains) {
      throw Self.mistake("\(option) cannot be used with \(verb).")
    }
    guard let mode else { throw Self.mistake("\(verb) needs \(Self.kinds[verb] ?? "").") }
    paths.removeFirst(words)
    if !mode.usesFiles, let path = paths.first {
      throw Self.mistake("Sign-ins use no files, such as \(path).")
    }
  }

  /// The second words of the modes that have two.
  private static let kinds = [
    "hold": "responses, signins or sessions", "scale": "signins, sessions or network",
  ]

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
    idx-benchmark idtoken [--passes N]
      Only checks an ID token, N times, and prints the number of checks.
    idx-benchmark hold responses [--passes N] [FILE or FOLDER...]
      Holds N copies of each response, and prints how many bytes one takes in addition to its own (Linux).
    idx-benchmark hold signins [--passes N]
      Holds N sign-ins, and prints how many bytes one takes (Linux).
    idx-benchmark hold sessions [--passes N]
      Holds N open sign-ins of a server in memory, and prints how many bytes one takes (Linux).
    idx-benchmark scale signins [--passes N]
      Opens N sign-ins in one process, takes one more step in each, and prints the memory of one, the open
      file descriptors and the time of a step. Prints the same for N/100 and N/10; N is 100000 by default
      (Linux).
    idx-benchmark scale sessions [--passes N]
      The same with the sign-ins of a server in memory.
    idx-benchmark scale network [--passes N]
      The same with a server on this computer, where N is 10000 by default.
    idx-benchmark network [--passes N]
      Sends N requests, 6000 by default, to a server on this computer over http, and over https if nginx and
      openssl are installed; then 1000 and 10000 requests that wait at the same time. Prints what they cost
      (Linux).
    idx-benchmark fleet [--passes N]
      Measures N sign-ins, 1000 by default, and computes what 10 million sign-ins a day need (Linux).
    A row is marked with ! if its slowest and its quickest run differ by more than 20% of the median.
    The default for --passes is otherwise 1, for --repetitions 9. The exit status is 2 for a mistake in the command
    line or a file that cannot be used, and 1 for other errors.

    Use a release build: swift run -c release idx-benchmark
    """
}
