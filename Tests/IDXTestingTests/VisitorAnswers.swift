import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXTesting
import Testing

// A visitor who lets the real forms encode what it answers.
extension Visitor {
  static let login = "ada@shop.example"

  /// The response as a client reads it.
  func read() throws -> IDXResponse { try IDXResponse(parsing: response.body) }

  var correctAnswer: String? { current?["contextualData"]?["correctAnswer"]?.string }

  /// Answers a form by paths, as a client does.
  mutating func fill(_ name: Remediation.Name, _ answers: Answers = [:]) async throws {
    let form = try #require(try read().allForms.first { $0.name == name }, "No form \(name)")
    try await send(form, form.body(answering: answers))
  }

  /// Sends a body to a form, whatever it is.
  mutating func send(_ form: Remediation, _ body: JSONValue) async throws {
    let url = try #require(URL(string: form.href ?? ""))
    try await send(
      TransportRequest(method: "POST", url: url, headers: Self.ionHeaders, body: body.bytes))
  }

  /// Answers the first form with one text.
  mutating func type(_ text: String?, at path: String = "credentials.passcode") async throws {
    let name = try #require(try read().remediations.first?.name)
    try await fill(name, [path: .text(try #require(text))])
  }

  /// A visitor whose password was right.
  static func signedIn(_ org: SimulatedOrg) async throws -> Visitor {
    var visitor = try await Visitor(org)
    try await visitor.signIn()
    return visitor
  }

  /// Holds for every form: something can be put into all that it asks for, and encoded.
  func checkEveryFormCanBeAnswered() throws {
    for form in try read().allForms {
      var answers = Answers()
      while let input = form.form.inputs(answering: answers).first(where: {
        answers[$0.path] == nil
      }) {
        let isChoice = !input.field.choices.isEmpty
        answers[input.path] =
          isChoice ? .option(0) : input.field.type == .boolean ? true : "1234"
      }
      #expect(throws: Never.self) { try form.body(answering: answers) }
    }
  }
}
