import Expectations
import Foundation
import IDXBase
import Testing

@testable import IDX

/// Robustness.
struct RobustnessTests {
  @Test(
    "A response with one member removed or one value replaced is read or refused",
    arguments: Fixture.names)
  func mutations(_ name: String) throws {
    let mutations = try Mutations(of: try Fixture(name).bytes)
    var answered: Set<Data> = []
    for index in (0..<mutations.count).sample(every: 5) {
      let outcome = Outcome(of: mutations[index], answered: &answered)
      let isRight = outcome.isSound && outcome.isRead == !mutations.isWhole(index)
      expect(isRight, isRight ? nil : "\(index): \(outcome)")
    }
  }

  @Test(
    "Each value of an authenticator can have any type",
    arguments: [
      "04-google-enroll/01-enroll", "09-security-question/01-enroll", "10-push/02-pick-the-number",
      "12-passkey/02-challenge", "14-recovery/04-new-password",
    ])
  func authenticatorData(_ name: String) throws {
    let current = try require(Fixture.response(name).currentAuthenticator)
    let mutations = try Mutations(of: Array(current.raw.bytes))
    for position in 0..<mutations.valueCount {
      for bytes in mutations.replacements(of: position) {
        let text = String(decoding: bytes, as: UTF8.self)
        let response = try IDXResponse(
          text: #"{"version":"1","currentAuthenticator":{"value":\#(text)}}"#)
        expect(response.authenticators.allSatisfy { $0.readEverything() > 0 })
      }
    }
  }

  @Test(
    "A response that is cut off at any position is refused",
    arguments: ["21-ends/01-session-expired", "20-success/02-confidential-client"])
  func truncation(_ name: String) throws {
    let bytes = try JSONValue(parsing: try Fixture(name).bytes).bytes
    for length in 0..<bytes.count {
      #expect(throws: IDXResponseError.self, "after \(length) bytes") {
        try IDXResponse(parsing: bytes.prefix(length))
      }
    }
  }

  @Test("A response with one changed byte is read or refused", .promise("changed-bytes"))
  func changedBytes() throws {
    var bytes = try JSONValue(parsing: try Fixture("21-ends/01-session-expired").bytes).bytes
    for index in bytes.indices {
      let original = bytes[index]
      for byte in [0x00, 0x22, 0x2C, 0x5C, 0x7B, 0x7D, 0x80, 0xFF] as [UInt8] {
        bytes[index] = byte
        expect(Outcome(of: bytes).isSound, "byte \(index) is \(byte)")
      }
      bytes[index] = original
    }
  }

  @Test(
    "Forms at the greatest depth can be answered, and deep values that look like forms are read quickly"
  )
  func deepForms() throws {
    // Each level is a field, its form and the list in it: three levels of JSON.
    var field = #"{"name":"a","required":true}"#
    for _ in 0..<40 { field = #"{"name":"a","form":{"value":[\#(field)]}}"# }
    let form = try Remediation.with(fields: field)
    let path = Array(repeating: "a", count: 41).joined(separator: ".")
    expectEqual(form[path]?.isRequired, true)
    expectEqual(form.faults(), [Fault(path, .missing)])
    try expectContains(form.text(answering: Answers([path: "x"])), #"{"a":"x"}"#)
    for _ in 0..<2 { field = #"{"name":"a","form":{"value":[\#(field)]}}"# }
    #expect(throws: IDXResponseError.self) { try Remediation.with(fields: field) }
    var value = "1"
    for _ in 0..<60 { value = #"{"form":0,"value":\#(value)}"# }
    let almost = try Remediation.with(fields: #"{"name":"a","value":\#(value)}"#)
    expectEqual(almost["a"]?.value?["value"]?["form"], 0)
    var nested = #"{"form":0,"value":1}"#
    for _ in 0..<20 { nested = #"{"form":{"value":[{"name":"a","value":\#(nested)}]},"form":0}"# }
    try expectEqual(Remediation.with(fields: #"{"name":"a","value":\#(nested)}"#)["a"]?.form, nil)
  }
}

// The files are not part of this package. Set IDX_CORPUS to their folder to run these tests.
private let corpus = ProcessInfo.processInfo.environment["IDX_CORPUS"]

@Suite("Corpus", .enabled(if: corpus != nil, "IDX_CORPUS is not set"))
struct CorpusTests {
  @Test("Every file is read or refused, and every tenth one also with one member or value changed")
  func everyFile() throws {
    var read = 0
    for file in try files() {
      let outcome = Outcome(of: file.bytes)
      expect(outcome.isSound, "\(file.name): \(outcome)")
      guard case .read(let response, _) = outcome else { continue }
      read += 1
      expect(response.authenticators.allSatisfy { $0.readEverything() > 0 })
      try expectEqual(
        IDXResponse(parsing: response.raw.json.bytes).remediations.count,
        response.remediations.count)
    }
    expect(read > 0)

    var count = 0
    for file in try files().enumerated().filter({ $0.offset % 10 == 0 }).map(\.element) {
      guard (try? JSONValue(parsing: file.bytes)) != nil else { continue }
      let mutations = try Mutations(of: file.bytes)
      var answered: Set<Data> = []
      for index in 0..<mutations.count {
        let outcome = Outcome(of: mutations[index], answered: &answered)
        expect(outcome.isSound, "\(file.name), \(index)")
      }
      count += mutations.count
    }
    expect(count > 0)
  }

  private func files() throws -> [(name: String, bytes: [UInt8])] {
    let folder = try require(corpus)
    let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
    return try names.filter { $0.hasSuffix(".json") }.sorted().map { name in
      let url = URL(fileURLWithPath: folder).appendingPathComponent(name)
      return (name, Array(try Data(contentsOf: url)))
    }
  }
}

/// The result of reading bytes: a response, whose forms are answered too, or an error.
enum Outcome {
  case read(IDXResponse, faults: [String])
  case refused(IDXResponseError)

  init(of bytes: [UInt8]) {
    var answered: Set<Data> = []
    self.init(of: bytes, answered: &answered)
  }

  /// Reads bytes of which the forms in `answered` have been answered before, and adds the others.
  ///
  /// A mutation changes at most one of the forms. They are kept as `Data`, which debug builds compare fast.
  init(of bytes: [UInt8], answered: inout Set<Data>) {
    do throws(IDXResponseError) {
      let response = try IDXResponse(parsing: bytes)
      let forms = response.allForms.filter { answered.insert(Data($0.raw.bytes)).inserted }
      self = .read(response, faults: Self.faults(of: response, in: forms))
    } catch { self = .refused(error) }
  }

  /// Whether the error has a reason, or every form can be answered or says why not.
  var isSound: Bool {
    switch self {
    case .read(_, let faults): faults.isEmpty
    case .refused(let error): error.description.hasPrefix("It is ")
    }
  }

  var isRead: Bool {
    if case .read = self { true } else { false }
  }

  private static func faults(of response: IDXResponse, in forms: [Remediation]) -> [String] {
    _ = response.expiresAt
    _ = response.currentAuthenticator
    return forms.flatMap { form in
      [[:], answers(to: form.form)].compactMap { answers in
        do throws(InvalidAnswers) {
          let body = try form.body(answering: answers)
          let sent = try? JSONValue(parsing: form.encoding(answers).bytes)
          return body.object == nil || sent != body
            ? "The body of \(form.name) is not an object, or not the one that is sent." : nil
        } catch {
          return error.problems.isEmpty
            ? "\(form.name) cannot be answered and does not say why." : nil
        }
      }
    }
  }

  /// An answer to every field, valid or not.
  private static func answers(to form: Remediation.Form) -> Answers {
    var answers: Answers = [:]
    func add(_ form: Remediation.Form, _ prefix: String) {
      for field in form.fields {
        let path = prefix + field.name
        let choices = field.choices
        if let first = choices.first {
          answers[path] = .option(0)
          if let form = first.form { add(form, path + ".") }
        } else if let form = field.form {
          add(form, path + ".")
        } else if !field.isFixed {
          answers[path] = "0123456"
        }
      }
    }
    add(form, "")
    return answers
  }
}

extension IDXAuthenticator {
  /// Reads all properties and counts those with a value.
  func readEverything() -> Int {
    let texts = [
      numberChallenge, selectedChannel, email, phoneNumber, nickname, enrolledQuestion?.key,
      oneTimePassword?.sharedSecret?.revealed, qrCode?.mediaType, webAuthnActivation?.text,
      webAuthnChallenge?.text, usesMagicLink?.description, passwordRules?.history?.description,
      description,
    ]
    return texts.compactMap(\.self).count + questions.count
  }
}
