import Foundation
import IDX

/// The responses that the benchmarks use.
struct Samples {
  /// Each response with the bytes of its file, in the order of the paths; never empty.
  let responses: [(bytes: [UInt8], response: IDXResponse)]

  /// Reads files, and the `.json` files in folders and their subfolders.
  ///
  /// Files that are not IDX responses are skipped, so that all benchmarks do the same work.
  init(paths: [String]) throws {
    guard !paths.isEmpty || FileManager.default.fileExists(atPath: "Fixtures") else {
      throw BenchmarkOptions.UsageError(
        description: "There is no folder Fixtures here. Name a file or a folder of responses, "
          + "or run this in the folder of Package.swift.")
    }
    let paths = paths.isEmpty ? ["Fixtures"] : paths
    let files = try paths.flatMap(Self.files(at:)).map { [UInt8](try Data(contentsOf: $0)) }
    guard !files.isEmpty else {
      throw BenchmarkOptions.UsageError(
        description: "There is no JSON file under \(paths.joined(separator: ", ")).")
    }
    responses = files.compactMap { bytes in (try? IDXResponse(parsing: bytes)).map { (bytes, $0) } }
    guard !responses.isEmpty else {
      throw BenchmarkOptions.UsageError(
        description: "There is no IDX response under \(paths.joined(separator: ", ")).")
    }
  }

  /// The size of all files together, in bytes.
  var size: Int { responses.reduce(0) { $0 + $1.bytes.count } }

  private static func files(at path: String) throws -> [URL] {
    let url = URL(fileURLWithPath: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
      throw BenchmarkOptions.UsageError(description: "There is no file or folder \(path).")
    }
    guard isFolder.boolValue else { return [url] }
    let found = FileManager.default.enumerator(at: url, includingPropertiesForKeys: nil)
    return (found?.allObjects ?? []).compactMap { $0 as? URL }
      .filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }
}
