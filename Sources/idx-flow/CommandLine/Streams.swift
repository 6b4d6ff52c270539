import Foundation
import IDXBase
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

  /// Writes a JSON value as a line of results.
  func result(_ json: JSONValue) throws(CommandFailure) { try result(json.visibleText) }

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
  /// The text on one line, shortened and without control characters: for texts of servers.
  var sanitized: String { TextSanitizer(oneLine: true).clean(shortened()) }
}

extension JSONValue {
  /// The JSON text, with characters that are invisible or change the direction of writing as escapes.
  ///
  /// Servers choose many texts, and terminals and editors show JSON to people.
  var visibleText: String {
    let text = self.text
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.isHidden {
        for unit in String(scalar).utf16 {
          result += String(format: "\\u%04x", Int(unit)).unicodeScalars
        }
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint && !properties.isVariationSelector
    }
  }
}
