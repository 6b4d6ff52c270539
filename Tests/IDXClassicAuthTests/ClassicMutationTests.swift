import Expectations
import Foundation
import IDX
import IDXBase
import IDXClassicAuth
import IDXFlow
import IDXOAuth
import Testing

/// Classic responses and saved states with random changes.
struct ClassicMutationTests {
  /// Valid responses with every member.
  private static let documents: [JSONValue] = {
    let links: JSONValue = [
      "next": .link("/next", "verify"), "prev": .link("/previous"), "skip": .link("/skip"),
      "cancel": .link("/cancel"), "resend": [.link("/resend", "sms"), .link("/call", "call")],
    ]
    let activation: JSONValue = [
      "activation": [
        "factorResult": "WAITING", "sharedSecret": "JBSWY3DPEHPK3PXP",
        "_links": ["qrcode": ["href": "https://org.example/qr"]],
      ],
      "challenge": ["challenge": "Y2g", "correctAnswer": 7],
    ]
    let kinds = ["sms", "push", "question", "webauthn", "token:software:totp", "web", "token"]
    let factors = kinds.flatMap { kind in
      [
        JSONValue.factor(kind, id: kind, profile: ["questionText": "?"], embedded: activation),
        .factor(kind),
      ]
    }
    let statuses = [
      "MFA_REQUIRED", "MFA_CHALLENGE", "MFA_ENROLL", "MFA_ENROLL_ACTIVATE", "PASSWORD_WARN",
      "PASSWORD_RESET", "RECOVERY", "RECOVERY_CHALLENGE", "LOCKED_OUT", "CONSENT_REQUIRED",
      "DEVICE_ACTIVATE", "UNAUTHENTICATED", "SUCCESS",
    ]
    return statuses.enumerated().map { index, status in
      [
        "stateToken": "st-1", "sessionToken": "se-1", "expiresAt": "2027-01-15T08:05:00.000Z",
        "status": .string(status), "factorResult": "WAITING", "factorType": "SMS",
        "recoveryType": "PASSWORD", "_links": links,
        "_embedded": [
          "user": ["profile": ["login": "ada"], "recovery_question": ["question": "?"]],
          "policy": ["expiration": ["passwordExpireDays": 3], "complexity": ["minLength": 12]],
          "scopes": [["name": "a", "displayName": "b"]], "factors": .array(factors),
          "factor": factors[index % factors.count], "challenge": ["challenge": "Y2g"],
        ],
      ]
    }
  }()

  private static let values: [JSONValue] = [
    .null, true, 5, -1, "", "\u{1B}[2J\u{0}", [], [:], [[]], [1, "a", [:]], ["href": ["href": "x"]],
    "https://evil.example/x", "https://u:p@org.example/x", "javascript:alert(1)", "/relative",
    "https://",
  ]

  /// Copies of a response, each with one member replaced by a random value.
  private static func mutations(of json: JSONValue, by random: inout SeededRandom) -> [JSONValue] {
    let value = values.randomElement(using: &random) ?? .null
    switch json {
    case .object(let object):
      return [value]
        + object.members.flatMap { member in
          mutations(of: member.value, by: &random).map { changed in
            var copy = object
            copy[member.name] = changed
            return .object(copy)
          }
        }
    case .array(let elements):
      return [value]
        + elements.indices.flatMap { index in
          mutations(of: elements[index], by: &random).map { changed in
            var copy = elements
            copy[index] = changed
            return .array(copy)
          }
        }
    default: return [value]
    }
  }

  @Test("A changed response leads to a state or a FlowError, and to no request to another host")
  func members() async throws {
    var random = SeededRandom(seed: 7)
    for document in Self.documents {
      for json in Self.mutations(of: document, by: &random).shuffled(using: &random).prefix(12) {
        var signIn = try await ClassicSignIn(Array(repeating: .json(json), count: 4))
        try await signIn.enterUsername()
        do { try await signIn.enter("pw") } catch {
          expect(error is FlowError)
          continue
        }
        _ = FlowPhase(signIn.state)
        for form in signIn.response.allForms {
          var answers = Answers()
          for input in form.form.inputs() {
            answers[input.path] = input.field.options.isEmpty ? "x" : .option(0)
          }
          do {
            let next = try await signIn.client.proceed(
              Submission(form, answers), from: signIn.state)
            _ = try await signIn.client.refresh(next)
          } catch { expect(error is FlowError) }
          await expectEqual(signIn.server.hosts, ["org.example"])
        }
      }
    }
  }

  @Test(
    "A damaged saved state cannot be read, or leads to a state or a FlowError",
    .promise("damaged-state"))
  func savedStates() async throws {
    var random = SeededRandom(seed: 8)
    for document in Self.documents {
      let signIn = try await ClassicSignIn.afterPassword(
        .json(document), .json([:]), .json([:]))
      let saved = try signIn.state.snapshot()
      try expectEqual(FlowState(snapshot: saved, for: signIn.state.configuration), signIn.state)
      for _ in 0..<40 {
        var bytes = saved
        let place = Int.random(in: 0..<bytes.count, using: &random)
        bytes[place] = UInt8.random(in: 32..<127, using: &random)
        let configuration = signIn.state.configuration
        guard let state = try? FlowState(snapshot: bytes, for: configuration) else { continue }
        for form in state.response.allForms.prefix(2) {
          do { _ = try await signIn.client.proceed(Submission(form), from: state) } catch {
            expect(error is FlowError)
          }
        }
      }
    }
  }

  @Test(
    "If a server always refuses, the sign-in ends at the coordinator's limit",
    arguments: ["E0000079", "E0000068"])
  func endlessRefusals(code: String) async throws {
    let required = ScriptedServer.Response.mfaRequired(.factor("sms", id: "f1"))
    let server = ScriptedServer([])
    await server.answer(by: { request in
      request.url.path.hasSuffix("/verify") ? .error(code, "No.") : required
    })
    var handlers = Handlers()
    handlers.on(.identify) { _ in .submit(["identifier": "ada"]) }
    handlers.on(.challengeAuthenticator) { _ in .submit(["credentials.passcode": "pw"]) }
    handlers.on(.selectAuthenticatorAuthenticate) { _ in .submit(["authenticator": .option(0)]) }
    let coordinator = FlowCoordinator(
      client: ClassicAuthClient(transport: server), handlers: handlers)
    let error = try await requireError(FlowError.self) {
      try await coordinator.run(ClassicSignIn.configuration)
    }
    expectEqual(error.code, .limitReached)
    await expect(server.lines.count < 500)
  }
}

/// A random number generator that returns the same numbers in each run (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
