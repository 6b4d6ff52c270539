import Expectations
import Foundation
import IDX
import IDXBase
import Testing

/// A response from the folder `Fixtures`.
struct Fixture: Sendable, CustomTestStringConvertible {
  /// The path without the extension: `04-google-enroll/01-enroll`.
  let name: String
  let bytes: [UInt8]

  /// Reads a fixture.
  init(_ name: String) throws {
    self.name = name
    bytes = Array(try Data(contentsOf: Self.folder.appendingPathComponent(name + ".json")))
  }

  /// The names of all fixtures, in order.
  static let names: [String] = list(folder).flatMap { scenario in
    list(folder.appendingPathComponent(scenario)).compactMap { step in
      step.hasSuffix(".json") ? "\(scenario)/\(step.dropLast(5))" : nil
    }
  }

  private static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures")

  private static func list(_ folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  var testDescription: String { name }

  func response() throws -> IDXResponse { try IDXResponse(parsing: bytes) }

  static func response(_ name: String) throws -> IDXResponse { try Fixture(name).response() }

  /// The first remediation of a fixture.
  static func form(_ name: String) throws -> Remediation {
    try require(response(name).remediations.first)
  }
}

extension IDXResponse {
  /// Reads a response from its text.
  init(text: String) throws { try self.init(parsing: Array(text.utf8)) }
}

extension Remediation {
  /// A remediation with these fields, written as JSON.
  static func with(fields: String) throws -> Remediation {
    let text = #"{"remediation":{"value":[{"name":"test","href":"/","value":[\#(fields)]}]}}"#
    return try require(IDXResponse(text: text).remediations.first)
  }

  /// The body as text, which failed expectations show.
  func text(answering answers: Answers = [:]) throws -> String {
    let bytes = try encoding(answers).bytes
    try expectEqual(JSONValue(parsing: bytes), body(answering: answers))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// All problems with answers; empty if they can be sent.
  func problems(answering answers: Answers = [:]) -> [InvalidAnswers.Problem] {
    do throws(InvalidAnswers) {
      _ = try body(answering: answers)
      return []
    } catch { return error.problems }
  }

  /// The problems without the labels.
  func faults(answering answers: Answers = [:]) -> [Fault] {
    problems(answering: answers).map { Fault($0.path, $0.reason) }
  }
}

/// The path and the reason of a problem.
struct Fault: Equatable {
  let path: String
  let reason: InvalidAnswers.Problem.Reason

  init(_ path: String, _ reason: InvalidAnswers.Problem.Reason) {
    self.path = path
    self.reason = reason
  }
}
