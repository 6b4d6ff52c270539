import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Passkeys and security keys, whose signatures are verified.
///
/// A challenge may be answered by any passkey of the user, whichever was picked.
struct WebAuthnAuthenticator: OrgAuthenticator {
  let key = IDXAuthenticator.Key.webAuthn
  let type: IDXAuthenticator.Kind = "security_key"
  let displayName = "Passkey or security key"
  let methods = [(label: "Passkey or security key", value: "webauthn")]
  let enrollmentPrefix = "fwf"
  let challengesEnrollment = false
  let canBeEnrolledTwice = true

  func begin(_ ceremony: inout Ceremony, for user: SimulatedUser, in org: inout OrgCore)
    -> Rejection?
  {
    let challenge = Base64URL.encode(org.random.bytes(24))
    let settings = org.settings
    ceremony.passkeyRequest =
      ceremony.purpose == .challenge
      ? challengeData(challenge, settings) : activationData(challenge, user, settings)
    return nil
  }

  func credentials(for ceremony: Ceremony, of user: SimulatedUser) -> JSONValue {
    func field(_ name: String, required: Bool) -> JSONValue {
      ["name": .string(name), "required": .bool(required), "visible": false]
    }
    let fields =
      ceremony.purpose == .challenge
      ? [
        field("authenticatorData", required: true), field("clientData", required: true),
        field("signatureData", required: true), field("userHandle", required: false),
      ]
      : [
        field("clientData", required: true), field("attestation", required: true),
        field("transports", required: true), field("clientExtensions", required: true),
      ]
    return OrgForm.nested("credentials", fields)
  }

  func details(of ceremony: Ceremony, for user: SimulatedUser, policy: SignInPolicy)
    -> [(name: String, value: JSONValue)]
  {
    guard let request = ceremony.passkeyRequest else { return [] }
    let name = ceremony.purpose == .challenge ? "challengeData" : "activationData"
    return [("contextualData", .object(JSONValue.Object([JSONValue.Object.Member(name, request)])))]
  }

  func profile(of detail: SimulatedUser.Enrollment.Detail, user: SimulatedUser) -> JSONValue? {
    guard case .passkey(let passkey) = detail else { return nil }
    return ["deviceName": .string(passkey.name)]
  }

  func enrollmentDetails(of detail: SimulatedUser.Enrollment.Detail)
    -> [(name: String, value: JSONValue)]
  {
    guard case .passkey(let passkey) = detail else { return [] }
    return [("credentialId", .string(Base64URL.encode(passkey.id)))]
  }

  func judge(
    _ credentials: JSONValue, of ceremony: Ceremony, by account: OrgAccount, in org: OrgCore
  )
    -> Rejection?
  {
    guard let check = check(credentials, of: ceremony) else { return nil }
    do {
      if ceremony.purpose == .challenge {
        _ = try check.assertion(of: account)
      } else {
        _ = try check.registration()
      }
      return nil
    } catch {
      return Rejection(
        status: 400,
        message: OrgMessage(
          key: "authfactor.webauthn.error.assertion_validation_failure",
          text: "The passkey's answer is refused: \(error.words)."))
    }
  }

  func settle(
    _ ceremony: Ceremony, credentials: JSONValue, in account: inout OrgAccount, at date: Date
  ) {
    guard let check = check(credentials, of: ceremony) else { return }
    if ceremony.purpose == .challenge {
      guard let signed = try? check.assertion(of: account) else { return }
      account.passkeyCounters[signed.passkey.id] = signed.counter
    } else if var passkey = try? check.registration() {
      passkey.name = "Key \(account.user.passkeys.count + 1)"
      account.user.enrollments.append(.passkey(passkey))
    }
  }

  private func check(_ credentials: JSONValue, of ceremony: Ceremony) -> OrgPasskeyCheck? {
    ceremony.passkeyRequest.map { OrgPasskeyCheck(request: $0, credentials: credentials) }
  }

  private func challengeData(_ challenge: String, _ settings: OrgSettings) -> JSONValue {
    [
      "challenge": .string(challenge), "userVerification": "preferred",
      "rpId": .string(settings.site), "extensions": ["appid": .string(settings.origin)],
    ]
  }

  private func activationData(
    _ challenge: String, _ user: SimulatedUser, _ settings: OrgSettings
  ) -> JSONValue {
    let excluded = user.passkeys.map {
      ["type": "public-key", "id": .string(Base64URL.encode($0.id))] as JSONValue
    }
    return [
      "rp": ["id": .string(settings.site), "name": "Demo app"],
      "user": [
        "id": .string(OrgSettings.id("00u", user.login.lowercased())),
        "name": .string(user.login), "displayName": .string("\(user.firstName) \(user.lastName)"),
      ],
      "pubKeyCredParams": [
        ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257],
      ],
      "challenge": .string(challenge), "attestation": "direct",
      "authenticatorSelection": [
        "userVerification": "preferred", "requireResidentKey": false,
      ],
      "u2fParams": ["appid": .string(settings.origin)], "excludeCredentials": .array(excluded),
    ]
  }
}

extension OrgSettings {
  /// What passkeys are for: the host, without a port.
  fileprivate var site: String { String(host.prefix { $0 != ":" }) }
}

extension SimulatedUser.Enrollment {
  /// A passkey that a ``SoftwareAuthenticator`` holds, and what the user calls it.
  public static func passkey(
    _ credential: SoftwareAuthenticator.Credential, name: String
  ) -> SimulatedUser.Enrollment {
    .passkey(OrgPasskey(id: credential.id, publicKey: credential.publicKey, name: name))
  }

  fileprivate static func passkey(_ passkey: OrgPasskey) -> SimulatedUser.Enrollment {
    SimulatedUser.Enrollment(authenticator: .webAuthn, detail: .passkey(passkey))
  }
}
