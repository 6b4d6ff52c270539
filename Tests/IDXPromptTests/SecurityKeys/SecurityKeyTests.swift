import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSystem
import Testing

@testable import IDXFlow
@testable import IDXPrompt

/// Security keys through the programs of libfido2.
struct SecurityKeyTests {
  private let programs: FakePrograms
  private let key: SecurityKey

  init() throws {
    programs = try FakePrograms()
    try programs.addKeys("/dev/hidraw5")
    key = SecurityKey(environment: programs.environment)
  }

  private static let site = "demo.okta.example"
  private static let head = HashFunction.sha256.hash(Array(site.utf8)) + [0x05, 0, 0, 0, 9]

  /// Authenticator data with a new key for an algorithm.
  private static func attested(_ algorithm: Int) -> [UInt8] {
    let key: CBOR = .map([1: 2, 3: .integer(algorithm)])
    return head + [UInt8](repeating: 0, count: 16) + [0, 2, 7, 7] + key.encoded
  }

  private func registration(
    name: String = "ada@shop.example", _ change: (inout JSONValue.Object) -> Void = { _ in }
  ) throws -> PasskeyCreationOptions {
    var data = JSONValue.Object([
      .init("challenge", "AQID"), .init("attestation", "direct"),
      .init("user", ["id": "AQID", "name": .string(name)]),
      .init("pubKeyCredParams", [["type": "public-key", "alg": -7]]),
    ])
    change(&data)
    return try PasskeyCreationOptions(Self.step("activationData", .object(data)))
  }

  private func challenge(
    allowing ids: String..., demand: String = "preferred"
  ) throws -> PasskeyRequestOptions {
    let data: JSONValue = ["challenge": "AQID", "userVerification": .string(demand)]
    return try PasskeyRequestOptions(Self.step("challengeData", data, ids))
  }

  private static func step(_ name: String, _ data: JSONValue, _ ids: [String] = []) throws -> Step {
    let enrollments = ids.map { ["key": "webauthn", "credentialId": .string($0)] as JSONValue }
    let contextual = JSONValue.object(JSONValue.Object([.init(name, data)]))
    let document = JSONValue.response(
      [.form("challenge-authenticator", relatesTo: ["$.currentAuthenticator"])],
      [
        "currentAuthenticator": ["value": ["key": "webauthn", "contextualData": contextual]],
        "authenticatorEnrollments": ["type": "array", "value": .array(enrollments)],
      ])
    let response = try IDXResponse(parsing: document.bytes)
    let start = FlowState.Start(
      .idx,
      try FlowConfiguration(
        issuer: "https://\(site)", clientID: "0oa", redirectURI: "com.example:/callback"),
      interactionHandle: "ih", pkce: PKCE(), redirectState: "state", nonce: "nonce")
    let state = FlowState(start, response: response, status: 200, requestID: nil)
    return Step(response.remediations[0], state: state)
  }

  private func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// What `fido2-assert` writes: the answer to a request, with authenticator data.
  private func assertion(_ request: PasskeyRequestOptions, _ data: [UInt8] = head) -> [String] {
    [base64(request.clientData.hash), Self.site, base64(CBOR.bytes(data).encoded), "BQY="]
  }

  private func code(
    registering request: PasskeyCreationOptions, _ key: SecurityKey
  ) async -> PasskeyError.Code? {
    do { _ = try await key.register(request) } catch { return (error as? PasskeyError)?.code }
    return nil
  }

  private func code(
    signing request: PasskeyRequestOptions, _ key: SecurityKey
  ) async -> PasskeyError.Code? {
    do { _ = try await key.sign(request) } catch { return (error as? PasskeyError)?.code }
    return nil
  }

  // MARK: Making a passkey

  @Test(
    "fido2-cred creates a passkey, with an attestation if it is requested",
    arguments: [
      (
        "packed", [9, 9], "direct",
        ["alg": -7, "sig": .bytes([5]), "x5c": .array([.bytes([9, 9])])]
      ),
      ("packed", [9, 9], "none", [:]), ("packed", nil, "direct", ["alg": -7, "sig": .bytes([5])]),
      ("fido-u2f", [9, 9], "direct", ["sig": .bytes([5]), "x5c": .array([.bytes([9, 9])])]),
      ("tpm", [9, 9], "direct", [:]),
    ] as [(String, [UInt8]?, JSONValue, [CBOR: CBOR])])
  func register(
    format: String, certificate: [UInt8]?, attestation: JSONValue, statement: [CBOR: CBOR]
  ) async throws {
    let request = try registration { $0["attestation"] = attestation }
    let data = Self.attested(-7)
    try programs.add(
      "fido2-cred",
      writing: [
        base64(request.clientData.hash), Self.site, format, base64(CBOR.bytes(data).encoded),
        base64([7, 7]), base64([5]),
      ] + [certificate.map(base64)].compactMap(\.self))
    let made = try await key.register(request)
    expectEqual(programs.arguments(of: "fido2-token"), ["-L"])
    expectEqual(programs.arguments(of: "fido2-cred"), ["-M /dev/hidraw5 es256"])
    expectEqual(
      programs.input(of: "fido2-cred"),
      [base64(request.clientData.hash), Self.site, "ada@shop.example", "AQID"])
    expectEqual(made.clientData, request.clientData.json)
    expectEqual(made.transports, ["usb"])
    let object = try require(CBOR(made.attestationObject))
    expectEqual(object["fmt"], .text(statement.isEmpty ? "none" : format))
    expectEqual(object["attStmt"], .map(statement))
    expectEqual(object["authData"]?.bytes, data)
  }

  @Test("The server's requirements reach the key, and a name cannot end its line")
  func options() async throws {
    let request = try registration(name: "ada\n\u{7}byron" + String(repeating: "é", count: 40)) {
      $0["pubKeyCredParams"] = [["alg": -65535], ["alg": -8], ["alg": -257]]
      $0["authenticatorSelection"] = ["userVerification": "required", "residentKey": "required"]
    }
    try programs.add("fido2-cred", failing: "FIDO_ERR_PIN_INVALID")
    let key = SecurityKey(environment: programs.environment, device: "/dev/hidraw 7")
    await expectEqual(code(registering: request, key), .notVerified)
    expectEqual(programs.arguments(of: "fido2-cred"), ["-M -r -v /dev/hidraw 7 eddsa"])
    let lines = programs.input(of: "fido2-cred")
    try require(lines.count == 4)
    expectEqual(lines[2], "adabyron" + String(repeating: "é", count: 28))
    expectEmpty(programs.arguments(of: "fido2-token"))
  }

  @Test("A key that has a passkey of the account is not set up again")
  func excluded() async throws {
    let request = try registration { $0["excludeCredentials"] = [["id": "CQkJ"]] }
    try programs.add("fido2-assert", "exit 0")
    await expectEqual(code(registering: request, key), .alreadyRegistered)
    expectEqual(
      programs.arguments(of: "fido2-assert"), ["-G -t up=false -t pin=false /dev/hidraw5"])
  }

  // MARK: Signing

  @Test(
    "fido2-assert signs a challenge; without a list of passkeys, the key returns the user handle")
  func sign() async throws {
    let request = try challenge(allowing: "BAUG", demand: "required")
    try programs.add("fido2-assert", writing: assertion(request))
    let signed = try await key.sign(request)
    expectEqual(programs.arguments(of: "fido2-assert"), ["-G -v /dev/hidraw5"])
    expectEqual(
      programs.input(of: "fido2-assert"), [base64(request.clientData.hash), Self.site, "BAUG"])
    expectEqual(signed.clientData, request.clientData.json)
    expectEqual(signed.authenticatorData, Self.head)
    expectEqual(signed.signature, [5, 6])
    expectEqual(signed.userHandle, nil)

    let open = try challenge()
    try programs.add("fido2-assert", writing: assertion(open) + ["AQID"])
    let resident = try await key.sign(open)
    expectEqual(
      programs.arguments(of: "fido2-assert"), ["-G -v /dev/hidraw5", "-G -r /dev/hidraw5"])
    expectEqual(resident.userHandle, [1, 2, 3])
  }

  @Test("The passkey of the key, if it has one, is found among several without a touch")
  func severalPasskeys() async throws {
    let request = try challenge(allowing: "AQID", "BAUG")
    let lines = assertion(request).joined(separator: "\\n")
    try programs.add(
      "fido2-assert",
      """
      case "$input" in
        *BAUG) printf '\(lines)\\n';;
        *) echo 'fido2-assert: fido_dev_get_assert: FIDO_ERR_NO_CREDENTIALS' >&2; exit 1;;
      esac
      """)
    let signed = try await key.sign(request)
    expectEqual(signed.signature, [5, 6])
    expectEqual(
      programs.arguments(of: "fido2-assert"),
      [
        "-G -t up=false -t pin=false /dev/hidraw5", "-G -t up=false -t pin=false /dev/hidraw5",
        "-G /dev/hidraw5",
      ])

    try programs.add("fido2-assert", failing: "FIDO_ERR_NO_CREDENTIALS")
    await expectEqual(code(signing: request, key), .unknownCredential)
  }

  @Test("Data for another site and missing lines are refused", arguments: [true, false])
  func damaged(isCutOff: Bool) async throws {
    let request = try challenge(allowing: "AQID")
    let lines = assertion(request, [UInt8](repeating: 1, count: 37))
    try programs.add("fido2-assert", writing: isCutOff ? Array(lines.prefix(2)) : lines)
    await expectEqual(code(signing: request, key), .failed)
  }

  // MARK: What can go wrong

  @Test("Missing programs, no key and several keys are different errors")
  func missing() async throws {
    let request = try challenge(allowing: "AQID")
    for environment in [["PATH": "/dev"], [:]] {
      await expectEqual(
        code(signing: request, SecurityKey(environment: environment)), .notInstalled)
    }
    try programs.add("fido2-token", "exit 0")
    await expectEqual(code(signing: request, key), .noKey)
    try programs.addKeys("/dev/hidraw5", "/dev/hidraw6")
    await expectEqual(code(signing: request, key), .severalKeys)
  }

  @Test(
    "Each error of libfido2 has an error code",
    arguments: [
      ("FIDO_ERR_ACTION_TIMEOUT", .timedOut), ("FIDO_ERR_USER_ACTION_TIMEOUT", .timedOut),
      ("FIDO_ERR_OPERATION_DENIED", .cancelled), ("FIDO_ERR_PIN_BLOCKED", .notVerified),
      ("invalid PIN length", .notVerified), ("fido_dev_open: FIDO_ERR_RX", .failed),
      ("FIDO_ERR_PIN_REQUIRED", .notVerified), ("FIDO_ERR_RX", .failed), ("a word", .failed),
      ("FIDO_ERR_UNSUPPORTED_ALGORITHM", .unsupported),
      ("FIDO_ERR_CREDENTIAL_EXCLUDED", .alreadyRegistered),
    ] as [(String, PasskeyError.Code)])
  func libraryErrors(error: String, code: PasskeyError.Code) async throws {
    try programs.add("fido2-cred", failing: error)
    try await expectEqual(self.code(registering: registration(), key), code)
  }

  @Test("Cancelling the task ends the program")
  func cancellation() async throws {
    try programs.add("fido2-assert", "exec sleep 600")
    let request = try challenge(allowing: "AQID")
    let (touches, touch) = AsyncStream<String>.makeStream()
    let key = SecurityKey(environment: programs.environment, notify: { touch.yield($0) })
    let task = Task { try await key.sign(request) }
    for await _ in touches { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
