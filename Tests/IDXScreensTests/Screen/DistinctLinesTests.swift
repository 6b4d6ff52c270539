import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import SignInSupport
import Testing

/// No two lines of a menu are equal, and none is empty.
struct DistinctLinesTests {
  private func choices(_ enrollments: [(label: String, authenticator: JSONValue)]) throws
    -> [String]
  {
    let options = enrollments.enumerated().map { index, enrollment -> JSONValue in
      [
        "label": .string(enrollment.label), "value": ["id": .string("\(index)")],
        "relatesTo": .string("$.authenticatorEnrollments.value[\(index)]"),
      ]
    }
    let form = Wire.form(
      "select-authenticator-authenticate",
      [["name": "authenticator", "type": "object", "options": .array(options)]])
    let all = JSONValue.array(enrollments.map(\.authenticator))
    let screen = Screen(
      try Wire.step(
        Wire.document([form], [("authenticatorEnrollments", ["type": "array", "value": all])])))
    return try require(screen.inputs.first).choices.map(\.label)
  }

  private func passkey(_ name: String) -> JSONValue {
    ["key": "webauthn", "type": "security_key", "displayName": .string(name)]
  }

  private func phone(_ number: String?) -> JSONValue {
    let phone: JSONValue = ["key": "phone_number", "type": "phone", "displayName": "Phone"]
    return phone.adding("profile", number.map { ["phoneNumber": .string($0)] })
  }

  @Test(
    "Enrollments are told apart by their names, their numbers, or a count"
  )
  func enrollments() throws {
    try expectEqual(
      choices([
        ("Security Key", passkey("MacBook Touch ID")), ("Security Key", passkey("YubiKey 5C")),
      ]), ["Security Key (MacBook Touch ID)", "Security Key (YubiKey 5C)"])
    try expectEqual(
      choices([
        ("Phone", phone("+1 XXX 0142")), ("Phone", phone("+1 XXX 0177")), ("Phone", phone(nil)),
        ("phone", phone(nil)),
      ]),
      ["Phone (+1 XXX 0142)", "Phone (+1 XXX 0177)", "Phone (1)", "phone (2)"])

    try expectEqual(
      choices([
        ("Phone", phone("+1 XXX 0142")), ("Phone", phone("+1 XXX 0142")),
        ("Key", passkey("Mine")), ("Key", passkey("Mine")),
      ]),
      ["Phone (+1 XXX 0142) (1)", "Phone (+1 XXX 0142) (2)", "Key (Mine) (1)", "Key (Mine) (2)"])

    try expectEqual(
      choices([
        ("Key", passkey("Key")), ("Key", passkey("Key")), ("Key (2)", passkey("Key")),
        ("Key (1)", passkey("Key")),
      ]), ["Key (3)", "Key (4)", "Key (2)", "Key (1)"])

    let long = String(repeating: "a", count: 500)
    let labels = try choices([(long + "1", phone(nil)), (long + "2", phone(nil))])
    expect(Set(labels).count == 2 && labels.allSatisfy { $0.count < 200 })
  }

  @Test("An authenticator without a name is called by its key")
  func noName() throws {
    let app: JSONValue = ["key": "google_otp", "displayName": " "]
    let new: JSONValue = ["key": "future_thing"]
    try expectEqual(choices([("", app), (" ", new)]), ["Google Authenticator", "Future thing"])
    let step = try Wire.step(
      Wire.document(
        [Wire.form("challenge-authenticator", [["name": "credentials"]])], [Wire.current(app)]))
    expectEqual(Screen(step).title, "Verify with Google Authenticator")
  }

  private func provider(_ id: String, _ name: String) -> JSONValue {
    Wire.form(
      "redirect-idp", href: "https://\(id).example/", method: "GET", [],
      [("idp", ["id": .string(id), "name": .string(name)])])
  }

  @Test("Actions with one name get what distinguishes them, and the same action is there once")
  func actions() throws {
    let resend = Wire.form("resend")
    let phone: JSONValue = ["key": "phone_number", "displayName": "Phone", "resend": resend]
    let forms = [
      Wire.form("challenge-authenticator", [["name": "passcode"]]), resend,
      provider("a", "Partner"), provider("b", "Partner"), provider("c", "Other"),
    ]
    let screen = Screen(try Wire.step(Wire.document(forms, [Wire.current(phone)])))
    expectEqual(
      screen.options.map(\.label),
      [
        "Send it again", "Sign in with Partner (a)", "Sign in with Partner (b)",
        "Sign in with Other", "Quit",
      ])
    expectEqual(screen.options.compactMap(\.provider?.id), ["a", "b", "c"])
    let unnamed = Screen(
      try Wire.step(Wire.document([forms[0], provider("0oaNameless", " ")])))
    expectEqual(unnamed.options.first?.label, "Sign in with an identity provider")
    expectEqual(screen.json["options"]?[1]?["provider"], ["id": "a", "name": "Partner"])
  }

  @Test("Of several pages, none opens by itself; a single one does, and is named")
  func pages() async throws {
    func screen(_ forms: [JSONValue]) async throws -> Screen {
      let step = try Wire.step(Wire.document(forms))
      guard case .ask(let screen, _) = try await Handlers.showing().decide(step) else {
        throw CancellationError()
      }
      return screen
    }
    let several = try await screen([provider("a", "A"), provider("b", "B"), provider("c", "C")])
    expect(!several.startsByItself && several.title == "Choose how to sign in")
    expectEqual(
      ([several.action] + several.options).map(\.label),
      ["Sign in with A", "Sign in with B", "Sign in with C", "Quit"])
    expectEqual(several.action.provider, Screen.Option.Provider(id: "a", name: "A"))
    let equal = try await screen([
      provider("a", "A"), provider("b", "B"), provider("c", "A"), provider("d", "A"),
    ])
    expectEqual(
      ([equal.action] + equal.options).map(\.label),
      [
        "Sign in with A (a)", "Sign in with B", "Sign in with A (c)", "Sign in with A (d)", "Quit",
      ])
    let single = try await screen([provider("a", "A")])
    expect(single.startsByItself && single.title == "Sign in with A")
  }

  @Test("Every step that this version knows has words for people")
  func words() throws {
    for name in Remediation.Name.known {
      let screen = Screen(try Wire.step(Wire.document([Wire.form(name.rawValue)])))
      let ends: Set = ["issue", "success-redirect", "failure-redirect"]
      guard !ends.contains(name.rawValue) else { continue }
      let spelled = name.rawValue.replacing("-", with: " ")
      expect(screen.title.lowercased() != spelled || name == "identify", "\(name)")
    }
  }
}
