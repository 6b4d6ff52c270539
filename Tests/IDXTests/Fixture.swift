import Foundation
import IDX
import Testing

/// A response of our own, from the folder `Fixtures` beside `Tests`.
struct Fixture: Sendable, CustomTestStringConvertible {
  /// Where it stands: `04-google-enroll/01-enroll`.
  let name: String
  let bytes: [UInt8]

  /// Reads the fixture of a name.
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
    .appendingPathComponent("Fixtures")

  private static func list(_ folder: URL) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
  }

  var testDescription: String { name }

  func response() throws -> IDXResponse { try IDXResponse(parsing: bytes) }

  static func response(_ name: String) throws -> IDXResponse { try Fixture(name).response() }

  /// The first remediation of a fixture.
  static func form(_ name: String) throws -> Remediation {
    try #require(try response(name).remediations.first)
  }
}

extension IDXResponse {
  /// Reads a response from its text.
  init(text: String) throws { try self.init(parsing: Array(text.utf8)) }

  /// A response whose one remediation has these fields, written as JSON.
  static func offering(fields: String) throws -> Remediation {
    let text = #"{"remediation":{"value":[{"name":"test","href":"/","value":[\#(fields)]}]}}"#
    return try #require(try IDXResponse(text: text).remediations.first)
  }
}

extension Remediation {
  /// The body as text, so that a failed expectation shows it.
  func text(answering answers: Answers = [:]) throws -> String {
    try body(answering: answers).text
  }

  /// Everything that is wrong with answers; empty where they can be sent.
  func problems(answering answers: Answers = [:]) -> [InvalidAnswers.Problem] {
    do throws(InvalidAnswers) {
      _ = try body(answering: answers)
      return []
    } catch { return error.problems }
  }

  /// The problems by path and reason, leaving out the labels.
  func faults(answering answers: Answers = [:]) -> [Fault] {
    problems(answering: answers).map { Fault($0.path, $0.reason) }
  }
}

struct Fault: Equatable {
  let path: String
  let reason: InvalidAnswers.Problem.Reason

  init(_ path: String, _ reason: InvalidAnswers.Problem.Reason) {
    self.path = path
    self.reason = reason
  }
}
