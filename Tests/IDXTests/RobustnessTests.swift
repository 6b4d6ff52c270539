import IDX
import Testing

@Suite("Whatever the server sends, it is read or refused")
struct RobustnessTests {
  @Test("Each key removed once, each value retyped once", arguments: Fixture.names)
  func mutations(_ name: String) throws {
    let mutations = try Mutations(of: try Fixture(name).bytes)
    for index in 0..<mutations.count {
      let outcome = Outcome(of: mutations[index])
      #expect(outcome.isSound, "mutation \(index): \(outcome)")
    }
  }
}

/// What became of bytes: a response each form of which can be answered or says why not, or an error.
enum Outcome {
  case read(Response, faults: [String])
  case refused(ResponseError)

  init(of bytes: [UInt8]) {
    do throws(ResponseError) {
      let response = try Response(parsing: bytes)
      self = .read(response, faults: Self.faults(of: response))
    } catch { self = .refused(error) }
  }

  var isSound: Bool {
    switch self {
    case .read(_, let faults): faults.isEmpty
    case .refused(let error): !error.description.isEmpty
    }
  }

  private static func faults(of response: Response) -> [String] {
    response.everyForm.flatMap { form in
      [[:], answers(to: form.form)].compactMap { answers in
        do throws(InvalidAnswers) {
          let body = try form.body(answering: answers)
          return body.object == nil ? "The body of \(form.name) is no object." : nil
        } catch {
          return error.problems.isEmpty ? "\(form.name) refuses and says nothing." : nil
        }
      }
    }
  }

  /// An answer to every field, whether it fits or not.
  private static func answers(to form: Form) -> Answers {
    var answers: Answers = [:]
    func walk(_ form: Form, _ prefix: String) {
      for field in form.fields {
        let path = prefix + field.name
        if !field.choices.isEmpty {
          answers[path] = .option(0)
          if let form = field.choices[0].form { walk(form, path + ".") }
        } else if let form = field.form {
          walk(form, path + ".")
        } else if !field.isFixed {
          answers[path] = "0123456"
        }
      }
    }
    walk(form, "")
    return answers
  }
}
