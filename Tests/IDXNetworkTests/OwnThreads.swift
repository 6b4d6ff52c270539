import IDXNetwork
import IDXTesting
import Testing

/// Gives each test threads of its own, so that no connection stays open while the test waits for a thread.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
  var isRecursive: Bool { true }

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withOwnThreads(function)
  }
}

extension Trait where Self == OwnThreads {
  static var ownThreads: Self { OwnThreads() }
}

extension URLSessionTransport.Limits {
  /// A time in which every request ends, however busy the machine is.
  static let patient = patient(body: 4 << 20)

  static func patient(body: Int) -> Self { Self(time: .seconds(3600), body: body) }
}
