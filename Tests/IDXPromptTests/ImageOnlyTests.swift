import IDXBase
import IDX
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

@Suite struct ImageOnlyTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "image-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
  }

  private func sit() throws -> TerminalSession {
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
      The server sends the key only as an image with a QR code, which is not drawn
      here. Save the image, open it and scan it; then delete it, since whoever has
      it has the key.

    """

  @Test("The image is saved for its owner alone")
  func saved() async throws {
    let path = folder.appending(path: "key.png").path
    var session = try sit()
    try await session.answer("leave it): ", path)
    try await session.type("\u{4}", at: "Code from the app: ")
    _ = try await session.end()
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == Array("PNG!".utf8))
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    #expect(session.shown.hasPrefix(Self.introduction + "Save it to (Enter to leave it): "))
    #expect(session.shown.hasSuffix("\n  ✓ Saved to \(path).\nCode from the app: \n"))
    try FileManager.default.removeItem(at: folder)
  }

  @Test("A file that is there is left alone, and another name is asked for")
  func existing() async throws {
    let path = folder.appending(path: "there").path
    try Data("mine".utf8).write(to: URL(filePath: path))
    var session = try sit()
    try await session.answer("leave it): ", path)
    try await session.answer("leave it): ", folder.path + "/no/such/folder")
    try await session.answer("leave it): ", folder.path + "/new")
    try await session.type("\u{4}", at: "Code from the app: ")
    _ = try await session.end()
    #expect(try Array(Data(contentsOf: URL(filePath: path))) == Array("mine".utf8))
    #expect(FileManager.default.fileExists(atPath: folder.path + "/new"))
    let unwrapped = session.shown.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(unwrapped.contains("✗ \(path) already exists and was not changed."))
    #expect(unwrapped.contains("/no/such/folder cannot be written: No such file or directory."))
    try FileManager.default.removeItem(at: folder)
  }

  @Test("Enter goes on without saving, and Ctrl-D gives up", arguments: ["\n", "\u{4}"])
  func left(keys: String) async throws {
    var session = try sit()
    try await session.type(keys, at: "leave it): ")
    if keys == "\n" { try await session.type("\u{4}", at: "Code from the app: ") }
    #expect(try await session.end().isCancelled)
    let asked = keys == "\n" ? "Code from the app: \n" : ""
    #expect(session.shown == Self.introduction + "Save it to (Enter to leave it): \n" + asked)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try FileManager.default.removeItem(at: folder)
  }
}
