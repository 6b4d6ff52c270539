/// The options of the benchmark.
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
  /// Files and folders of responses; empty for the fixtures.
  private(set) var paths: [String] = []

  /// A mistake in the command line, or a file that cannot be used.
  struct UsageError: Error, CustomStringConvertible {
    let description: String
  }

  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    var passes: Int?
    var verb: String?
    var reportOption: String?
    while let argument = rest.popFirst() {
      switch argument {
      case "--help", "-h": mode = .help
      case "--json": (isJSON, reportOption) = (true, argument)
      case "--passes": passes = try Self.count(after: argument, &rest, minimum: 1)
      case "--repetitions":
        repetitions = try Self.count(after: argument, &rest, minimum: 7)
        reportOption = argument
      case "parse", "read", "encode", "signin", "hold":
        if verb == nil, paths.isEmpty { verb = argument } else { paths.append(argument) }
      case _ where argument.isEmpty || argument.hasPrefix("-"):
        throw UsageError(description: "There is no option “\(argument)”. See: idx-benchmark --help")
      default: paths.append(argument)
      }
    }
    guard mode != .help else { return }
    if let verb, let reportOption {
      throw UsageError(
        description: "\(reportOption) cannot be used with \(verb). See: idx-benchmark --help")
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
        throw UsageError(description: "hold needs responses or signins. See: idx-benchmark --help")
      }
    default:
      guard passes == nil else {
        throw UsageError(
          description:
            "--passes needs parse, read, encode, signin or hold. See: idx-benchmark --help")
      }
    }
    guard !mode.signsIn || paths.isEmpty else {
      throw UsageError(
        description: "Sign-ins use no files, such as \(paths[0]). See: idx-benchmark --help")
    }
  }

  private static func count(
    after option: String, _ rest: inout ArraySlice<String>, minimum: Int
  ) throws -> Int {
    guard let count = rest.popFirst().flatMap({ Int($0) }), count >= minimum else {
      throw UsageError(description: "\(option) needs a number of at least \(minimum).")
    }
    return count
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
    The default for --passes is 1, for --repetitions 9. The exit status is 2 for a mistake in the command
    line or a file that cannot be used, and 1 for other errors.

    Use a release build: swift run -c release idx-benchmark
    """
}
