import Foundation
import IDXFlow
import IDXBase
import IDXOAuth
import IDXStorage
import IDXSystem
import IDXSimulatedOrg

/// The org of the demo after the sign-in: its tokens are in a file, so that other processes can continue.
struct DemoOrg: Transport {
  private struct Saved: Codable {
    let scenario: String
    let tokens: Data
  }

  /// An API that accepts the tokens of the demo.
  static let api = "https://api.demo.okta.example"

  private let folder: String
  private let locks: FileCredentialStore

  init(_ environment: [String: String]) throws {
    folder = try StoreChoice.demoFolder(environment)
    locks = FileCredentialStore(folder: folder)
  }

  /// Responds to a request as the org that issued the tokens, one request at a time across processes.
  func send(_ request: TransportRequest) async throws -> TransportResponse {
    try await locks.withLock(on: Self.lock) {
      let saved = try read()
      let scenario = saved.flatMap { OrgScenario.named($0.scenario) } ?? .demo
      let org = SimulatedOrg(scenario)
      if let saved {
        do { try await org.restoreTokens(from: saved.tokens) } catch { throw damaged }
      }
      let response = try await SimulatedAPI(org, origin: Self.api).send(request)
      try await write(org, scenario)
      return response
    }
  }

  /// Loads the tokens that are still valid into a new org.
  func restore(into org: SimulatedOrg) async throws {
    try await locks.withLock(on: Self.lock) {
      // Tokens that cannot be read belong only to the demo, and the new sign-in replaces them.
      if let saved = try? read() { try? await org.restoreTokens(from: saved.tokens) }
    }
  }

  /// Saves the tokens that an org issued.
  func save(_ org: SimulatedOrg, _ scenario: OrgScenario) async throws {
    try await locks.withLock(on: Self.lock) { try await write(org, scenario) }
  }

  private var path: String { folder + "/org.json" }

  private var damaged: CommandFailure {
    CommandFailure(.storeFailed, "\(path) is damaged. Delete it, and sign in to the demo again.")
  }

  private func read() throws -> Saved? {
    let file = InputFile(path: path)
    guard !file.isMissing else { return nil }
    // Opening a pipe would wait for its writer.
    guard !file.isSpecial else { throw damaged }
    do { return try JSONDecoder().decode(Saved.self, from: file.read()) } catch { throw damaged }
  }

  private func write(_ org: SimulatedOrg, _ scenario: OrgScenario) async throws {
    let saved = Saved(scenario: scenario.name, tokens: try await org.savedTokens())
    do {
      try FileReplacement.replace(
        URL(fileURLWithPath: path), with: Array(JSONEncoder().encode(saved)))
    } catch {
      throw CommandFailure(
        .storeFailed, "\(path) cannot be written: \(FileReplacement.reason(of: error)).")
    }
  }

  private static let lock = Credential.ID.lock(on: "the demo's org")
}
