import Expectations
import Foundation
import IDXOAuth
import Testing

@testable import idx_flow

/// The file of devices.
struct DeviceFileTests {
  private let home: TemporaryFolder
  private let issuer: URL

  init() throws {
    home = try TemporaryFolder()
    issuer = try require(URL(string: "https://id.shop.example/oauth2/default"))
  }

  /// The file with entries in JSON, as if somebody had changed it.
  private func file(_ entries: String...) throws -> DeviceFile {
    try FileManager.default.createDirectory(
      atPath: home.path("idx-flow"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let path = try home.file("idx-flow/devices.json", "[\(entries.joined(separator: ","))]")
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return try DeviceFile(["XDG_DATA_HOME": home.path("")])
  }

  private func entry(profile: String, cookies: String) -> String {
    """
    {"org": "https://id.shop.example", "profile": "\(profile)",
     "cookies": {"issuer": "\(issuer)", "cookies": [\(cookies)]}}
    """
  }

  /// A cookie that is valid for a very long time.
  private func cookie(_ name: String, _ value: String, lasts: Bool = true) -> String {
    #"{"name": "\#(name)", "value": "\#(value)", "path": "/"\#(lasts ? #", "expiresAt": 9e9"# : "")}"#
  }

  private func header(of jar: CookieJar?) -> String? { jar?.header(for: issuer, at: Date()) }

  @Test("Cookies that somebody has added to the file are not sent")
  func addedCookies() throws {
    let cookies = [
      cookie("sid", "of-another-person"), cookie("DT", "known"), cookie("idx", "1"),
    ]
    let devices = try file(entry(profile: "default", cookies: cookies.joined(separator: ",")))
    let sent = devices.cookies(of: issuer, profile: "default")
    expectEqual(header(of: sent), "DT=known")
    let short = try file(entry(profile: "default", cookies: cookie("DT", "short", lasts: false)))
    expectEqual(header(of: short.cookies(of: issuer, profile: "default")), nil)
  }

  @Test("A damaged entry does not lose the others, also when another one is saved")
  func damagedEntry() async throws {
    let good = entry(profile: "default", cookies: cookie("DT", "known"))
    let damaged = entry(profile: "other", cookies: cookie("DT", "a;b"))
    let devices = try file("7", damaged, #"{"org": 1}"#, good, "null")
    expectEqual(header(of: devices.cookies(of: issuer, profile: "default")), "DT=known")
    expectEqual(devices.cookies(of: issuer, profile: "other"), nil)
    let known = try require(devices.cookies(of: issuer, profile: "default"))
    try await devices.save(known, of: issuer, profile: "third")
    for profile in ["default", "third"] {
      expectEqual(header(of: devices.cookies(of: issuer, profile: profile)), "DT=known")
    }
  }
}
