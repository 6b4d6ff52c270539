public import IDX
public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The phase of a sign-in: one value for what a screen shows, for every protocol.
///
/// The events of a coordinator lead from one phase to the next, and its outcome or error is the last:
///
///     let coordinator = FlowCoordinator(
///       client: client, handlers: handlers, observe: { event in await show(event) })
///     do { phase = FlowPhase(try await coordinator.run(configuration)) } catch { phase = FlowPhase(error) }
///
/// Without a coordinator, each state and each error has its phase. After an error, the state before it
/// is still valid. If the person may try again, go back to `FlowPhase(state)`.
///
/// A later version may add a phase or a kind of failure: a `switch` over all of them then needs a new case.
public indirect enum FlowPhase: Sendable, Equatable {
  /// No sign-in has started.
  case idle
  /// The person is asked something or is on a web page, a request is under way, or the tokens are being
  /// fetched and checked.
  case authenticating
  /// The server waits for something that the person does elsewhere, and nothing must be filled in.
  case waiting(Wait)
  /// The person is signed in, and the tokens have passed every check.
  case signedIn(Credential)
  /// What the person wanted is done, and there are no tokens, for example after a new password or an
  /// unlocked account. The messages of the response say what happened.
  case completed(FlowState)
  /// The sign-in failed.
  case failed(Failure)
  /// The sign-in was canceled.
  case cancelled

  /// Whether the sign-in has ended, in any way.
  public var isEnd: Bool {
    switch self {
    case .signedIn, .completed, .failed, .cancelled: true
    case .idle, .authenticating, .waiting: false
    }
  }

  /// Why the sign-in failed, for the person; nil in other phases.
  public var message: String? {
    if case .failed(let failure) = self { failure.message } else { nil }
  }

  /// What the server waits for.
  public struct Wait: Sendable, Equatable {
    /// The authenticator, such as the app that shows a push; nil if the server does not say.
    public let authenticator: IDXAuthenticator?
    /// The number to choose in the app; nil if the push needs none.
    public let number: String?
    /// When the step expires; nil if the server does not say.
    public let expiresAt: Date?

    /// Creates a wait, for a preview or a test.
    public init(
      authenticator: IDXAuthenticator? = nil, number: String? = nil, expiresAt: Date? = nil
    ) {
      self.authenticator = authenticator
      self.number = number
      self.expiresAt = expiresAt
    }
  }

  /// Why a sign-in failed.
  public indirect enum Failure: Sendable, Equatable {
    /// A ``/IDXOAuth/FlowError``, or an error that a handler of the app threw.
    case error(any Error)
    /// The sign-in ended without tokens and is not completed. The messages of the response say why.
    case ended(FlowState)

    /// What happened, for the person; may contain texts of the server.
    ///
    /// The errors of other packages may contain secrets, so only those with a description for people
    /// (`LocalizedError`) are quoted.
    public var message: String { "\(sentence)" }

    /// The message, which has a translation unless others wrote it.
    package var sentence: Sentence {
      switch self {
      case .error(let error as FlowError): return error.sentence(error.message)
      case .error(let error):
        let text = (error as? any LocalizedError)?.errorDescription
        return text.map(Sentence.init(text:))
          ?? Sentence(template: "The sign-in failed.", named: "failure.other")
      case .ended:
        return serverText.map(Sentence.init(text:))
          ?? Sentence(
            template: "The sign-in ended, and you are not signed in.", named: "failure.ended")
      }
    }

    /// Why the server has ended the sign-in, in its words; nil if it does not say, or for an error.
    var serverText: String? {
      guard case .ended(let state) = self else { return nil }
      let text = state.response.allMessages.last { $0.isError }?.text
      return text.map { TextSanitizer().clean($0.shortened()) }
    }

    /// Whether both have the same message, and errors the same type.
    public static func == (left: Failure, right: Failure) -> Bool {
      switch (left, right) {
      case (.ended(let left), .ended(let right)): left == right
      case (.error(let first), .error(let second)):
        type(of: first) == type(of: second) && left.message == right.message
      default: false
      }
    }
  }

  /// The phase of a state, for an app that goes step by step.
  public init(_ state: FlowState) {
    if state.isAtEnd {
      self = state.endsSuccessfully ? .completed(state) : .failed(.ended(state))
    } else if !state.isSignedIn, let form = state.response.remediations.first, form.isPolled,
      !form.form.hasMissingValues
    {
      let authenticator = state.response.currentAuthenticator
      self = .waiting(
        Wait(
          authenticator: authenticator, number: authenticator?.numberChallenge,
          expiresAt: state.response.expiresAt))
    } else {
      self = .authenticating
    }
  }

  /// The last phase of a sign-in that a coordinator ran.
  public init(_ outcome: Outcome) {
    switch outcome {
    case .signedIn(let signIn): self = .signedIn(signIn.credential)
    // A handler can end a sign-in whose state could be continued (``Decision/end``).
    case .ended(let state):
      self = state.endsSuccessfully ? .completed(state) : .failed(.ended(state))
    case .cancelled: self = .cancelled
    }
  }

  /// The phase after an error: ``cancelled`` for a `CancellationError`, otherwise ``failed(_:)``.
  public init(_ error: any Error) {
    self = error is CancellationError ? .cancelled : .failed(.error(error))
  }

  /// Updates the phase after an event of a coordinator; a poll without news changes nothing.
  public mutating func take(_ event: FlowEvent) {
    switch event {
    case .received(let state): self = FlowPhase(state)
    case .submitting(let form): if !form.isPolled { self = .authenticating }
    case .accepted, .failed, .waiting: break
    }
  }
}

extension FlowPhase: Redacted {
  /// The name of the phase.
  public var description: String {
    switch self {
    case .idle: "idle"
    case .authenticating: "authenticating"
    case .waiting: "waiting"
    case .signedIn: "signed in"
    case .completed: "completed"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
  }
}

extension FlowPhase.Wait: Redacted {
  /// The authenticator, without the number.
  public var description: String { "wait for \(authenticator?.description ?? "something")" }
}

extension FlowPhase.Failure: Redacted {
  /// The text of a ``/IDXOAuth/FlowError``, or the type of another error, which may contain secrets.
  public var description: String {
    switch self {
    case .error(let error as FlowError): "error: \(error)"
    case .error(let error): "error: \(type(of: error))"
    case .ended: "end"
    }
  }
}
