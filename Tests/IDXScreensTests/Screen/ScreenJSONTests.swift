import Expectations
import Foundation
import IDX
import IDXBase
@testable import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import SignInSupport
import Testing

/// Screens as JSON.
struct ScreenJSONTests {
  private func screen(_ change: (inout Screen) -> Void = { _ in }) -> Screen {
    var screen = Screen(
      title: "Verify", host: "id.shop.example",
      action: Screen.Option(id: "", label: "Continue", role: .submit))
    change(&screen)
    return screen
  }

  /// A screen with all that a screen can have, though not at the same time.
  private func full() throws -> Screen {
    let issuer = try require(URL(string: "https://id.shop.example"))
    return screen { screen in
      screen.number = 3
      screen.attempt = 2
      screen.startsByItself = true
      screen.person = .init(username: "ada@example.com", changeID: "cancel")
      screen.messages = [.init(.error, "Wrong.\nTry again.")]
      screen.notes = ["A note."]
      screen.lists = [.init(title: "It wants:", items: ["Your email"])]
      screen.consent = .init(inputID: "consent", allow: "Allow", deny: "Deny")
      screen.unsupported = "It needs a browser."
      screen.wait = .init(
        text: "Waiting", number: "47", instruction: "Choose 47.",
        end: Date(timeIntervalSince1970: 1_800_000_000), interval: .milliseconds(2500))
      screen.setUp = AuthenticatorApp(
        name: "Google Authenticator",
        uri: OTPAuthURI(issuer: "Shop", account: "ada", secret: "JBSWY3DPEHPK3PXP"), image: nil)
      screen.userCode = UserCode(
        "WDJB-MJHT", at: issuer, completeAddress: issuer.appending(path: "all"))
      screen.page = .init(url: issuer, redirectURI: "com.example.shop:/callback")
      screen.passkey = .sign(
        PasskeyRequestOptions(site: "id.shop.example", issuer: issuer, challenge: [1]))
      screen.autoFillPasskey = PasskeyRequestOptions(
        site: "id.shop.example", issuer: issuer, challenge: [2])
      screen.link = URL(string: "com-okta-authenticator:/deviceChallenge?challengeRequest=a.b.c")
      var option = Screen.Option(
        id: "redirect-idp", label: "Google", role: .identityProvider, reason: "No password?",
        isProminent: true)
      option.page = issuer
      screen.options = [option]
      screen.inputs = [Self.secret, Self.choice]
    }
  }

  private static var secret: Screen.Input {
    var secret = Screen.Input(
      id: "credentials.passcode", kind: .secret, label: "Password", isRequired: true,
      suggestion: "hunter2-typed", contentType: .newPassword)
    secret.hint = "A new one."
    secret.rules = ["at least 8 characters"]
    secret.problem = "It is too short."
    secret.repeats = "other"
    secret.isKept = true
    return secret
  }

  private static var choice: Screen.Input {
    let phone = Screen.Input(
      id: "phone", kind: .text, label: "Number", isRequired: false, suggestion: "+1",
      contentType: .telephone)
    let sms = Screen.Choice(id: "sms", label: "SMS", inputs: [phone], position: 0)
    return Screen.Input(id: "way", kind: .choice([sms]), label: "Way", isRequired: true)
  }

  @Test("Every part of a screen has a member; what is nil has none, and lists are always there")
  func complete() throws {
    let json = try full().json
    expectEqual(json["number"], 3)
    expectEqual(json["person"], ["username": "ada@example.com", "change": "cancel"])
    expectEqual(json["messages"], [["kind": "error", "text": "Wrong.\nTry again."]])
    expectEqual(json["lists"], [["title": "It wants:", "items": ["Your email"]]])
    expectEqual(json["consent"], ["input": "consent", "allow": "Allow", "deny": "Deny"])
    expectEqual(
      json["wait"],
      [
        "text": "Waiting", "interval": 2500, "number": "47", "instruction": "Choose 47.",
        "end": "2027-01-15T08:00:00.000Z",
      ])
    expectEqual(json["setUp"]?["key"], "JBSW Y3DP EHPK 3PXP")
    expectEqual(
      json["setUp"]?["uri"], "otpauth://totp/Shop:ada?secret=JBSWY3DPEHPK3PXP&issuer=Shop")
    expectEqual(json["setUp"]?["image"]?.string?.hasPrefix("data:image/png;base64,iVBOR"), true)
    expectEqual(json["userCode"]?["completeAddress"], "https://id.shop.example/all")
    expectEqual(json["userCode"]?["image"]?.string?.hasPrefix("data:image/png;base64,iVBOR"), true)
    expectEqual(
      json["page"],
      ["redirectURI": "com.example.shop:/callback", "url": "https://id.shop.example"])
    expectEqual(json["passkey"]?["request"], "sign")
    expectEqual(json["passkey"]?["options"]?["challenge"], "AQ")
    expectEqual(json["autoFillPasskey"]?["challenge"], "Ag")
    expectEqual(
      json["options"]?[0],
      [
        "id": "redirect-idp", "label": "Google", "role": "identity_provider", "prominent": true,
        "reason": "No password?", "page": "https://id.shop.example",
      ])
    expectEqual(
      json["inputs"]?[0],
      [
        "id": "credentials.passcode", "kind": "secret", "label": "Password", "required": true,
        "keyboard": "text", "rules": ["at least 8 characters"], "kept": true,
        "hint": "A new one.", "contentType": "new-password", "problem": "It is too short.",
        "repeats": "other",
      ])
    let nested = json["inputs"]?[1]?["choices"]?[0]
    expectEqual(nested?["id"], "sms")
    expectEqual(nested?["inputs"]?[0]?["suggestion"], "+1")
    expectEqual(json["startsByItself"], true)
    expectEqual(json["unsupported"], "It needs a browser.")
    try write([full()], "complete")

    expectEqual(
      screen().json,
      [
        "number": 0, "title": "Verify", "host": "id.shop.example", "attempt": 1,
        "startsByItself": false, "messages": [], "notes": [], "lists": [], "inputs": [],
        "action": ["id": "", "label": "Continue", "role": "submit", "prominent": false],
        "options": [],
      ])
  }

  @Test("A page that must not be opened has the reason in place of its address")
  func danger() throws {
    let page = try require(URL(string: "http://other.example/page?token=hunter2"))
    let screen = screen { $0.page = .init(url: page, redirectURI: "com.example:/c") }
    let json = screen.json
    expect(json["page"]?["url"] == nil && json["page"]?["danger"]?.string?.isEmpty == false)
    expect(!json.text.contains("hunter2"))
    try write([screen], "danger")
  }

  @Test("An app without a key has the image of the server, if it is one")
  func images() {
    func image(_ mediaType: String) -> JSONValue? {
      let image = IDXAuthenticator.Image(mediaType: mediaType, bytes: [1])
      return screen { $0.setUp = .init(name: "App", uri: nil, image: image) }.json["setUp"]?[
        "image"]
    }
    expectEqual(image("image/jpeg"), "data:image/jpeg;base64,AQ==")
    expectEqual(image("text/html"), nil)
  }

  @Test("A time of a server that is too long for a number does not end the process")
  func longTimes() throws {
    let challenge: JSONValue = [
      "challenge": "AQID", "timeout": .number(.init(Int.max)), "userVerification": "required",
    ]
    let form = Wire.form(
      "challenge-authenticator",
      [["name": "credentials", "form": ["value": [["name": "authenticatorData"]]]]])
    let authenticator: JSONValue = [
      "type": "security_key", "key": "webauthn",
      "contextualData": ["challengeData": challenge],
    ]
    let step = try Wire.step(Wire.document([form], [Wire.current(authenticator)]))
    let options = try PasskeyRequestOptions(step)
    expectEqual(options.json["timeout"]?.integer, 1 << 53)
    let wait = screen { $0.wait = .init(text: "Waiting", interval: .seconds(Int64.max)) }
    expectEqual(wait.json["wait"]?["interval"]?.integer, 1 << 53)
  }

  /// Writes screens for `Tests/Checks/test_front_end.py`, if it asks for them.
  private func write(_ screens: [Screen], _ name: String) throws {
    guard let folder = ProcessInfo.processInfo.environment["SCREEN_JSON_FOLDER"] else { return }
    try Data(screens.map { $0.json.text + "\n" }.joined().utf8)
      .write(to: URL(filePath: folder).appending(path: "\(name).jsonl"))
  }
}
