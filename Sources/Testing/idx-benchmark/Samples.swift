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
      throw BenchmarkError(
        description: "There is no folder Fixtures here. Name a file or a folder of responses, "
          + "or run this in the folder of Package.swift.")
    }
    let paths = paths.isEmpty ? ["Fixtures"] : paths
    let files = try paths.flatMap(Self.files(at:)).map { [UInt8](try Data(contentsOf: $0)) }
    responses = files.compactMap { bytes in (try? IDXResponse(parsing: bytes)).map { (bytes, $0) } }
    guard !responses.isEmpty else {
      let missing = files.isEmpty ? "JSON file" : "IDX response"
      throw BenchmarkError(
        description: "There is no \(missing) under \(paths.joined(separator: ", ")).")
    }
  }

  /// The size of all files together, in bytes.
  var size: Int { responses.reduce(0) { $0 + $1.bytes.count } }

  private static func files(at path: String) throws -> [URL] {
    guard FileManager.default.fileExists(atPath: path) else {
      throw BenchmarkError(description: "There is no file or folder \(path).")
    }
    let url = URL(fileURLWithPath: path)
    guard url.hasDirectoryPath else { return [url] }
    let names = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
    return names.filter { $0.hasSuffix(".json") }.map { url.appending(path: $0) }
  }
}
