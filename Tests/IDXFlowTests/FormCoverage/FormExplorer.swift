import SignInSupport
import Foundation
import IDX
import IDXOAuth

@testable import IDXFlow

/// What a form led to.
enum FormResult: Hashable {
  /// A body that the form accepts.
  case body
  /// A poll.
  case poll
  /// A web page in a browser.
  case page
  /// A step that a person cannot do at a prompt.
  case unsupported(String)
  /// A form that is not a step: the engine or the browser uses it.
  case engine
  case failure(String)
}

/// Answers every form of a response through the built-in handlers, with each choice once.
struct FormExplorer {
  private static let maxAttempts = 400

  let state: FlowState
  private let generator: AnswerGenerator
  private let handlers: Handlers

  init(_ response: IDXResponse) throws {
    let start = FlowState.Start(
      .idx, try Wire.configuration(Self.issuer(of: response)),
      interactionHandle: "ih_test", pkce: PKCE(), redirectState: "a state", nonce: "a nonce")
    state = FlowState(start, response: response, status: 200, requestID: nil)
    generator = AnswerGenerator()
    handlers = .showing(Screens(canUsePasskeys: true), on: generator)
  }

  /// The issuer at the host of the response's addresses.
  private static func issuer(of response: IDXResponse) -> String {
    let address = forms(of: response).lazy.compactMap(\.href).first
    guard let url = address.flatMap(URL.init(string:)), let host = url.host else {
      return Wire.origin + "/oauth2/default"
    }
    let port = url.port.map { ":\($0)" } ?? ""
    let scheme = host == "localhost" ? "http" : "https"
    return "\(scheme)://\(host)\(port)/oauth2/default"
  }

  /// Every form of a response: remediations, actions and actions of authenticators.
  static func forms(of response: IDXResponse) -> [Remediation] {
    response.remediations + response.actions + response.authenticators.flatMap(\.actions)
  }

  /// The results of a form, one for each combination of choices that was tried.
  func results(of form: Remediation) async -> [FormResult] {
    let internals: [Remediation.Name] = [.issue, .successRedirect, .failureRedirect, "context"]
    if internals.contains(form.name) { return [.engine] }
    var results: [FormResult] = []
    repeat {
      await generator.restart()
      results.append(await result(of: form))
    } while await generator.choices.isOpen && results.count < Self.maxAttempts
    if results.count == Self.maxAttempts { results.append(.failure("too many choices")) }
    return results
  }

  private func result(of form: Remediation) async -> FormResult {
    do {
      let decision = try await decide(form)
      if let unsupportedStep = await generator.unsupportedSteps.first {
        return .unsupported(unsupportedStep.kind.description)
      }
      if await !generator.pages.isEmpty { return .page }
      switch decision {
      case .submit(let answers, let other):
        let result = try check(other ?? form, answers, isPoll: false)
        guard result == .body, other == nil else { return result }
        return try await secondResult(of: form, after: answers)
      case .poll(let other): return try check(other ?? form, [:], isPoll: true)
      case .choose(_, _?):
        // Another form is opened because this one cannot be done here.
        let step = Step(form, state: state)
        return UnsupportedStep(step).map { .unsupported($0.kind.rawValue) } ?? .failure("chose")
      case .choose(let other, nil): return .failure("chose \(other.name)")
      case .resume: return .page
      case .ask, .decline, .end: return .failure("declined")
      case .cancel:
        let problems = await generator.problems
        return .failure("cancelled: \(problems.joined(separator: " "))")
      }
    } catch let error as FlowError where error.code == .noHandler {
      let kind = await generator.unsupportedSteps.first?.kind.description
      return kind.map(FormResult.unsupported) ?? .failure("\(error)")
    } catch { return .failure("\(error)") }
  }

  /// The result of a second attempt with the same answers, as after a refusal.
  private func secondResult(
    of form: Remediation, after answers: Answers
  ) async throws -> FormResult {
    await generator.repeatAnswers()
    let decision = try await decide(form, attempt: 2, previous: answers)
    guard case .submit(let others, nil) = decision else {
      return .failure("at the second attempt: \(decision)")
    }
    return try check(form, others, isPoll: false)
  }

  /// Asks the handlers in order, like the coordinator.
  private func decide(
    _ form: Remediation, attempt: Int = 1, previous: Answers? = nil
  ) async throws -> Decision {
    let step = Step(form, state: state, attempt: attempt, previous: previous)
    return try await handlers.asking.decide(step)
  }

  private func check(_ form: Remediation, _ answers: Answers, isPoll: Bool) throws -> FormResult {
    let body = try form.body(answering: answers)
    let problems = BodyCheck(of: body, against: form.raw.json).problems
    guard problems.isEmpty else { return .failure(problems.joined(separator: "; ")) }
    return isPoll ? .poll : .body
  }
}

/// Passkeys with fixed bytes.
struct GeneratedPasskeys: PasskeyProvider {
  func register(_ options: PasskeyCreationOptions) -> PasskeyAttestation {
    PasskeyAttestation(
      clientData: options.clientData.json, attestationObject: [1, 2, 3], transports: ["usb"])
  }

  func sign(_ options: PasskeyRequestOptions) -> PasskeyAssertion {
    PasskeyAssertion(
      clientData: options.clientData.json, authenticatorData: [1], signature: [2], userHandle: [3])
  }
}
