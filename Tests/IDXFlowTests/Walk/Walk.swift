import IDXBase
import Foundation
import IDX

/// All responses of a folder, walked.
struct Walk {
  /// How many walks ended how.
  private(set) var tally: [WalkEnd: Int] = [:]
  private(set) var failures: [String] = []
  /// How many files were walked.
  private(set) var files = 0
  /// How many files are no response, but an answer of another kind.
  private(set) var others = 0

  /// The folder of our own responses, beside `Tests`.
  static let fixtures = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures").path

  /// Walks the responses of a folder, as they are or in an odd way.
  init(folder: String, _ mutation: Mutation? = nil) async throws {
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    for name in names.filter({ $0.hasSuffix(".json") }).sorted() {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: folder).appendingPathComponent(name))
      guard var response = try? IDXResponse(parsing: bytes) else {
        others += 1
        let isResponse = String(decoding: bytes, as: UTF8.self).contains("\"remediation\"")
        if isResponse { failures.append("\(name) cannot be read") }
        continue
      }
      files += 1
      if let mutation {
        response = try IDXResponse(parsing: mutation.applied(to: response.raw.json).bytes)
      }
      let forms = Walker.forms(of: response)
      let sent = Self.formCount(in: response.raw.json)
      if forms.count != sent { failures.append("\(name): \(forms.count) of \(sent) forms") }
      for form in forms {
        for end in try await Walker(response).ends(of: form) {
          tally[end, default: 0] += 1
          if case .failure(let words) = end { failures.append("\(name), \(form.name): \(words)") }
        }
      }
    }
  }

  /// How many forms a response holds, wherever they stand: objects with an address that are sent to it.
  ///
  /// What contextual data holds is for devices.
  private static func formCount(in json: JSONValue) -> Int {
    let isNamed = json["name"]?.string != nil || json["method"]?.string != nil
    let isForm = isNamed && json["href"]?.string != nil
    let parts =
      json.array ?? json.object?.members.filter { $0.name != "contextualData" }.map(\.value)
    return (isForm ? 1 : 0) + (parts ?? []).reduce(0) { $0 + formCount(in: $1) }
  }
}
