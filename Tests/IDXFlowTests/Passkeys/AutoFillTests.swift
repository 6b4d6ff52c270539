import Expectations
import IDX
import IDXBase
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import SignInSupport
import Testing

@testable import IDXFlow

@Suite("Passkeys that are offered beside the username", .timeLimit(.minutes(10)))
@MainActor
struct AutoFillTests {
  /// A sign-in that asks for a username, and accepts a passkey instead.
  private static let document = Wire.usernameOrPasskey(
    "challenge-webauthn-autofillui-authenticator")

  /// A provider whose person chooses the passkey above the keyboard.
  private struct KeyboardPasskeys: PasskeyProvider {
    let stub = StubPasskeys.withUser

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

  /// A provider that has something saved, and counts how often it was asked.
  private struct SavedPasskeys: PasskeyProvider {
    let answer: SavedSignIn
    let asked = Locked(0)

    func register(_ options: PasskeyCreationOptions) async throws -> PasskeyAttestation {
      throw PasskeyError(.noKey, "There is no key.")
    }
    func sign(_ options: PasskeyRequestOptions) async throws -> PasskeyAssertion {
      throw PasskeyError(.noKey, "There is no key.")
    }
    func saved(_ options: PasskeyRequestOptions?) async throws -> SavedSignIn? {
      asked.withLock { $0 += 1 }
      return answer
    }
  }

  private static func password(_ password: Secret) -> SavedPasskeys {
    SavedPasskeys(answer: .password(username: "ada@example.com", password: password))
  }

  @Test("A passkey that the device has, or that is chosen beside the username, signs in without it")
  func passkeyFirst() async throws {
    let providers: [any PasskeyProvider] = [
      KeyboardPasskeys(), SavedPasskeys(answer: .passkey(StubPasskeys.withUser.assertion)),
    ]
    for passkeys in providers {
      let transport = RequestLog(StubServer([Self.document]))
      let model = SignInModel(client: IDXClient(transport: transport), passkeys: passkeys)
      model.start(try Wire.configuration())
      await model.end()
      let answer = try await require(transport.requests.last?.json)
      expectEqual(answer["credentials"]?["signatureData"]?.string, "Aw")
      expectEqual(answer["identifier"], nil)
    }
  }

  @Test(
    "A saved password is used on the first page or the next, but not again after it was refused"
  )
  func savedPassword() async throws {
    let org = SimulatedOrg(users: [.demo], policy: SignInPolicy(start: .withPassword))
    let model = SignInModel(client: org.client, passkeys: Self.password("Analytical-1843"))
    model.start(org.configuration)
    await model.end()
    guard case .signedIn(let credential) = model.phase else {
      Issue.record("\(model.phase)")
      return
    }
    expectEqual(credential.username, "ada@example.com")

    let later = SimulatedOrg(users: [.demo], policy: SignInPolicy())
    let passkeys = Self.password("a saved one")
    let other = SignInModel(client: later.client, passkeys: passkeys)
    other.start(later.configuration)
    var screen = await other.next()
    while let shown = screen, shown.person == nil { screen = await other.next(after: shown) }
    let page = try require(screen)
    let field = try require(page.inputs.first { $0.contentType == .password })
    expectEqual(other.values[field.id], "a saved one")
    other.submit(page)
    let refused = try await require(other.next(after: page))
    expectEqual(refused.attempt, 2)
    expectEqual(other.values[field.id], nil)
    other.choose(try require(page.person?.changeID), on: refused)
    let again = try await require(other.next(after: refused))
    expectEqual(again.step?.remediation.name, .identify)
    other.cancel()
    await other.end()
    expectEqual(passkeys.asked.withLock { $0 }, 1)
  }

  /// A sign-in in which a person chooses an authenticator before the password is asked for.
  private static func choice(of user: String) -> [JSONValue] {
    let person = ("user", ["type": "object", "value": ["identifier": .string(user)]] as JSONValue)
    let password: JSONValue = [
      "label": "Password", "value": ["form": ["value": [["name": "id", "value": "autPassword"]]]],
    ]
    return [
      Wire.document([Wire.form("identify", [["name": "identifier", "required": true]])]),
      Wire.document(
        [
          Wire.form(
            "select-authenticator-authenticate",
            [["name": "authenticator", "type": "object", "options": [password]]])
        ], [person]),
      Wire.document(
        [
          Wire.form(
            "challenge-authenticator", [["name": "passcode", "label": "Password", "secret": true]])
        ],
        [
          person, Wire.current(["id": "autPassword", "key": "okta_password", "type": "password"]),
        ]),
    ]
  }

  @Test(
    "A saved password waits while the person chooses how to sign in, and is for this person only",
    arguments: [("ada@example.com", "a saved one"), ("grace@example.com", nil)]
      as [(String, String?)])
  func savedPasswordAfterChoice(user: String, filledIn: String?) async throws {
    let model = SignInModel(
      client: IDXClient(transport: StubServer(Self.choice(of: user))),
      passkeys: Self.password("a saved one"))
    model.start(try Wire.configuration())
    var screen = await model.next()
    while let shown = screen, shown.person == nil { screen = await model.next(after: shown) }
    let list = try require(screen)
    expectEqual(list.step?.remediation.name, .selectAuthenticatorAuthenticate)
    let field = try require(list.inputs.first)
    guard case .choice(let choices) = field.kind else {
      Issue.record("\(field.kind)")
      return
    }
    model.values[field.id] = try Secret(require(choices.first).id)
    model.submit(list)
    let page = try await require(model.next(after: list))
    let password = try require(page.inputs.first { $0.contentType == .password })
    expectEqual(model.values[password.id], filledIn.map { Secret($0) })
    model.cancel()
    await model.end()
  }

  @Test("Nothing that was saved is used to reset a password")
  func recovery() async throws {
    let org = SimulatedOrg(OrgScenario["recover"])
    let passkeys = Self.password("a saved one")
    let model = SignInModel(client: org.client, passkeys: passkeys)
    model.start(org.configuration, goal: .recover)
    let page = try await require(model.next())
    expectEqual(page.step?.remediation.name, .identify)
    model.cancel()
    await model.end()
    expectEqual(passkeys.asked.withLock { $0 }, 0)
  }

  @Test("Whoever has set up a passkey signs in with it alone the next time, and with no other one")
  func simulatedOrg() async throws {
    var policy = SignInPolicy.required(.webAuthn)
    policy.acceptsPasskeyFirst = true
    let org = SimulatedOrg(users: [.demo], policy: policy)
    let sessions = OpenSignIns(
      client: org.client, configuration: org.configuration,
      handlers: .showing(Screens(canUsePasskeys: true)), now: { org.now })
    func page(_ result: OpenSignInResult) throws -> OpenSignInPage {
      guard case .page(let page) = result else { throw FlowError(.inputNeeded, "\(result)") }
      return page
    }
    func reply(_ reply: Reply, _ page: OpenSignInPage) async throws -> OpenSignInResult {
      try await sessions.reply(reply, to: page.id, revision: page.revision)
    }
    func isSignedIn(_ result: OpenSignInResult) -> Bool {
      if case .signedIn(let signIn) = result {
        signIn.credential.username == "ada@example.com"
      } else {
        false
      }
    }
    let passkeys = SoftwareAuthenticator()
    let first = try page(await sessions.start())
    // The username can still be typed.
    expect(first.screen.autoFillPasskey != nil && first.screen.inputs.map(\.id) == ["identifier"])
    let second = try page(await reply(.submit(["identifier": "ada@example.com"]), first))
    let choice = try page(
      await reply(.submit(["credentials.passcode": "Analytical-1843"]), second))
    let input = try require(choice.screen.inputs.first)
    let third = try page(await reply(.submit([input.id: Secret(input.choices[0].id)]), choice))
    guard case .create(let options)? = third.screen.passkey else {
      Issue.record("The page is \(third).")
      return
    }
    expect(isSignedIn(try await reply(.created(passkeys.register(options)), third)))

    let again = try page(await sessions.start())
    let challenge = try require(again.screen.autoFillPasskey)
    let stranger = SoftwareAuthenticator([
      SoftwareAuthenticator.Credential(login: "ada@example.com", madeOf: "another")
    ])
    let refused = try page(await reply(.signed(stranger.sign(challenge)), again))
    expectEqual(refused.screen.messages.map(\.kind), [.error])
    expectEqual(refused.screen.person, nil)
    let last = try require(refused.screen.autoFillPasskey)
    expect(isSignedIn(try await reply(.signed(passkeys.sign(last)), refused)))
  }
}
