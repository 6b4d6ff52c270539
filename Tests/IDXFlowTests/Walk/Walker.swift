import Foundation
import IDX
import IDXOAuth

@testable import IDXFlow

/// How a form of a response ended, walked through the handlers.
enum WalkEnd: Hashable {
  /// A body was sent that the form accepts.
  case body
  /// The server is polled.
  case poll
  /// A browser was sent to a page.
  case page
  /// It cannot be done at a prompt, for this documented reason.
  case unsupported(String)
  /// It is no step: the engine itself acts on it, or leaves it to browsers.
  case engine
  /// The walk failed.
  case failure(String)
}

/// Walks every form of a response through the built-in handlers, each choice each way.
struct Walker {
  private static let mostWalks = 400

  let state: FlowState
  private let generator: ValueGenerator
  private let handlers: Handlers

  init(_ response: IDXResponse) throws {
    state = FlowState(
      configuration: try Wire.configuration(Self.issuer(of: response)),
      interactionHandle: "ih_walk", pkce: PKCE(),
      redirectState: "a state", nonce: "a nonce", response: response, status: 200, requestID: nil)
    generator = ValueGenerator()
    var handlers = Handlers.asking(generator)
    handlers.usePasskeys(InventedPasskeys(), prompter: generator)
    self.handlers = handlers
  }

  /// The issuer that the addresses of a response belong to.
  private static func issuer(of response: IDXResponse) -> String {
    let address = forms(of: response).lazy.compactMap(\.href).first
    guard let url = address.flatMap(URL.init(string:)), let host = url.host else {
      return Wire.origin + "/oauth2/default"
    }
    let port = url.port.map { ":\($0)" } ?? ""
    let scheme = host == "localhost" ? "http" : "https"
    return "\(scheme)://\(host)\(port)/oauth2/default"
  }

  /// Every form that a person or the engine may come to, wherever it stands.
  static func forms(of response: IDXResponse) -> [Remediation] {
    response.remediations + response.actions + response.authenticators.flatMap(\.actions)
  }

  /// How all walks of a form ended.
  func ends(of form: Remediation) async -> [WalkEnd] {
    let internals: [Remediation.Name] = [.issue, .successRedirect, .failureRedirect, "context"]
    if internals.contains(form.name) { return [.engine] }
    var ends: [WalkEnd] = []
    repeat {
      await generator.beginAgain()
      ends.append(await end(of: form))
    } while await generator.crossroads.isOpen && ends.count < Self.mostWalks
    if ends.count == Self.mostWalks { ends.append(.failure("there is no end of choices")) }
    return ends
  }

  private func end(of form: Remediation) async -> WalkEnd {
    do {
      let decision = try await decide(form)
      if let unsupportedStep = await generator.unsupportedSteps.first {
        return .unsupported(unsupportedStep.kind.description)
      }
      if await !generator.pages.isEmpty { return .page }
      switch decision {
      case .submit(let answers, let other):
        let end = try check(other ?? form, answers, isPoll: false)
        guard end == .body, other == nil else { return end }
        return try await endAgain(of: form, after: answers)
      case .poll(let other): return try check(other ?? form, [:], isPoll: true)
      case .choose(let other): return .failure("turned to \(other.name)")
      case .resume: return .page
      case .decline: return .failure("declined")
      case .cancel:
        let problems = await generator.problems
        return .failure("cancelled: \(problems.joined(separator: " "))")
      }
    } catch let error as FlowError where error.code == .noHandler {
      let kind = await generator.unsupportedSteps.first?.kind.description
      return kind.map(WalkEnd.unsupported) ?? .failure("\(error)")
    } catch { return .failure("\(error)") }
  }

  /// How the form ends where it is put again after answers, which is how a refusal looks.
  private func endAgain(of form: Remediation, after answers: Answers) async throws -> WalkEnd {
    await generator.repeatItself()
    let decision = try await decide(form, attempt: 2, previous: answers)
    guard case .submit(let others, nil) = decision else {
      return .failure("at the second attempt: \(decision)")
    }
    return try check(form, others, isPoll: false)
  }

  /// Asks the handlers in order, as the coordinator does.
  private func decide(
    _ form: Remediation, attempt: Int = 1, previous: Answers? = nil
  ) async throws -> Decision {
    let step = Step(form, state: state, attempt: attempt, previous: previous)
    for handler in handlers.handlers(for: step) {
      let decision = try await handler.decide(step)
      if case .decline = decision { continue }
      return decision
    }
    return .decline
  }

  private func check(_ form: Remediation, _ answers: Answers, isPoll: Bool) throws -> WalkEnd {
    let body = try form.body(answering: answers)
    let faults = BodyCheck(of: body, against: form.raw.json).faults
    guard faults.isEmpty else { return .failure(faults.joined(separator: "; ")) }
    return isPoll ? .poll : .body
  }
}

/// Passkeys of made-up bytes.
private struct InventedPasskeys: PasskeyProvider {
  func register(_ request: PasskeyCreationOptions) -> PasskeyAttestation {
    PasskeyAttestation(
      clientData: request.clientData.json, attestationObject: [1, 2, 3], transports: ["usb"])
  }

  func sign(_ request: PasskeyRequestOptions) -> PasskeyAssertion {
    PasskeyAssertion(
      clientData: request.clientData.json, authenticatorData: [1], signature: [2], userHandle: [3])
  }
}
