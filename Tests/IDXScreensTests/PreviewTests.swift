import Expectations
import Foundation
import IDX
import IDXFlow
import IDXOAuth
import Testing

/// Values for previews.
struct PreviewTests {
  @Test("A screen of every kind can be made without a server")
  func screens() throws {
    let issuer = try require(URL(string: "https://id.shop.example"))
    var screen = Screen(
      title: "Verify", host: "id.shop.example",
      action: Screen.Option(id: "", label: "Continue", role: .submit))
    screen.inputs = [
      Screen.Input(
        id: "code", kind: .text, label: "Code", isRequired: true, contentType: .oneTimeCode)
    ]
    screen.wait = Screen.Wait(text: "Waiting", number: "47")
    screen.page = Screen.Page(url: issuer, redirectURI: "com.example.shop:/callback")
    screen.passkey = .sign(
      PasskeyRequestOptions(site: "id.shop.example", issuer: issuer, challenge: [1]))
    screen.autoFillPasskey = PasskeyRequestOptions(
      site: "id.shop.example", issuer: issuer, challenge: [1])
    screen.setUp = AuthenticatorApp(
      name: "Google Authenticator",
      uri: OTPAuthURI(issuer: "Shop", account: "ada", secret: "JBSWY3DPEHPK3PXP"), image: nil)
    expectEqual(screen.setUp?.keyInGroups, "JBSW Y3DP EHPK 3PXP")
    expectEqual(screen.dangerOfPage, nil)
    screen.passkey = .create(
      PasskeyCreationOptions(
        site: "id.shop.example", issuer: issuer,
        user: .init(id: [1], name: "ada", displayName: "Ada"), challenge: [1]))
    expect(FlowPhase.waiting(.init(number: "47")) != .waiting(.init(number: "48")))
    expectEqual(UserInfo(claims: ["sub": "00u", "name": "Ada"])?.name, "Ada")
  }

  @Test("A page and a passkey need more than a click, and no other reply fits them")
  func elsewhere() throws {
    let issuer = try require(URL(string: "https://id.shop.example"))
    var screen = Screen(
      title: "Verify", host: "id.shop.example",
      action: Screen.Option(id: "", label: "Continue", role: .submit))
    screen.passkey = .sign(
      PasskeyRequestOptions(site: "id.shop.example", issuer: issuer, challenge: [1]))
    let passkey = PasskeyAttestation(clientData: [1], attestationObject: [2])
    for reply in [Reply.submit([:]), .created(passkey)] {
      #expect(throws: InvalidReply.self) { try screen.decision(on: reply) }
    }
    screen.passkey = nil
    screen.page = Screen.Page(url: issuer, redirectURI: "com.example.shop:/callback")
    #expect(throws: InvalidReply.self) { try screen.decision(on: .submit([:])) }
  }

  @Test("A new password and its repetition have one problem, at the one to enter next")
  func repetition() throws {
    var screen = Screen(
      title: "Set a password", host: "id.shop.example",
      action: Screen.Option(id: "", label: "Continue", role: .submit))
    var again = Screen.Input(id: "again", kind: .secret, label: "Repeat it", isRequired: true)
    again.repeats = "new"
    screen.inputs = [
      Screen.Input(id: "new", kind: .secret, label: "New password", isRequired: true), again,
    ]
    for (values, problems) in [
      (["new": "", "again": "x"], ["new"]), (["new": "x", "again": "y"], ["new"]),
      (["new": "x", "again": ""], ["again"]),
    ] as [([Screen.Input.ID: Secret], [String])] {
      let refusal = #expect(throws: InvalidReply.self) { try screen.answers(with: values) }
      expectEqual(refusal?.problems.keys.sorted(), problems)
    }
  }

  @Test("A QR code that the server sends only as a PNG image is shown as it is")
  func image() {
    let image = IDXAuthenticator.Image(mediaType: "image/png", bytes: [1, 2])
    let app = AuthenticatorApp(name: "Okta Verify", uri: nil, image: image)
    expectEqual(app.qrCodeModules, nil)
    expectEqual(app.qrCodePNG(), [1, 2])
    expectEqual(app.keyInGroups, nil)
  }
}
