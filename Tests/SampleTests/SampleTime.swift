import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport

/// The time of the samples: what they wait for takes no time, because waiting moves the clock of the simulated org.
enum SampleTime {
  /// How a sample waits.
  @TaskLocal static var sleep: @Sendable (Duration) async throws -> Void = { _ in
    throw UnexpectedWait()
  }

  struct UnexpectedWait: Error {}

  /// Runs a sample that signs in to an org.
  ///
  /// Time passes only while a phone has to do something. Otherwise somebody types a code, and a wait lasts until they
  /// have.
  static func run<Value: Sendable>(
    _ org: SimulatedOrg, _ sample: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await $sleep.withValue({ time in
      if await org.pushes(for: TestSignIn.login).isEmpty { try await untilCanceled() }
      try await pass(time, of: org)
    }) { try await sample() }
  }

  /// Lets time pass at the org.
  static func pass(_ time: Duration, of org: SimulatedOrg) async throws {
    try Task.checkCancellation()
    org.advance(by: time / .seconds(1))
  }

  /// Waits until there is news.
  static func untilCanceled() async throws {
    let (news, continuation) = AsyncStream<Void>.makeStream()
    for await _ in news {}
    withExtendedLifetime(continuation) {}
    throw CancellationError()
  }
}

// The samples call these in place of those of the libraries, which would wait.

extension Task where Success == Never, Failure == Never {
  static func sleep(for time: Duration) async throws { try await SampleTime.sleep(time) }
}

extension FlowCoordinator {
  init(client: any FlowClient, handlers: Handlers) {
    self.init(client: client, handlers: handlers, sleep: SampleTime.sleep)
  }
}

extension SignInModel {
  convenience init(client: any FlowClient) {
    self.init(client: client, sleep: SampleTime.sleep)
  }
}
