import Foundation
import IDX

/// The responses that are measured on.
struct Samples {
  /// The bytes of each file that ends in `.json`, in order of the paths.
  let files: [[UInt8]]

  /// Reads files, and the files of folders at any depth.
  init(paths: [String]) throws {
    let paths = paths.isEmpty ? ["Fixtures"] : paths
    files = try paths.flatMap(Self.files(at:)).map { [UInt8](try Data(contentsOf: $0)) }
    guard !files.isEmpty else {
      throw BenchmarkOptions.Misuse(
        description: "There is no JSON file under \(paths.joined(separator: ", ")).")
    }
  }

  /// Those that are IDX responses, with the bytes.
  var responses: [(bytes: [UInt8], response: Response)] {
    files.compactMap { bytes in (try? Response(parsing: bytes)).map { (bytes, $0) } }
  }

  private static func files(at path: String) throws -> [URL] {
    let url = URL(fileURLWithPath: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw BenchmarkOptions.Misuse(description: "There is no \(path).")
    }
    guard isFolder.boolValue else { return [url] }
    let found = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    return (found?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }
}
