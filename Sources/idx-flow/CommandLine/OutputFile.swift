import Foundation
import IDXBase
import IDXSystem

/// A file named on the command line that gets a secret: only its owner can access it, and it is replaced as a whole.
struct OutputFile {
  private let path: String

  /// Throws if something other than a file is there, which must not be replaced.
  init(path: String) throws {
    guard !["", "-"].contains(path) else {
      throw CommandFailure(.usage, "The output needs the name of a file.")
    }
    guard !InputFile(path: path).isSpecial else {
      throw CommandFailure(
        .usage,
        "\(path.sanitized) is a pipe, a device or a folder, which the output cannot replace.")
    }
    self.path = path
  }

  /// Throws if the folder of the file does not exist, before somebody signs in for it.
  func checkFolder() throws {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    // Only a folder, or a link to one, has this path.
    guard FileManager.default.isWritableFile(atPath: folder + "/.") else {
      throw CommandFailure(
        .usage, "There is no folder \(folder.sanitized) that the output can be written to.")
    }
  }

  func write(_ text: String) throws {
    do {
      try FileReplacement.replace(URL(fileURLWithPath: path), with: Array(text.utf8))
    } catch {
      let reason = FileReplacement.reason(of: error)
      throw CommandFailure(
        .unexpected,
        "The output cannot be written to \(path.sanitized): \(reason). The file was not changed.")
    }
  }
}
