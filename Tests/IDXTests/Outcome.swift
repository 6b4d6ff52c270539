import IDX

/// What became of bytes: a response each form of which can be answered or says why not, or an error.
enum Outcome {
  case read(IDXResponse, faults: [String])
  case refused(IDXResponseError)

  init(of bytes: [UInt8]) {
    do throws(IDXResponseError) {
      let response = try IDXResponse(parsing: bytes)
      self = .read(response, faults: Self.faults(of: response))
    } catch { self = .refused(error) }
  }

  var isSound: Bool {
    switch self {
    case .read(_, let faults): faults.isEmpty
    case .refused(let error): error.description.hasPrefix("It is ")
    }
  }

  var isRead: Bool {
    if case .read = self { true } else { false }
  }

  private static func faults(of response: IDXResponse) -> [String] {
    _ = response.expiresAt
    _ = response.currentAuthenticator
    return response.allForms.flatMap { form in
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
  private static func answers(to form: Remediation.Form) -> Answers {
    var answers: Answers = [:]
    func walk(_ form: Remediation.Form, _ prefix: String) {
      for field in form.fields {
        let path = prefix + field.name
        let choices = field.choices
        if let first = choices.first {
          answers[path] = .option(0)
          if let form = first.form { walk(form, path + ".") }
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

extension IDXAuthenticator {
  /// Asks for everything that is read on demand, and counts what there is.
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
