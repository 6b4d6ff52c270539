import IDX
import IDXBase
import IDXOAuth
public import IDXSoftwarePasskeys

/// A signature of a passkey or a security key, which the org verifies.
struct PasskeyCheck: Check {
  let isBegun = true
  let classicAnswer = ["clientData", "signatureData", "authenticatorData"]

  func begin(
    _ challenge: inout AuthenticatorChallenge, of signIn: SignIn, in org: inout OrgState
  ) throws(Rejection) {
    let account = org[signIn.accountKey]
    let user = account.user
    let value = JSONValue.string(Base64URL.encode(org.random.bytes(24)))
    let site = JSONValue.string(org.settings.site)
    let origin: JSONValue = ["appid": .string(org.settings.origin)]
    guard challenge.purpose == .enroll else {
      challenge.passkeyRequest = [
        "challenge": value, "userVerification": "preferred", "rpId": site, "extensions": origin,
      ]
      return
    }
    // Only a key that stores the passkey can name the user.
    let isStored = JSONValue.bool(org.settings.policy.acceptsPasskeyFirst)
    challenge.passkeyRequest = [
      "rp": ["id": site, "name": "Demo app"],
      "user": [
        "id": .string(account.id), "name": .string(user.login),
        "displayName": .string("\(user.firstName) \(user.lastName)"),
      ],
      "pubKeyCredParams": [
        ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -257],
      ],
      "challenge": value, "attestation": "direct",
      "authenticatorSelection": ["userVerification": "preferred", "requireResidentKey": isStored],
      "u2fParams": origin, "excludeCredentials": user.passkeyDescriptors,
    ]
  }

  func credentials(for challenge: AuthenticatorChallenge, in document: OrgDocument) -> Field {
    let extra =
      document.settings.policy.factors.asksPasskeyTransports
      ? ["transports", "clientExtensions"] : []
    let names =
      challenge.purpose == .enroll
      ? ["clientData", "attestation"] + extra
      : ["authenticatorData", "clientData", "signatureData", "userHandle"]
    let hint: JSONValue? = challenge.purpose == .enroll ? "webauthn" : nil
    return Field(
      "credentials",
      form: names.map { name in
        Field(name, label: Self.labels[name], isRequired: name != "userHandle", isVisible: false)
          .adding("hint", hint)
      })
  }

  private static let labels = [
    "clientData": "Client Data", "attestation": "Attestation", "transports": "Transports",
    "clientExtensions": "clientExtensions", "authenticatorData": "Authenticator Data",
    "signatureData": "Signature Data", "userHandle": "User Handle",
  ]

  func members(of challenge: AuthenticatorChallenge, in document: OrgDocument) -> JSONValue {
    guard let request = challenge.passkeyRequest else { return [:] }
    let isSetUp = challenge.purpose == .enroll
    return ["contextualData": isSetUp ? ["activationData": request] : ["challengeData": request]]
  }

  func verify(_ answer: inout CheckAnswer) throws(Rejection) -> SimulatedUser.Enrollment.Detail? {
    let check = WebAuthnCheck(
      request: answer.challenge.passkeyRequest ?? .null, credentials: answer.values ?? .null)
    var passkeys = answer.account.user.passkeys
    do throws(PasskeyFlaw) {
      if answer.challenge.purpose == .enroll {
        let (id, key) = try check.registration()
        return .passkey(
          OrgPasskey(id: id, key: .registered(key), name: "Key \(passkeys.count + 1)"))
      }
      if answer.challenge.isForOneEnrollment, case .passkey(let passkey)? = answer.enrolled {
        passkeys = [passkey]
      }
      let counters = answer.account.passkeyCounters
      let (index, counter) = try check.assertion(
        by: passkeys.map(\.key.publicKey), of: answer.account.id,
        last: passkeys.map { counters[$0.id] ?? 0 })
      answer.account.passkeyCounters[passkeys[index].id] = counter
      return nil
    } catch {
      throw Rejection(.refusedPasskey(error.words), status: 400)
    }
  }
}

extension SimulatedUser {
  var passkeys: [OrgPasskey] {
    enrollments.compactMap { if case .passkey(let passkey) = $0.detail { passkey } else { nil } }
  }

  var passkeyDescriptors: JSONValue {
    .array(passkeys.map { ["type": "public-key", "id": .string(Base64URL.encode($0.id))] })
  }
}

// MARK: - Passkeys of users

extension SoftwareAuthenticator.Credential {
  /// Creates a passkey from a word, for an account of a ``SimulatedOrg``.
  ///
  /// The same word gives the same passkey, so a test can add it to a user of the org before the sign-in.
  public init(site: String = "demo.okta.example", login: String, madeOf word: String) {
    let user = OrgAccount.id(of: login)
    self.init(
      site: site, userHandle: Base64URL.decode(user) ?? Array(user.utf8), madeOf: word)
  }

  /// The passkey of ``SimulatedUser/demo``.
  public static let demo = Self(login: SimulatedUser.demo.login, madeOf: "demo")
}

extension SoftwareAuthenticator {
  /// A new authenticator with the passkey of the scenario `passkey`.
  public static var demo: SoftwareAuthenticator { SoftwareAuthenticator([.demo]) }
}

extension SimulatedUser.Enrollment {
  /// A passkey of a ``/IDXSoftwarePasskeys/SoftwareAuthenticator``, and what the user calls it.
  public static func passkey(_ credential: SoftwareAuthenticator.Credential, name: String) -> Self {
    let passkey = OrgPasskey(id: credential.id, key: .software(credential), name: name)
    return Self(authenticator: .webAuthn, detail: .passkey(passkey))
  }
}
