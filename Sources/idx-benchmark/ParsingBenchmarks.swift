import Foundation
import IDX
import OAuth
import QRCode

/// What is done with the bytes of one response.
struct ParsingBenchmarks {
  let samples: Samples

  func measure(by stopwatch: Stopwatch) async throws -> [Measurement] {
    let responses = samples.responses
    guard !responses.isEmpty else {
      throw BenchmarkOptions.Misuse(description: "None of the files is an IDX response.")
    }
    let bytes = responses.map(\.bytes)
    let datas = bytes.map { Data($0) }
    let answered = responses.compactMap { AnsweredForm($0.response) }
    var sink = Sink()
    let works = [
      Stopwatch.Work("JSONSerialization", count: bytes.count) {
        for data in datas { _ = try JSONSerialization.jsonObject(with: data) }
      },
      Stopwatch.Work("parse", count: bytes.count) {
        for bytes in bytes { _ = try Response(parsing: bytes) }
      },
      Stopwatch.Work("parse, resolve all relations and messages", count: bytes.count) {
        for bytes in bytes { sink.resolve(try Response(parsing: bytes)) }
      },
      Stopwatch.Work("parse, read every property", count: bytes.count) {
        for bytes in bytes { sink.read(try Response(parsing: bytes)) }
      },
      Stopwatch.Work("parse the responses that are answered", count: answered.count) {
        for form in answered { _ = try Response(parsing: form.bytes) }
      },
      Stopwatch.Work("encode an answer to them", count: answered.count) {
        for form in answered { sink.count += try form.encode() }
      },
    ]
    let seconds = try await stopwatch.seconds(of: works)
    let baseline = Measurement("", seconds[0], unit: "").median
    return zip(works, seconds).map { work, seconds in
      let measured = Measurement("", seconds, unit: "")
      return Measurement(
        work.name, seconds.map { $0 * 1e6 }, unit: "µs", ratio: measured.median / baseline)
    }
  }
}

/// The first form of a response, with answers that it takes.
struct AnsweredForm {
  let bytes: [UInt8]
  private let form: Remediation
  private let answers: Answers

  /// Nil where the form asks nothing, or where simple answers do not do.
  init?(_ response: Response) {
    guard let form = response.remediations.first, form.href != nil else { return nil }
    var answers = Answers()
    for _ in 0..<8 {
      for input in form.form.inputs(answering: answers) where answers[input.path] == nil {
        let isChoice = !input.field.choices.isEmpty
        answers[input.path] =
          isChoice
          ? .option(0) : input.field.type == .boolean ? true : "a1a1a1a1a1a1a1a1"
      }
    }
    guard !answers.entries.isEmpty, (try? form.body(answering: answers)) != nil else { return nil }
    bytes = Array(response.raw.bytes)
    self.form = form
    self.answers = answers
  }

  /// How long the body is.
  func encode() throws -> Int { try form.body(answering: answers).bytes.count }
}

/// Where what is read goes, so that reading it cannot be left out.
struct Sink {
  var count = 0

  mutating func resolve(_ response: Response) {
    count += response.everyMessage.reduce(0) { $0 + ($1.text?.utf8.count ?? 0) }
    for form in response.remediations + response.actions {
      count += form.authenticators.count
      resolve(form.form)
    }
  }

  private mutating func resolve(_ form: Form) {
    for field in form.fields {
      if field.authenticator != nil { count += 1 }
      field.form.map { resolve($0) }
      for option in field.options {
        if option.authenticator != nil { count += 1 }
        option.form.map { resolve($0) }
      }
    }
  }

  /// Reads all that the model has.
  mutating func read(_ response: Response) {
    read([response.version, response.intent, response.stateHandle, response.expiresAtText])
    read([response.user?.id, response.user?.identifier])
    read([response.application?.id, response.application?.name, response.application?.label])
    read(response.messages)
    for form in response.remediations + response.actions { read(form) }
    for authenticator in response.authenticators {
      read([authenticator.id, authenticator.key?.rawValue, authenticator.type?.rawValue])
      read([authenticator.displayName] + authenticator.methods.map(\.rawValue))
      for action in authenticator.actions { read(action) }
    }
  }

  private mutating func read(_ form: Remediation) {
    read([form.name.rawValue, form.method, form.href, form.accepts, form.produces])
    if form.refresh != nil { count += 1 }
    count += form.authenticators.count
    read([form.identityProvider?.id, form.identityProvider?.name])
    read(form.messages)
    read(form.form)
  }

  private mutating func read(_ form: Form) {
    for field in form.fields {
      read([field.name, field.label, field.type?.rawValue])
      count += [field.isRequired, field.isVisible, field.isMutable, field.isSecret].count { $0 }
      if field.value != nil { count += 1 }
      if field.authenticator != nil { count += 1 }
      read(field.messages)
      field.form.map { read($0) }
      for option in field.options {
        read([option.label])
        if option.value != nil { count += 1 }
        if option.authenticator != nil { count += 1 }
        option.form.map { read($0) }
      }
    }
  }

  private mutating func read(_ messages: [Message]) {
    for message in messages { read([message.kind?.rawValue, message.text, message.key?.rawValue]) }
  }

  private mutating func read(_ texts: [String?]) {
    for text in texts { count += text?.utf8.count ?? 0 }
  }
}
