public import IDXBase
public import IDX
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How a sign-in looks from outside: one value for what a screen shows, whatever the protocol.
///
/// A coordinator's events lead from one phase to the next, and what it comes to is the last:
///
///     @MainActor final class SignInModel {
///       private(set) var phase = FlowPhase.idle
///
///       func signIn(_ client: any FlowClient, _ handlers: Handlers, to org: FlowConfiguration) async {
///         phase = .authenticating
///         let coordinator = FlowCoordinator(
///           client: client, handlers: handlers,
///           observe: { [weak self] event in await self?.take(event) })
///         do { phase = FlowPhase(try await coordinator.run(org)) } catch { phase = FlowPhase(error) }
///       }
///
///       private func take(_ event: FlowEvent) { phase.take(event) }
///     }
///
/// Step by step, each state has its phase, and what is thrown has one:
///
///     do {
///       state = try await client.proceed(submission, from: state)
///       phase = FlowPhase(state)
///       if state.isSignedIn { phase = .authorized(try await client.redeem(state)) }
///     } catch { phase = FlowPhase(error) }
///
/// A state from which something was thrown is still there: where the person may try again,
/// `FlowPhase(state)` is the phase to go back to.
public enum FlowPhase: Sendable {
  /// No sign-in is on its way.
  case idle
  /// The person is asked, sent to a page, or a request is on its way; also where the sign-in has
  /// succeeded and its tokens are yet to be had and checked.
  case authenticating
  /// Something is awaited that the person does elsewhere, and there is nothing to fill in.
  case waiting(Wait)
  /// The person is signed in: the tokens are here and have passed every check.
  case authorized(Credential)
  /// The server offers nothing more and calls nothing wrong, and there are no tokens: a new password,
  /// an unlocked account, as the messages of the response say.
  case done(FlowState)
  /// It came to nothing.
  case failed(Failure)
  /// It was given up.
  case cancelled

  /// What is awaited.
  public struct Wait: Sendable {
    /// What the person does it with, such as the app that shows a push; nil where the server does not
    /// say.
    public let authenticator: IDXAuthenticator?
    /// The number to pick there, as sent; nil where none is wanted.
    public let number: String?
    /// When the step expires; nil where the server does not say.
    public let expiresAt: Date?
  }

  /// Why it came to nothing.
  public enum Failure: Sendable {
    /// It could not be done; a ``FlowError`` unless a handler of the app's own has thrown.
    case error(any Error)
    /// The server offers nothing more; the messages of the response say why.
    case ended(FlowState)
  }

  /// Where a sign-in stands.
  public init(_ state: FlowState) {
    guard !state.isAtEnd else {
      self = state.endsSuccessfully ? .done(state) : .failed(.ended(state))
      return
    }
    guard !state.isSignedIn, let form = state.response.remediations.first, form.isPolled,
      form.form.inputs().isEmpty
    else {
      self = .authenticating
      return
    }
    let authenticator = state.response.currentAuthenticator
    self = .waiting(
      Wait(
        authenticator: authenticator, number: authenticator?.numberChallenge,
        expiresAt: state.response.expiresAt))
  }

  /// What a coordinator has come to.
  public init(_ outcome: Outcome) {
    switch outcome {
    case .signedIn(let signIn): self = .authorized(signIn.credential)
    case .ended(let state): self.init(state)
    case .cancelled: self = .cancelled
    }
  }

  /// What something that was thrown has made of it.
  public init(_ error: any Error) {
    self = error is CancellationError ? .cancelled : .failed(.error(error))
  }

  /// Goes on with what a coordinator tells.
  ///
  /// A poll is no news, so that the screen stands still until one brings some.
  public mutating func take(_ event: FlowEvent) {
    switch event {
    case .received(let state): self = FlowPhase(state)
    case .submitting(let form): if !form.isPolled { self = .authenticating }
    case .accepted, .waiting: break
    }
  }
}

extension FlowPhase: Redacted {
  /// The phase, without what belongs to it.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .authenticating: "authenticating"
    case .waiting: "waiting"
    case .authorized: "authorized"
    case .done: "done"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}

extension FlowPhase.Wait: Redacted {
  /// What is waited for, without the number.
  public var description: String { "wait for \(authenticator?.description ?? "something")" }
}

extension FlowPhase.Failure: Redacted {
  /// Whether it is an error or an end; an error's own words where it is the engine's.
  public var description: String {
    switch self {
    case .error(let error as FlowError): "error: \(error)"
    case .error(let error): "error: \(type(of: error))"
    case .ended: "end"
    }
  }
}
