public import IDXFlow
public import IDXOAuth
public import Observation

/// A sign-in for a user interface with observable state, such as SwiftUI.
///
/// It shows one screen after the other and polls by itself. Bind the fields to ``values``, and call
/// ``submit()`` and ``choose(_:)`` for the buttons:
///
///     @State var model = SignInModel(client: client)
///
///     if let screen = model.screen {
///       Text(screen.title)
///       ForEach(screen.visibleInputs(with: model.values)) { input in … model.values[input.id] … }
///       Button(screen.action.label) { model.submit() }.disabled(!model.isAsking)
///     }
///
/// A second reply to the same screen is not sent. A reply that cannot be used shows the screen again with
/// the problems.
@MainActor @Observable
public final class SignInModel {
  /// The phase of the sign-in.
  public private(set) var phase = FlowPhase.idle
  /// The screen, also while a request is under way; nil before the first screen and after the end.
  public private(set) var screen: Screen?
  /// The values of the inputs by their IDs, at first the suggested ones.
  public var values: [Screen.Input.ID: String] = [:]
  /// Whether the person can reply now; false while a request is under way.
  public private(set) var isAsking = false
  /// What the server has just accepted, such as “Sent again.”; nil if the screen shows it.
  public private(set) var confirmation: String?
  /// The last state, which can be saved (``IDXFlow/FlowState/snapshot()``) and restored; nil before the
  /// first response, and after the end.
  public private(set) var state: FlowState?

  @ObservationIgnored private let client: any FlowClient
  @ObservationIgnored private let screens: Screens
  @ObservationIgnored fileprivate let passkeys: (any PasskeyProvider)?
  @ObservationIgnored private let limits: FlowLimits
  @ObservationIgnored private let sleep: @Sendable (Duration) async throws -> Void
  @ObservationIgnored private(set) var task: Task<Void, Never>?
  /// The number of the current sign-in, because an earlier one may still be ending.
  @ObservationIgnored private var current = 0
  /// Where the reply to the screen goes; nil if it has one.
  @ObservationIgnored private var replies: AsyncStream<Reply>.Continuation?

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - client: The client of the protocol.
  ///   - screens: The screens and their words.
  ///   - passkeys: Answers requests to a passkey; nil if the app has none.
  ///   - limits: The limits of the sign-in.
  ///   - sleep: Waits between polls.
  public init(
    client: any FlowClient, screens: Screens = Screens(), passkeys: (any PasskeyProvider)? = nil,
    limits: FlowLimits = FlowLimits(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    var screens = screens
    if passkeys != nil { screens.canUsePasskeys = true }
    self.screens = screens
    self.passkeys = passkeys
    self.limits = limits
    self.sleep = sleep
  }

  /// Starts a sign-in; one that is under way is cancelled.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions = StartOptions(),
    goal: Goal? = nil
  ) {
    run { try await $0.run(configuration, options, goal: goal) }
  }

  /// Continues a sign-in that was saved; one that is under way is cancelled.
  public func restore(_ state: FlowState) {
    run { try await $0.run(from: state) }
  }

  /// Sends the inputs, or does what the main action is instead.
  public func submit() { reply(.submit(values)) }

  /// Chooses an option.
  public func choose(_ option: Screen.Option.ID) { reply(.choose(option)) }

  /// Replies to the screen, such as with the address that a browser returned to; ignored unless
  /// ``isAsking``.
  public func reply(_ reply: Reply) {
    guard let replies else { return }
    if reply == .cancel || reply == .choose(Screen.quitID) { return cancel() }
    withdraw(of: current)
    confirmation = nil
    // A password is not needed any more.
    for input in screen?.visibleInputs(with: values) ?? [] where input.kind == .secret {
      values[input.id] = nil
    }
    replies.yield(reply)
    replies.finish()
  }

  /// Cancels the sign-in; the server is told.
  public func cancel() {
    withdraw(of: current)
    task?.cancel()
  }

  /// Waits until the sign-in has ended.
  public func end() async { await task?.value }

  private func run(
    _ body: @escaping @Sendable (FlowCoordinator) async throws -> Outcome
  ) {
    let before = task
    before?.cancel()
    current += 1
    let id = current
    finish(.authenticating)
    let coordinator = FlowCoordinator(
      client: client, handlers: .showing(screens, on: ModelFrontEnd(model: self, id: id)),
      limits: limits, sleep: sleep, observe: { [weak self] in await self?.take($0, of: id) })
    task = Task { [weak self] in
      await before?.value
      let phase: FlowPhase
      do { phase = FlowPhase(try await body(coordinator)) } catch { phase = FlowPhase(error) }
      guard let self, current == id else { return }
      finish(phase)
    }
  }

  deinit { task?.cancel() }

  private func finish(_ phase: FlowPhase) {
    (screen, state, confirmation) = (nil, nil, nil)
    values = [:]
    withdraw(of: current)
    self.phase = phase
  }

  private func take(_ event: FlowEvent, of id: Int) {
    guard current == id else { return }
    phase.take(event)
    switch event {
    case .received(let state): self.state = state
    case .accepted(let form, let authenticator):
      confirmation = screens.words.confirmation(of: form, authenticator)
    case .submitting, .waiting, .failed: break
    }
  }

  /// Shows a screen and returns the stream with the reply; nil if another sign-in was started.
  fileprivate func show(_ screen: Screen, of id: Int) -> AsyncStream<Reply>? {
    guard current == id else { return nil }
    let (stream, continuation) = AsyncStream.makeStream(of: Reply.self)
    // After a refusal, what was typed stays, except secrets.
    values = screen.suggestedValues
    self.screen = screen
    replies = continuation
    isAsking = true
    return stream
  }

  /// Shows a screen that needs no reply of the person.
  fileprivate func present(_ screen: Screen, of id: Int) {
    guard current == id else { return }
    withdraw(of: id)
    self.screen = screen
  }

  /// Takes no more replies to the screen.
  fileprivate func withdraw(of id: Int) {
    guard current == id else { return }
    replies = nil
    isAsking = false
  }
}

/// Passes screens and replies between the handlers and the model.
private struct ModelFrontEnd: FrontEnd {
  weak var model: SignInModel?
  let id: Int

  func reply(to screen: Screen) async throws -> Reply {
    let passkeys = model?.passkeys
    if let request = screen.passkey, let passkeys, screen.startsByItself {
      await model?.present(screen, of: id)
      return try await request.reply(from: passkeys)
    }
    // The stream ends without a reply if the task is cancelled, because there is news.
    guard let replies = await model?.show(screen, of: id),
      let reply = await replies.first(where: { _ in true })
    else {
      await model?.withdraw(of: id)
      throw CancellationError()
    }
    if let request = screen.passkey, let passkeys, screen.isMain(reply) {
      return try await request.reply(from: passkeys)
    }
    return reply
  }
}

extension Screen {
  /// The values to begin with, by the IDs of the inputs.
  public var suggestedValues: [Input.ID: String] {
    let suggested = visibleInputs(with: [:]).map { ($0.id, $0.suggestion) }
    return Dictionary(suggested) { first, _ in first }.compactMapValues(\.self)
  }
}
