import Expectations
import IDX
import IDXBase
import IDXFlow
import IDXQRCode
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The server sends only an image of a QR code, which can be read.
struct AuthenticatorAppPageTests {
  private static let keyURI =
    "otpauth://totp/demo.okta.example:ada%40example.com?secret=TRR7EJM4CMPA5QVH"
    + "&issuer=demo.okta.example"
  private static let verifyURI =
    "oktaverify://ada@example.com/?t=invented0transaction&f=autVERIFY00000inv01"
    + "&s=https://demo.okta.example&issuer=demo.okta.example&isIdxEnabled=true"

  /// The members of a response about an app that is set up with an image.
  private func app(_ key: String, _ name: String, showing text: String) throws -> JSONValue {
    let image = Data(try QRCode(text).png(scale: 3)).base64EncodedString()
    return .current(
      key, name,
      [
        "selectedChannel": "qrcode",
        "qrcode": [
          "method": "embedded", "type": "image/png",
          "href": .string("data:image/png;base64,\(image)"),
        ],
      ])
  }

  private func google(showing text: String) throws -> CannedServer {
    let form = JSONValue.form("enroll-authenticator", ["name": "passcode", "required": true])
    return CannedServer(
      .response([form], try app("google_otp", "Google Authenticator", showing: text)))
  }

  private func oktaVerify() throws -> CannedServer {
    CannedServer(
      .response(
        [.form("enroll-poll")], try app("okta_verify", "Okta Verify", showing: Self.verifyURI)))
  }

  @Test("The key in an image is shown like a key that was sent as text")
  func key() async throws {
    let (shown, _) = try await TerminalSession.play(
      google(showing: Self.keyURI), ["Code: ": "\u{4}"])
    expectEqual(
      shown,
      """
      Set up Google Authenticator
        account ada@example.com, issuer demo.okta.example, 6 digits every 30 s
        \(Self.keyURI)
        Type this key into the app:  TRR7 EJM4 CMPA 5QVH
      Code: \n
      """)
  }

  @Test("A QR code without a key for time-based codes is drawn with the name of the app")
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
    try await session.answer(["Code: ": "\u{4}"])
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
    try await session.answer(["skip): ": "\u{4}"])
    try await expect(session.end().isCancelled)
    expect(!session.shown.contains("Scan this QR code"))

    session = try TerminalSession(google(showing: ""), drawsQRCodes: true)
    try await session.answer(["skip): ": "\u{4}"])
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

  private func play(
    _ lines: KeyValuePairs<String, String>
  ) async throws -> (shown: String, result: Result<Outcome, any Error>) {
    let code: JSONValue = [
      "method": "embedded", "type": "image/png", "href": "data:image/png;base64,UE5HIQ==",
    ]
    let form = JSONValue.form("enroll-authenticator", ["name": "passcode", "required": true])
    let app = JSONValue.current("google_otp", "Google Authenticator", ["qrcode": code])
    return try await TerminalSession.play(CannedServer(.response([form], app)), lines)
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
    let new = folder.path + "/new"
    let (shown, _) = try await play([
      "skip): ": path, "skip): ": folder.path + "/no/such/folder", "skip): ": new,
      "Code: ": "\u{4}",
    ])
    try expectEqual(Array(Data(contentsOf: URL(filePath: path))), Array("mine".utf8))
    try expectEqual(Array(Data(contentsOf: URL(filePath: new))), Array("PNG!".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: new)
    expectEqual(attributes[.posixPermissions] as? Int, 0o600)
    expectPrefix(shown, Self.introduction + "Save the image as (Enter to skip): ")
    expectSuffix(shown, "\n  ✓ Saved to \(new).\nCode: \n")
    let unwrapped = shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    expectContains(unwrapped, "✗ \(path) already exists and was not changed.")
    expectContains(unwrapped, "/no/such/folder cannot be written: No such file or directory.")
    try FileManager.default.removeItem(at: folder)
  }

  @Test("Enter continues without saving, and Ctrl-D cancels", arguments: ["\n", "\u{4}"])
  func left(keys: String) async throws {
    let (shown, result) = try await play(
      keys == "\n" ? ["skip): ": "", "Code: ": "\u{4}"] : ["skip): ": keys])
    expect(result.isCancelled)
    let asked = keys == "\n" ? "Code: \n" : ""
    expectEqual(shown, Self.introduction + "Save the image as (Enter to skip): \n" + asked)
    try expectEmpty(FileManager.default.contentsOfDirectory(atPath: folder.path))
    try FileManager.default.removeItem(at: folder)
  }
}
