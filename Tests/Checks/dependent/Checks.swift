import Foundation

/// Runs a protocol client, a credential store and a front-end that use public means only.
@main
struct Checks {
  static func main() async {
    do {
      try await ClientChecks.run()
      try await StoreChecks.run()
      try await FrontEndChecks.run()
      print("A client, a store and a front-end of another package work.")
    } catch {
      print("failed: \(error)")
      exit(1)
    }
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
}

func expect(_ condition: Bool, _ expectation: String) throws {
  if !condition { throw Failure(description: expectation) }
}
