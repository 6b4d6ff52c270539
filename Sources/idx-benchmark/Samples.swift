import Foundation
import IDX

/// The responses that are measured on.
struct Samples {
  /// Each response with the bytes of its file, in order of the paths; there is one at least.
  let responses: [(bytes: [UInt8], response: IDXResponse)]

  /// Reads files, and those files of folders at any depth that end in `.json`.
  ///
  /// What is no IDX response is left out, so that all that is measured does the same work.
  init(paths: [String]) throws {
    guard !paths.isEmpty || FileManager.default.fileExists(atPath: "Fixtures") else {
      throw BenchmarkOptions.Misuse(
        description: "There is no folder Fixtures here. Name a file or folder of responses, "
          + "or go where Package.swift is.")
    }
    let paths = paths.isEmpty ? ["Fixtures"] : paths
    let files = try paths.flatMap(Self.files(at:)).map { [UInt8](try Data(contentsOf: $0)) }
    guard !files.isEmpty else {
      throw BenchmarkOptions.Misuse(
        description: "There is no JSON file under \(paths.joined(separator: ", ")).")
    }
    responses = files.compactMap { bytes in (try? IDXResponse(parsing: bytes)).map { (bytes, $0) } }
    guard !responses.isEmpty else {
      throw BenchmarkOptions.Misuse(
        description: "Nothing under \(paths.joined(separator: ", ")) is an IDX response.")
    }
  }

  /// How many bytes they have together.
  var size: Int { responses.reduce(0) { $0 + $1.bytes.count } }

  private static func files(at path: String) throws -> [URL] {
    let url = URL(fileURLWithPath: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw BenchmarkOptions.Misuse(description: "There is no file or folder \(path).")
    }
    guard isFolder.boolValue else { return [url] }
    let found = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    return (found?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }
}
