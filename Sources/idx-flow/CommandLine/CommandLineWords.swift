import Foundation

/// The words of the command line of this process, with the name of the program.
enum CommandLineWords {
  static var all: [String] {
    #if os(Linux)
      // Swift looks for them beside the environment. It finds none if a library, such as one of LD_PRELOAD, has added a
      // variable before (swiftlang/swift issue 76080).
      if CommandLine.arguments.isEmpty,
        let line = FileManager.default.contents(atPath: "/proc/self/cmdline")
      {
        return line.split(separator: 0, omittingEmptySubsequences: false).dropLast()
          .map { String(decoding: $0, as: UTF8.self) }
      }
    #endif
    return CommandLine.arguments
  }
}
