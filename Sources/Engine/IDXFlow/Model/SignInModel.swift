public import IDXBase
public import IDXOAuth
public import Observation

/// A sign-in for a user interface with observable state, such as SwiftUI.
///
/// It shows one screen after the other and polls by itself. Bind the fields to ``subscript(_:)``, and call
/// ``submit(_:)`` and ``choose(_:on:)`` for the buttons, with the screen that the view shows:
///
///     @State var model = SignInModel(client: client)
///
///     if let screen = model.screen {
///       Text(screen.title)
///       ForEach(screen.visibleInputs(with: model.values)) { TextField($0.label, text: $model[$0.id]) }
///       Button(screen.action.label) { model.submit(screen) }.disabled(!model.isAsking)
///     }
///
/// A second reply to the same screen is ignored, also if the next one is there already. A reply that cannot
/// be used shows the screen again with the problems.
@MainActor @Observable
public final class SignInModel {
  /// The phase of the sign-in.
  public private(set) var phase = FlowPhase.idle
  /// What the person is told about the failure; nil in other phases.
  ///
  /// ``phase`` has the details, which belong to a log with the same ``SignInProblem/reference``.
  public private(set) var problem: SignInProblem?
  /// Whether ``takeCredential()`` has returned the credential of this sign-in.
  public private(set) var isCredentialTaken = false
  /// The screen, also while a request is under way; nil before the first screen and after the end.
  public private(set) var screen: Screen?
  /// The values of the inputs by their IDs, at first the suggested ones.
  public var values: [Screen.Input.ID: Secret] = [:]
  /// Whether the person can reply now; false while a request is under way.
  public private(set) var isAsking = false
  /// What the server has just accepted, such as “Sent again.”; nil if the screen shows it.
  public private(set) var confirmation: String?
  /// The last state, which can be saved (``/IDXFlow/FlowState/snapshot()``) and restored; nil before the
  /// first response, and after the end.
  public private(set) var state: FlowState?

  @ObservationIgnored private let client: any FlowClient
  @ObservationIgnored private let handlers: Handlers
  @ObservationIgnored fileprivate let passkeys: (any PasskeyProvider)?
  @ObservationIgnored private let fastPass: (any FastPassProvider)?
  @ObservationIgnored private let limits: FlowLimits
  @ObservationIgnored private let sleep: @Sendable (Duration) async throws -> Void
  @ObservationIgnored private(set) var task: Task<Void, Never>?
  /// The number of the current sign-in, because an earlier one may still be ending.
  @ObservationIgnored private var current = 0
  /// How many screens were shown.
  @ObservationIgnored private var count = 0
  /// Where the reply to the screen goes; nil if it has one.
  @ObservationIgnored private var replies: AsyncStream<Reply>.Continuation?
  /// Offers what the device has saved, and passkeys beside the username.
  @ObservationIgnored private var autoFill: Task<Void, Never>?
  /// Whether the person was asked what to use of that.
  @ObservationIgnored private var hasOffered = false
  /// What was chosen of that, for a password on the next page.
  @ObservationIgnored private var chosen: (username: String, password: Secret)?
  /// Whether the person has replied to the screen, so that the next one is no news about it.
  @ObservationIgnored private var isAnswered = true

  /// Creates a model.
  ///
  /// - Parameters:
  ///   - client: The client of the protocol.
  ///   - handlers: Decide about the steps, or ask with screens.
  ///   - passkeys: Answers requests to a passkey; nil if the app has none.
  ///   - fastPass: Passes challenges to Okta Verify on this computer; nil if the app cannot. The person is asked
  ///     first, unless ``Screens/fastPass`` says that they agreed.
  ///   - limits: The limits of the sign-in.
  ///   - sleep: Waits between polls.
  public init(
    client: any FlowClient, handlers: Handlers = .showing(), passkeys: (any PasskeyProvider)? = nil,
    fastPass: (any FastPassProvider)? = nil, limits: FlowLimits = FlowLimits(),
    sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) {
    self.client = client
    var handlers = handlers
    if passkeys != nil { handlers.screens.canUsePasskeys = true }
    if fastPass != nil, handlers.screens.fastPass == .never { handlers.screens.fastPass = .asks }
    self.handlers = handlers
    self.passkeys = passkeys
    self.fastPass = fastPass
    self.limits = limits
    self.sleep = sleep
  }

  /// The value of an input; empty if it has none.
  ///
  /// A SwiftUI view binds a field to it: `TextField(input.label, text: $model[input.id])`.
  public subscript(_ id: Screen.Input.ID) -> String {
    get { values[id]?.revealed ?? "" }
    set { values[id] = Secret(newValue) }
  }

  /// The value of a toggle, as a Boolean; false if it has none.
  public subscript(isOn id: Screen.Input.ID) -> Bool {
    get { values[id] == "true" }
    set { values[id] = newValue ? "true" : "false" }
  }

  /// Starts a sign-in; one that is under way is canceled.
  ///
  /// `goal` is what the person does first, such as resetting a password.
  public func start(
    _ configuration: FlowConfiguration, _ options: StartOptions = StartOptions(),
    goal: Goal? = nil
  ) {
    run { try await $0.run(configuration, options, goal: goal) }
  }

  /// Continues a sign-in that was saved; one that is under way is canceled.
  public func restore(_ state: FlowState) {
    run { try await $0.run(from: state) }
  }

  /// Waits until the person can reply to another screen than the last one; nil at the end, and if the task
  /// is canceled.
  ///
  /// For a front-end that cannot observe, such as a loop:
  ///
  ///     var last: Screen?
  ///     while let screen = await model.next(after: last) {
  ///       model.values["identifier"] = "ada@example.com"
  ///       model.submit(screen)
  ///       last = screen
  ///     }
  public func next(after last: Screen? = nil) async -> Screen? {
    while !phase.isEnd, !Task.isCancelled {
      if isAsking, let screen, screen.number != last?.number { return screen }
      let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
      withObservationTracking {
        _ = (isAsking, screen, phase)
      } onChange: {
        continuation.finish()
      }
      for await _ in changes {}
      // The change is carried out after it was announced.
      await Task.yield()
    }
    return nil
  }

  /// Does the main action of a screen, which usually sends ``values``.
  public func submit(_ screen: Screen) { reply(.submit(values), to: screen) }

  /// Chooses a row of a screen (``/IDXFlow/Screen/choiceRows-swift.property``), and sends the answer.
  ///
  /// Of a row with inputs, it sends what is filled in. A row that is not usable does nothing.
  public func pick(_ row: Screen.ChoiceRow, on screen: Screen) {
    guard isAsking, row.isUsable, screen.number == self.screen?.number else { return }
    for pick in row.picks { self[pick.input] = pick.choice }
    submit(screen)
  }

  /// Chooses an option of a screen.
  public func choose(_ option: Screen.Option.ID, on screen: Screen) {
    reply(.choose(option), to: screen)
  }

  /// Replies to a screen, such as with the address that a browser returned to.
  ///
  /// Ignored unless ``isAsking``, and if the screen is not the current one: a second click must not answer
  /// the screen that the first one led to.
  public func reply(_ reply: Reply, to shown: Screen) {
    guard let replies, shown.number == screen?.number else { return }
    // At the end of a sign-in there is nothing to cancel any more.
    if reply.isCancel, screen?.step != nil { return cancel() }
    isAnswered = true
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

  /// The credential of a sign-in that has succeeded, once; nil if there is none, or if it was taken before.
  ///
  /// A view that may appear several times takes it here, so that it is saved once.
  public func takeCredential() -> Credential? {
    guard !isCredentialTaken, case .signedIn(let credential) = phase else { return nil }
    isCredentialTaken = true
    return credential
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
    (hasOffered, isCredentialTaken) = (false, false)
    var handlers = handlers
    handlers.frontEnd = ModelFrontEnd(model: self, id: id, fastPass: fastPass)
    let coordinator = FlowCoordinator(
      client: client, handlers: handlers, limits: limits, sleep: sleep,
      observe: { [weak self] in await self?.take($0, of: id) })
    task = Task { [weak self] in
      await before?.value
      let phase: FlowPhase
      do { phase = FlowPhase(try await body(coordinator)) } catch { phase = FlowPhase(error) }
      guard let self, current == id else { return }
      finish(phase)
    }
  }

  deinit {
    task?.cancel()
    autoFill?.cancel()
  }

  private func finish(_ phase: FlowPhase) {
    (screen, state, confirmation) = (nil, nil, nil)
    values = [:]
    chosen = nil
    isAnswered = true
    withdraw(of: current)
    problem = if case .failed(let failure) = phase { SignInProblem(failure) } else { nil }
    self.phase = phase
  }

  private func take(_ event: FlowEvent, of id: Int) {
    guard current == id else { return }
    switch event {
    case .received(let state):
      self.state = state
      // The person can still start over at the last screen.
      if !state.isAtEnd { phase.take(event) }
    case .accepted(let form, let authenticator):
      confirmation = handlers.screens.words.confirmation(of: form, authenticator)
    case .submitting, .waiting, .failed: phase.take(event)
    }
  }

  /// Shows a screen and returns the stream with the reply; nil if another sign-in was started.
  fileprivate func show(_ screen: Screen, of id: Int) -> AsyncStream<Reply>? {
    guard current == id else { return nil }
    let (stream, continuation) = AsyncStream.makeStream(of: Reply.self)
    // After a refusal, what was typed stays, except secrets.
    var suggested = screen.suggestedValues
    if !isAnswered, let old = self.screen, screen.asksTheSame(as: old) {
      suggested.merge(screen.values(stillValid: values, from: old)) { $1 }
    }
    values = suggested
    show(screen)
    replies = continuation
    isAnswered = false
    isAsking = true
    fillInChosen()
    offerSaved()
    return stream
  }

  /// Offers what the device has saved while the username is asked for; if that fails, the person can still type.
  private func offerSaved() {
    guard let screen, let passkeys, screen.input(.username) != nil else { return }
    // Nothing that was saved is for resetting a password or unlocking an account.
    let isFirst =
      !hasOffered && screen.step?.remediation.name == .identify && screen.step?.goal == nil
    if isFirst { hasOffered = true }
    autoFill = Task { [weak self] in
      if isFirst, let saved = try? await passkeys.saved(screen.autoFillPasskey) {
        self?.use(saved, on: screen)
      } else if !Task.isCancelled, let options = screen.autoFillPasskey,
        let assertion = try? await passkeys.offer(options)
      {
        self?.reply(.signed(assertion), to: screen)
      }
    }
  }

  /// Answers the screen with what the person has chosen, as far as it asks for that.
  private func use(_ saved: SavedSignIn, on shown: Screen) {
    guard isAsking, shown.number == screen?.number else { return }
    switch saved {
    case .passkey(let assertion): reply(.signed(assertion), to: shown)
    case .password(let username, let password):
      guard let name = shown.input(.username) else { return }
      values[name.id] = Secret(username)
      if let field = shown.input(.password) {
        values[field.id] = password
      } else {
        chosen = (username, password)
      }
      let isComplete = shown.visibleInputs(with: values).allSatisfy {
        !$0.isRequired || values[$0.id].map { $0 != "" } == true
      }
      if isComplete { submit(shown) }
    }
  }

  /// Fills in the password that the person has chosen, if this page asks for it; a list of ways to sign in can come
  /// between.
  private func fillInChosen() {
    guard let chosen, let screen else { return }
    let isOwn = screen.person?.username == chosen.username
    if isOwn, screen.step?.remediation.name == .selectAuthenticatorAuthenticate { return }
    self.chosen = nil
    guard isOwn, let field = screen.input(.password) else { return }
    values[field.id] = chosen.password
  }

  /// Shows a screen that needs no reply of the person.
  fileprivate func present(_ screen: Screen, of id: Int) {
    guard current == id else { return }
    withdraw(of: id)
    isAnswered = true
    show(screen)
  }

  private func show(_ screen: Screen) {
    count += 1
    self.screen = screen
    self.screen?.number = count
  }

  /// Takes no more replies to the screen.
  fileprivate func withdraw(of id: Int) {
    guard current == id else { return }
    autoFill?.cancel()
    replies = nil
    isAsking = false
  }
}

/// Passes screens and replies between the handlers and the model.
private struct ModelFrontEnd: FrontEnd {
  weak var model: SignInModel?
  let id: Int
  let fastPass: (any FastPassProvider)?

  func reply(to screen: Screen) async throws -> Reply {
    if screen.startsByItself, let reply = try await ownReply(to: screen) { return reply }
    let reply = try await typedReply(to: screen)
    return screen.isMain(reply) ? try await ownReply(to: screen) ?? reply : reply
  }

  /// The reply of a passkey or of Okta Verify; nil if the screen asks for neither.
  private func ownReply(to screen: Screen) async throws -> Reply? {
    if let request = screen.passkey, let passkeys = model?.passkeys {
      if screen.startsByItself { await model?.present(screen, of: id) }
      return try await request.reply(from: passkeys)
    }
    if let challenge = screen.deviceChallenge, let fastPass {
      return try await reply(to: challenge, at: screen.waitingForOktaVerify, fastPass)
    }
    return nil
  }

  /// The reply of the person to a screen.
  private func typedReply(to screen: Screen) async throws -> Reply {
    // The stream ends without a reply if the task is cancelled, because there is news.
    guard let replies = await model?.show(screen, of: id),
      let reply = await replies.first(where: { _ in true })
    else {
      await model?.withdraw(of: id)
      throw CancellationError()
    }
    return reply
  }

  /// The reply of Okta Verify, or of the person who chooses an option meanwhile.
  private func reply(
    to challenge: LoopbackChallenge, at screen: Screen, _ provider: any FastPassProvider
  ) async throws -> Reply {
    try await withThrowingTaskGroup(of: Reply.self) { group in
      defer { group.cancelAll() }
      group.addTask { try await challenge.reply(from: provider) }
      group.addTask { [self] in
        while true {
          let reply = try await typedReply(to: screen)
          // The main action only waits.
          if !screen.isMain(reply) { return reply }
        }
      }
      guard let reply = try await group.next() else { throw CancellationError() }
      return reply
    }
  }
}

extension Screen {
  /// The first input with a content type.
  fileprivate func input(_ type: Input.ContentType) -> Input? {
    inputs.first { $0.contentType == type }
  }

  /// The values to begin with, by the IDs of the inputs.
  var suggestedValues: [Input.ID: Secret] {
    let suggested = visibleInputs(with: [:]).map { ($0.id, $0.suggestion.map { Secret($0) }) }
    return Dictionary(suggested) { first, _ in first }.compactMapValues(\.self)
  }

  /// Whether two screens show the same form for the same authenticator.
  fileprivate func asksTheSame(as old: Screen) -> Bool {
    guard let step, let before = old.step else { return false }
    return step.remediation.name == before.remediation.name
      && step.remediation.href == before.remediation.href
      && step.authenticator?.id == before.authenticator?.id
  }

  /// The values typed at an old screen whose inputs are still there, with the same meaning.
  fileprivate func values(
    stillValid typed: [Input.ID: Secret], from old: Screen
  ) -> [Input.ID: Secret] {
    let before = Dictionary(
      old.visibleInputs(with: typed).map { ($0.id, $0.kind) },
      uniquingKeysWith: { first, _ in first })
    let inputs = visibleInputs(with: typed).filter { $0.kind == before[$0.id] }
    return typed.filter { id, _ in inputs.contains { $0.id == id } }
  }
}
