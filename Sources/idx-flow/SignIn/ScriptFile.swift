import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The script of `--script`: a file, a pipe, or `-` for standard input.
struct ScriptFile {
  let path: String
  let call: CommandCall
  /// Whether the org is that of a demo, which knows no codes of earlier runs.
  let isDemo: Bool

  /// Reads the script, and the variables and files that it names.
  func handler() throws -> ScriptHandler {
    guard path != "-" || isatty(STDIN_FILENO) == 0 else {
      throw CommandFailure(
        .usage, "--script - reads a pipe or a file, and standard input is the terminal.")
    }
    let data: Data
    do { data = try InputFile(path: path).readTrusted() } catch let error as InputFile.Unreadable {
      throw CommandFailure(.usage, "The script \(path.sanitized) \(error)")
    }
    let (environment, streams) = (call.environment, call.streams)
    let used = try? UsedCodes(environment, isDemo: isDemo) { streams.note(text: $0) }
    return ScriptHandler(
      try Script(parsing: data, reading: text(of:)),
      saveKey: { key, path in
        let path = Self.expanded(path, environment)
        do { try PrivateFile.write(Array((key.text.revealed + "\n").utf8), to: path) } catch {
          throw CommandFailure(.usage, "The key cannot be saved: \(error)")
        }
      },
      code: { key in
        guard let used else { return key.code(at: Date()) }
        return try await used.code(of: key)
      })
  }

  /// The value of a source, without the end of the last line.
  private func text(of source: Script.Source) throws -> String {
    switch source {
    case .variable(let name):
      guard let value = call.environment[name] else {
        throw FlowError(.invalidConfiguration, "The variable \(name.sanitized) is not set.")
      }
      return value
    case .file(let name):
      let data: Data
      do {
        data = try InputFile(path: Self.expanded(name, call.environment)).readTrusted()
      } catch let error as InputFile.Unreadable {
        throw FlowError(.invalidConfiguration, "The file \(name.sanitized) \(error)")
      }
      let text = String(decoding: data, as: UTF8.self)
      return text.hasSuffix("\r\n") || text.hasSuffix("\n") ? String(text.dropLast()) : text
    }
  }

  /// The path with the home folder in place of `~`, as shells do.
  private static func expanded(_ path: String, _ environment: [String: String]) -> String {
    guard path.hasPrefix("~/"), let home = environment["HOME"] else { return path }
    return home + path.dropFirst()
  }
}
