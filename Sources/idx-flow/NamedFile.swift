import Foundation

/// A file that a person has named; `-` may stand for the standard input.
struct NamedFile {
  let path: String

  /// Why it cannot be read.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String

    fileprivate init(_ error: any Error) {
      description =
        switch (error as? CocoaError)?.code {
        case .fileReadNoSuchFile?: "cannot be read. There is no such file."
        case .fileReadNoPermission?: "cannot be read. That is not permitted."
        default: "cannot be read."
        }
    }
  }

  /// All of it.
  func read() throws(Unreadable) -> Data {
    do { return try Data(contentsOf: URL(fileURLWithPath: path)) } catch { throw Unreadable(error) }
  }

  /// All of it, or of what comes on the standard input.
  func readOrInput() throws(Unreadable) -> Data {
    guard path == "-" else { return try read() }
    do { return try FileHandle.standardInput.readToEnd() ?? Data() } catch {
      throw Unreadable(error)
    }
  }
}
