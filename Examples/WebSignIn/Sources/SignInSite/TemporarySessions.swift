public import Foundation
public import IDXFlow
public import IDXScreens
import IDXOAuth
// Stand-in until the library has it.
public struct SessionPage: Sendable {
  public let id: String
  public let revision: Int
  public let screen: Screen
  public let confirmation: String?
}
public enum SessionTurn: Sendable { case page(SessionPage); case signedIn(SignIn); case ended }
public protocol SessionStore: Sendable {
  func load(_ id: String) async throws -> Data?
  func replace(_ expected: Data?, by data: Data?, for id: String, lifetime: Duration) async throws -> Bool
}
public actor MemorySessionStore: SessionStore {
  private var data: [String: Data] = [:]
  public init() {}
  public func load(_ id: String) -> Data? { data[id] }
  public func replace(_ expected: Data?, by new: Data?, for id: String, lifetime: Duration) -> Bool {
    guard data[id] == expected else { return false }
    data[id] = new
    return true
  }
}
@MainActor final class TempModels { static let shared = TempModels(); var all: [String: (SignInModel, Int)] = [:] }
public struct SignInSessions: Sendable {
  let client: any FlowClient
  let configuration: FlowConfiguration
  let screens: Screens
  public init(client: any FlowClient, configuration: FlowConfiguration, screens: Screens = Screens(), store: any SessionStore, limits: FlowLimits = FlowLimits(), lifetime: Duration = .seconds(3600)) {
    (self.client, self.configuration, self.screens) = (client, configuration, screens)
  }
  @MainActor public func start(_ options: StartOptions = StartOptions(), goal: Goal? = nil) async throws -> SessionTurn {
    let model = SignInModel(client: client, screens: screens)
    let id = RandomBytes.system.token()
    TempModels.shared.all[id] = (model, 0)
    model.start(configuration, options, goal: goal)
    return try await turn(id)
  }
  @MainActor private func turn(_ id: String) async throws -> SessionTurn {
    guard let (model, _) = TempModels.shared.all[id] else { throw FlowError(.unreadableState, "This sign-in does not exist any more. Sign in again.") }
    while true {
      switch model.phase {
      case .authorized(let credential):
        TempModels.shared.all[id] = nil
        _ = credential
        throw FlowError(.unreadableState, "Signed in as \(credential.username ?? "").")
      case .cancelled: TempModels.shared.all[id] = nil; return .ended
      case .failed(let failure): if model.screen == nil { throw FlowError(.unreadableState, failure.message) }
      default: break
      }
      if model.isAsking, let screen = model.screen {
        return .page(SessionPage(id: id, revision: TempModels.shared.all[id]!.1, screen: screen, confirmation: model.confirmation))
      }
      try await Task.sleep(for: .milliseconds(5))
    }
  }
  @MainActor public func page(of id: String) async throws -> SessionTurn { try await turn(id) }
  @MainActor public func reply(_ reply: Reply, to id: String, revision: Int?) async throws -> SessionTurn {
    guard let (model, number) = TempModels.shared.all[id] else { return try await turn(id) }
    TempModels.shared.all[id] = (model, number + 1)
    model.reply(reply)
    return try await turn(id)
  }
  @MainActor public func poll(_ id: String, revision: Int) async throws -> SessionTurn { try await turn(id) }
}
