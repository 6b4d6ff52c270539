import Foundation
import IDXPrompt
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The standard streams: results go to standard output, everything else to standard error.
struct Streams: Sendable {
  /// Whether results go to a terminal, where other people may see them.
  var showsResults: Bool { isatty(STDOUT_FILENO) == 1 }

  /// Writes a line of results; throws if that fails, because a lost result is not a success.
  func result(_ line: String) throws(CommandFailure) {
    guard let code = write(all: Array((line + "\n").utf8), to: STDOUT_FILENO) else { return }
    let reason = String(cString: strerror(code))
    throw CommandFailure(.unexpected, "The output cannot be written: \(reason).")
  }

  /// Writes a line for the person; errors are ignored.
  func note(_ line: String) { _ = write(all: Array((line + "\n").utf8), to: STDERR_FILENO) }

  /// Opens `/dev/null` for each standard stream that was closed before the program started.
  ///
  /// Otherwise the next file or connection would get the number of the stream, and tokens could be
  /// written to it. The replacement cannot be written to, so that a lost result is still an error.
  static func fillClosed() {
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      _ = open("/dev/null", O_RDONLY)
    }
  }
}

extension String {
  /// The text on one line, without control characters, which server texts may contain.
  var sanitized: String { TextSanitizer(oneLine: true).clean(self) }
}

/// A file named on the command line.
struct InputFile {
  let path: String

  /// Why a file cannot be read, as the end of a sentence about it.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String

    fileprivate init(_ error: any Error) {
      description =
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile?: "cannot be read. The file does not exist."
        case .fileReadNoPermission?: "cannot be read. Permission denied."
        default: "cannot be read."
        }
    }
  }

  func read() throws(Unreadable) -> Data {
    do { return try Data(contentsOf: URL(fileURLWithPath: path)) } catch { throw Unreadable(error) }
  }

  /// Reads the file, or standard input if the path is `-`.
  func readOrInput() throws(Unreadable) -> Data {
    guard path == "-" else { return try read() }
    do { return try FileHandle.standardInput.readToEnd() ?? Data() } catch {
      throw Unreadable(error)
    }
  }
}
