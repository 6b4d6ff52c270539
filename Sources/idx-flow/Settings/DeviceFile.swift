import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXStorage
import IDXSystem

/// The file with the cookies by which orgs know this computer again, one jar for each org and profile.
///
/// It is in the folder of credentials, and stays when somebody signs out. Without it, each sign-in would be one from a
/// new device. What cannot be read counts as missing, because it must not prevent a sign-in.
struct DeviceFile {
  fileprivate struct Device: Codable {
    let org: String
    let profile: String
    let cookies: CookieJar
  }

  let path: String
  private let locks: FileCredentialStore

  /// The file in the folder of credentials; throws if there is no such folder.
  init(_ environment: [String: String]) throws {
    let folder = try CredentialStores.dataFolder(environment: environment)
    path = folder + "/devices.json"
    locks = FileCredentialStore(folder: folder)
  }

  /// The cookies with which a sign-in to an org begins; nil if there are none.
  func cookies(of issuer: URL, profile: String) -> CookieJar? {
    devices().first { $0.isOf(issuer, profile) }?.cookies.device
  }

  /// Saves the cookies of a sign-in that has succeeded, if the org has sent any.
  func save(_ cookies: CookieJar, of issuer: URL, profile: String) async throws {
    let cookies = cookies.device
    guard !cookies.isEmpty, self.cookies(of: issuer, profile: profile) != cookies else { return }
    try await change { devices in
      devices.removeAll { $0.isOf(issuer, profile) }
      devices.append(
        Device(org: Origin(issuer).description, profile: profile, cookies: cookies))
    }
  }

  /// Forgets what an org knows this computer by; nil stands for all orgs, or all profiles.
  ///
  /// Returns whether there was something.
  func forget(_ issuer: URL?, profile: String?) async throws -> Bool {
    guard devices().contains(where: { $0.isOf(issuer, profile) }) else { return false }
    try await change { $0.removeAll { $0.isOf(issuer, profile) } }
    return true
  }

  private func devices() -> [Device] {
    let file = InputFile(path: path)
    guard !file.isMissing, !file.isSpecial, let data = try? file.readTrusted() else { return [] }
    // One that is damaged must not lose the others.
    let entries = (try? JSONValue(parsing: data))?.array ?? []
    return entries.compactMap { try? JSONDecoder().decode(Device.self, from: Data($0.bytes)) }
  }

  private func change(_ body: @escaping @Sendable (inout [Device]) -> Void) async throws {
    try await locks.withLock(on: Self.lock) {
      var devices = devices()
      body(&devices)
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      let bytes = Array(try encoder.encode(devices))
      try FileReplacement.replaceWithFolder(URL(fileURLWithPath: path), with: bytes)
    }
  }

  private static let lock = Credential.ID.lock(on: "the devices")
}

extension DeviceFile.Device {
  /// Whether it is for an org, and for a profile; nil stands for any.
  fileprivate func isOf(_ issuer: URL?, _ profile: String?) -> Bool {
    issuer.map { org == Origin($0).description } ?? true
      && profile.map { $0 == self.profile } ?? true
  }
}
