import Expectations
import IDX
import IDXBase
import IDXQRCode
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The server sends only an image of a QR code, which can be read.
struct ReadableImageTests {
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

  @Test("The key in an image is shown like a key that was sent as text")
  func key() async throws {
    var session = try TerminalSession(google(showing: Self.keyURI))
    try await session.type("\u{4}", at: "Code: ")
    try await expect(session.end().isCancelled)
    expectEqual(
      session.shown,
      """
      Set up Google Authenticator
        account ada@example.com, issuer demo.okta.example, 6 digits every 30 s
        \(Self.keyURI)
        Type this key into the app:  TRR7 EJM4 CMPA 5QVH
      Code: \n
      """)
  }

  @Test(
    "A QR code without a key for time-based codes is drawn with the name of the app"
  )
  func otherApp() async throws {
    var session = try TerminalSession(oktaVerify(), rows: 60, drawsQRCodes: true)
    _ = try await session.end()
    let drawing = try QRCode(Self.verifyURI, correction: .low).lines()
    expectContains(
      session.shown, "  Scan this QR code with Okta Verify:\n" + drawing.joined(separator: "\n"))
    expect(!session.shown.contains("oktaverify:"))
    expect(!session.shown.contains("Save it"))

    let uri = "otpauth://hotp/ada?secret=TRR7EJM4CMPA5QVH&counter=1"
    session = try TerminalSession(google(showing: uri), rows: 60, drawsQRCodes: true)
    try await session.type("\u{4}", at: "Code: ")
    _ = try await session.end()
    let other = try QRCode(uri, correction: .low).lines()
    expectContains(
      session.shown,
      "  Scan this QR code with Google Authenticator:\n" + other.joined(separator: "\n"))
  }

  @Test(
    "A QR code for another app that cannot be drawn, and an empty one, are offered as an image",
    arguments: [30, 80])
  func narrow(columns: UInt16) async throws {
    // The polls never return, so that the question stays open.
    var session = try TerminalSession(
      oktaVerify(), columns: columns, drawsQRCodes: columns == 30,
      sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    try await session.type("\u{4}", at: "skip): ")
    try await expect(session.end().isCancelled)
    expect(!session.shown.contains("Scan this QR code"))

    session = try TerminalSession(google(showing: ""), drawsQRCodes: true)
    try await session.type("\u{4}", at: "Enter to skip): ")
    try await expect(session.end().isCancelled)
  }
}

/// The server sends only an image, which cannot be read.
struct UnreadableImageTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "image-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private func makeSession() throws -> TerminalSession {
    let app: JSONValue = [
      "value": [
        "type": "app", "key": "google_otp", "displayName": "Google Authenticator",
        "contextualData": [
          "qrcode": [
            "method": "embedded", "type": "image/png", "href": "data:image/png;base64,UE5HIQ==",
          ]
        ],
      ]
    ]
    let form = JSONValue.form("enroll-authenticator", ["name": "passcode", "required": true])
    return try TerminalSession(
      CannedServer(.response([form], says: [], ["currentAuthenticator": app])))
  }

  private static let introduction = """
    Set up Google Authenticator
      The server sent the key only as an image of a QR code, which is not shown
      here. Save the image, open it and scan it. Then delete it, because it contains
      the key.

    """

  @Test(
    "The image is saved for its owner only, and an existing file is not changed",
    .promise("app-key-file"))
  func existing() async throws {
    let path = folder.appending(path: "there").path
    try Data("mine".utf8).write(to: URL(filePath: path))
    var session = try makeSession()
    try await session.answer("Enter to skip): ", path)
    try await session.answer("Enter to skip): ", folder.path + "/no/such/folder")
    try await session.answer("Enter to skip): ", folder.path + "/new")
    try await session.type("\u{4}", at: "Code: ")
    _ = try await session.end()
    try expectEqual(Array(Data(contentsOf: URL(filePath: path))), Array("mine".utf8))
    let new = folder.path + "/new"
    try expectEqual(Array(Data(contentsOf: URL(filePath: new))), Array("PNG!".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: new)
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
    expectPrefix(session.shown, Self.introduction + "Save the image as (Enter to skip): ")
    expectSuffix(session.shown, "\n  ✓ Saved to \(new).\nCode: \n")
    let unwrapped = session.shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    expectContains(unwrapped, "✗ \(path) already exists and was not changed.")
    expectContains(unwrapped, "/no/such/folder cannot be written: No such file or directory.")
    try FileManager.default.removeItem(at: folder)
  }

  @Test("Enter continues without saving, and Ctrl-D cancels", arguments: ["\n", "\u{4}"])
  func left(keys: String) async throws {
    var session = try makeSession()
    try await session.type(keys, at: "Enter to skip): ")
    if keys == "\n" { try await session.type("\u{4}", at: "Code: ") }
    try await expect(session.end().isCancelled)
    let asked = keys == "\n" ? "Code: \n" : ""
    expectEqual(session.shown, Self.introduction + "Save the image as (Enter to skip): \n" + asked)
    try expectEmpty(FileManager.default.contentsOfDirectory(atPath: folder.path))
    try FileManager.default.removeItem(at: folder)
  }
}
