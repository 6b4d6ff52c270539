import IDXBase
import Foundation
import Testing

// The files are not ours to hand on: set IDX_JSON_TEST_SUITE to a folder that holds them to run this.
private let folder = ProcessInfo.processInfo.environment["IDX_JSON_TEST_SUITE"]

@Suite(
  "JSON test suite", .enabled(if: folder != nil, "IDX_JSON_TEST_SUITE names no folder of files"))
struct JSONTestSuiteTests {
  @Test("Every file that is JSON is read, and reads back when written")
  func valid() throws {
    let files = try files(startingWith: "y_")
    for file in files {
      #expect(throws: Never.self, "\(file.name)") {
        let value = try JSONValue(parsing: file.bytes)
        #expect(try JSONValue(parsing: value.bytes) == value)
      }
    }
    #expect(files.count > 0)
  }

  @Test("Every file that is no JSON is refused")
  func invalid() throws {
    let files = try files(startingWith: "n_")
    for file in files {
      #expect(throws: JSONError.self, "\(file.name)") { try JSONValue(parsing: file.bytes) }
    }
    #expect(files.count > 0)
  }

  @Test("A file that may be accepted or refused does not crash the parser")
  func either() throws {
    let files = try files(startingWith: "i_")
    for file in files {
      _ = try? JSONValue(parsing: file.bytes)
    }
    #expect(files.count > 0)
  }

  private func files(startingWith prefix: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = try #require(folder)
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasPrefix(prefix) }
      .map { name in
        let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
        return (name, Array(try Data(contentsOf: url)))
      }
  }
}
