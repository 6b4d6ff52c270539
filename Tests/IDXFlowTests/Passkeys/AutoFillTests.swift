import Expectations
import IDX
import IDXBase
import IDXScreens
import SignInSupport
import Testing

@testable import IDXFlow

@Suite("Passkeys that are offered beside the username", .timeLimit(.minutes(10)))
@MainActor
struct AutoFillTests {
  /// A sign-in that asks for a username, and accepts a passkey instead.
  private static var document: JSONValue {
    let names = ["authenticatorData", "clientData", "signatureData", "userHandle"]
    return Wire.document(
      [
        Wire.form("identify", [["name": "identifier", "required": true]]),
        Wire.form("challenge-webauthn-autofillui-authenticator", [Wire.hidden(names)]),
      ],
      [
        (
          "webauthnAutofillUIChallenge",
          ["type": "object", "value": ["challengeData": Wire.challenge]]
        )
      ])
  }

  /// A provider whose person chooses the passkey above the keyboard.
  private struct KeyboardPasskeys: PasskeyProvider {
    let stub = StubPasskeys(
      assertion: PasskeyAssertion(
        clientData: [1], authenticatorData: [2], signature: [3],
        userHandle: Array("00uADA".utf8)))

    func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
      try await stub.register(options)
    }
    func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
      try await stub.sign(options)
    }
    func offer(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
      guard options.site == "id.shop.example" else { throw PasskeyError(.failed, "Another site.") }
      return try await stub.sign(options)
    }
  }

  @Test("A passkey that is chosen beside the username signs in without the username")
  func chosen() async throws {
    let transport = RequestLog(StubServer([Self.document]))
    let model = SignInModel(client: IDXClient(transport: transport), passkeys: KeyboardPasskeys())
    model.start(try Wire.configuration())
    await model.end()
    let answer = try #require(await transport.requests.last?.json)
    expectEqual(answer["credentials"]?["signatureData"]?.string, "Aw")
    expectEqual(answer["identifier"], nil)
  }

  @Test("If the provider offers nothing, the username can still be typed")
  func notOffered() throws {
    let screen = Screen(try Wire.step(Self.document))
    #expect(screen.autoFillPasskey != nil)
    expectEqual(screen.inputs.map(\.id), ["identifier"])
    guard case .submit(let answers, nil) = try screen.decision(on: .submit(["identifier": "ada"]))
    else {
      Issue.record("Nothing is submitted.")
      return
    }
    expectEqual(answers, ["identifier": "ada"])
  }
}
