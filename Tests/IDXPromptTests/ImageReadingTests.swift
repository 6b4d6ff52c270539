import IDXBase
import IDX
import IDXQRCode
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Set-ups in which the server sends a QR code as an image, and nothing beside it.
@Suite struct ImageReadingTests {
  private static let keyURI =
    "otpauth://totp/demo.okta.example:ada%40example.com?secret=TRR7EJM4CMPA5QVH"
    + "&issuer=demo.okta.example"
  private static let verifyURI =
    "oktaverify://ada@example.com/?t=invented0transaction&f=autVERIFY00000inv01"
    + "&s=https://demo.okta.example&issuer=demo.okta.example&isIdxEnabled=true"

  private func authenticator(_ key: String, _ name: String, showing text: String) throws
    -> JSONValue
  {
    let image = Data(try QRCode(text).png(scale: 3)).base64EncodedString()
    return [
      "value": [
        "type": "app", "key": .string(key), "displayName": .string(name),
        "contextualData": [
          "selectedChannel": "qrcode",
          "qrcode": [
            "method": "embedded", "type": "image/png",
            "href": .string("data:image/png;base64,\(image)"),
          ],
        ],
      ]
    ]
  }

  private func google(showing text: String) throws -> CannedServer {
    let form = JSONValue.form("enroll-authenticator", ["name": "passcode", "required": true])
    let app = try authenticator("google_otp", "Google Authenticator", showing: text)
    return CannedServer(.response([form], says: [], ["currentAuthenticator": app]))
  }

  private func oktaVerify() throws -> CannedServer {
    let app = try authenticator("okta_verify", "Okta Verify", showing: Self.verifyURI)
    return CannedServer(
      .response([.form("enroll-poll")], says: [], ["currentAuthenticator": app]))
  }

  @Test("The key in an image is shown as a key that was sent")
  func key() async throws {
    var session = try TerminalSession(google(showing: Self.keyURI))
    try await session.type("\u{4}", at: "Code from the app: ")
    #expect(try await session.end().isCancelled)
    #expect(
      session.shown == """
        Set up Google Authenticator
          Type this key into the app:  TRR7 EJM4 CMPA 5QVH
          account ada@example.com, issuer demo.okta.example, 6 digits, every 30 s
          \(Self.keyURI)
        Code from the app: \n
        """)
  }

  @Test("A code for another app is drawn while the set-up is waited for, with the app's name")
  func otherApp() async throws {
    var session = try TerminalSession(oktaVerify(), rows: 60, drawsQRCodes: true)
    _ = try await session.end()
    let drawing = try QRCode(Self.verifyURI, correction: .low).lines(style: .plain)
    #expect(
      session.shown.contains("  Scan this with Okta Verify:\n" + drawing.joined(separator: "\n")))
    #expect(!session.shown.contains("oktaverify:"))
    #expect(!session.shown.contains("Save it"))
  }

  @Test("A code for another app that cannot be drawn is offered as an image", arguments: [30, 80])
  func narrow(columns: UInt16) async throws {
    // No poll comes to its end, so that no news takes the question away.
    var session = try TerminalSession(
      oktaVerify(), columns: columns, drawsQRCodes: columns == 30,
      sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    try await session.type("\u{4}", at: "leave it): ")
    #expect(try await session.end().isCancelled)
    #expect(!session.shown.contains("Scan this"))
  }

  @Test("An otpauth URI that no codes can be made of is drawn as it is")
  func counter() async throws {
    let uri = "otpauth://hotp/ada?secret=TRR7EJM4CMPA5QVH&counter=1"
    var session = try TerminalSession(google(showing: uri), rows: 60, drawsQRCodes: true)
    try await session.type("\u{4}", at: "Code from the app: ")
    _ = try await session.end()
    let drawing = try QRCode(uri, correction: .low).lines(style: .plain)
    #expect(
      session.shown.contains(
        "  Scan this with Google Authenticator:\n" + drawing.joined(separator: "\n")))
  }

  @Test("A QR code of nothing is offered as an image")
  func empty() async throws {
    var session = try TerminalSession(google(showing: ""), drawsQRCodes: true)
    try await session.type("\u{4}", at: "leave it): ")
    #expect(try await session.end().isCancelled)
  }
}
