import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
@testable import IDXRecording
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import SignInSupport

/// A sign-in of a simulated person that was recorded.
struct RecordedPlay {
  let recording: Recording
  let newNames: [Recording.NewName]
  let outcome: Outcome?
  /// The runs of letters and digits of all original requests and responses, also inside tokens.
  let originals: Set<String>
  /// Values that must be replaced, whatever they look like.
  let personalValues: [String]

  init(_ test: ScenarioCase) async throws {
    let org = SharedSignIn.org(test.scenario)
    await test.signInProtocol.prepare(org)
    let wire = Wire(org: org)
    let recorder = RecordingTransport(wire, now: { org.now })
    let passkeys = SoftwareAuthenticator([.demo])
    let person = PersonFrontEnd(
      SimulatedPerson(of: org, goal: test.scenario.goal, passkeys: passkeys))
    let client = test.signInProtocol.client(
      over: recorder, TokenClient(transport: recorder, now: { org.now }),
      // A random value has four letters of a new name now and then, and such a name cannot be kept.
      random: .seeded(1))
    // Some scenarios end with an error, which is a conversation too.
    outcome = try? await person.coordinator(with: client, at: org).run(org.configuration)
    let redactor = recorder.redactor([:], .seeded(1))
    recording = redactor.redacted()
    newNames = redactor.newNames
    originals = wire.runs
    let users = test.scenario.users
    personalValues =
      users.flatMap { [$0.login, $0.password.revealed] } + [org.clientID, org.issuer.host ?? "?"]
  }

  static func kind(of outcome: Outcome?) -> String {
    switch outcome {
    case .signedIn: "signed in"
    case .ended: "ended"
    case .cancelled: "cancelled"
    case nil: "failed"
    }
  }

  /// The runs of ASCII letters, digits and all signs that are not of ASCII.
  static func runs(of text: String) -> [Substring] {
    text.utf8.split { $0 < 0x80 && !$0.isASCIIAlphanumeric }.map { Substring($0) }
  }
}

extension Recording {
  var responses: [TransportResponse] {
    exchanges.compactMap { exchange in
      guard case .success(let response) = exchange.result else { return nil }
      return response
    }
  }
}

/// Remembers what was really sent and received.
private struct Wire: Transport {
  let org: SimulatedOrg
  private let texts = Locked<[String]>([])

  init(org: SimulatedOrg) { self.org = org }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let response = try await org.send(request)
    texts.withLock { texts in
      texts.append(request.url.absoluteString.removingPercentEncoding ?? "")
      for body in [request.body, response.body] {
        let text = String(decoding: body, as: UTF8.self)
        // An escape in JSON would hide the end of a word.
        texts.append((try? JSONValue(parsing: body)).map(Self.strings) ?? text)
      }
      texts += request.headers.filter { $0.key != "User-Agent" }.map(\.value)
    }
    return response
  }

  var runs: Set<String> {
    let all = texts.withLock { $0 }
    let forms = all.map { $0.replacing("+", with: " ").removingPercentEncoding ?? $0 }
    return Set((all + forms).flatMap(RecordedPlay.runs).map(String.init))
  }

  /// All strings of a value and of the tokens in it.
  private static func strings(of value: JSONValue) -> String {
    switch value {
    case .string(let text):
      // Pictures of QR codes have parts in common; another test reads them.
      if text.hasPrefix("data:image/") { return "" }
      let parts = text.split(separator: ".").compactMap { Base64URL.decode(String($0)) }
        .compactMap { try? JSONValue(parsing: $0) }.filter { $0.object != nil }
      return ([text] + parts.map(strings)).joined(separator: " ")
    case .array(let elements): return elements.map(strings).joined(separator: " ")
    case .object(let object):
      return object.members.map { "\($0.name) \(strings(of: $0.value))" }.joined(separator: " ")
    default: return value.plainText ?? ""
    }
  }
}
