import IDXOAuth
import IDX
import IDXFlow

/// Remembers the events of a coordinator, one line each.
actor EventLog {
  private(set) var lines: [String] = []

  func add(_ event: FlowEvent) { lines.append(Self.line(for: event)) }

  func count(of prefix: String) -> Int { lines.count { $0.hasPrefix(prefix) } }

  private static func line(for event: FlowEvent) -> String {
    switch event {
    case .received(let state):
      "received " + (state.response.remediations.first?.name.rawValue ?? "no form")
    case .submitting(let form): "submitting \(form.name)"
    case .accepted(let form, let authenticator):
      "accepted \(form.name)" + (authenticator?.key.map { " of \($0)" } ?? "")
    case .waiting(let form, let time): "waiting \(time.components.seconds) s for \(form.name)"
    }
  }
}

/// Calls a body, and hands back the error of the engine that it throws.
func flowError<T>(_ body: () async throws -> T) async throws -> FlowError {
  do { _ = try await body() } catch let error as FlowError { return error }
  throw NothingThrown()
}

struct NothingThrown: Error {}
