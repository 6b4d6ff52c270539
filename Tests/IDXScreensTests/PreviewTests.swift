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
}
