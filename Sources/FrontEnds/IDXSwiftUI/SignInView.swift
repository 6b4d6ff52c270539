#if canImport(SwiftUI)
  import Accessibility
  import Foundation
  import IDX
  public import IDXFlow
  public import IDXOAuth
  public import SwiftUI
  import os

  /// A whole sign-in, from the username to the tokens, with every step that the built-in screens have.
  ///
  /// It starts by itself when it appears:
  ///
  ///     SignInView(client: client, configuration: configuration) { credential in
  ///       await credentials.keep(credential)
  ///     }
  ///
  /// Colors and fonts are those of the environment (`tint(_:)`, `font(_:)`); ``SignInStyle`` has a logo. Texts are in
  /// the language of the app. The view needs a `NavigationStack` or a sheet of the app's own around it, if any.
  public struct SignInView: View {
    @State private var model: SignInModel
    private let configuration: FlowConfiguration
    private let options: StartOptions
    private let goal: Goal?
    private let words: Words
    private let pages: any WebPages
    private let onSignIn: @MainActor (Credential) async -> Void
    private let onCancel: (@MainActor () -> Void)?
    /// Whether `onSignIn` has the credential and has not returned.
    @State private var isKeeping = false
    @Environment(\.signInScreens) private var screens

    /// Creates a view with a sign-in of its own.
    ///
    /// - Parameters:
    ///   - client: The client of the protocol.
    ///   - configuration: The org and the app.
    ///   - options: What to ask of the server at the start.
    ///   - goal: What the person does first, such as resetting a password; nil to sign in.
    ///   - words: The texts; nil for those in the language of the app.
    ///   - passkeys: Answers requests to a passkey, such as `SystemPasskeys`; nil if the app has none.
    ///   - fastPass: Passes challenges to Okta Verify on this computer; nil if the app cannot.
    ///   - pages: Opens pages, such as those of identity providers.
    ///   - onCancel: Called when the person quits, such as to close a sheet; nil if nothing is to be closed.
    ///   - onSignIn: Takes the credential, such as ``/IDXFlow/CredentialModel/keep(_:)``: once for each sign-in,
    ///     also if the view was replaced meanwhile and appears again.
    public init(
      client: any FlowClient, configuration: FlowConfiguration,
      options: StartOptions = StartOptions(), goal: Goal? = nil,
      words: Words? = nil,
      passkeys: (any PasskeyProvider)? = nil, fastPass: (any FastPassProvider)? = nil,
      pages: any WebPages = SystemWebPages(), onCancel: (@MainActor () -> Void)? = nil,
      onSignIn: @escaping @MainActor (Credential) async -> Void
    ) {
      let words = words ?? .ofApp
      let model = SignInModel(
        client: client,
        handlers: .showing(Screens(words: words), log: { Self.report($0, "\($1)") }),
        passkeys: passkeys,
        fastPass: fastPass)
      self.init(
        model, configuration: configuration, options: options, goal: goal, words: words,
        pages: pages, onCancel: onCancel, onSignIn: onSignIn)
    }

    /// Creates a view of a model that the app keeps, such as one with handlers of screens of its own, or with a sign-in
    /// that it has restored (``/IDXFlow/SignInModel/restore(_:)``).
    ///
    /// `words` are those of the texts before and after the screens. See the other initializer for the rest.
    public init(
      _ model: SignInModel, configuration: FlowConfiguration,
      options: StartOptions = StartOptions(), goal: Goal? = nil,
      words: Words? = nil,
      pages: any WebPages = SystemWebPages(), onCancel: (@MainActor () -> Void)? = nil,
      onSignIn: @escaping @MainActor (Credential) async -> Void
    ) {
      _model = State(wrappedValue: model)
      self.configuration = configuration
      self.options = options
      self.goal = goal
      self.words = words ?? .ofApp
      self.pages = pages
      self.onCancel = onCancel
      self.onSignIn = onSignIn
    }

    /// The current screen, or how the sign-in has ended.
    public var body: some View {
      // One view, whose modifiers do not belong to each part.
      ZStack {
        if let screen = model.screen {
          // A new screen is a new view: its field gets the focus, and its page is opened.
          view(of: screen).id(screen.number)
        } else {
          SignInEnd(
            phase: model.phase, problem: model.problem,
            isDone: model.isCredentialTaken && !isKeeping, words: words,
            again: start, cancel: { model.cancel() }, leave: onCancel)
        }
      }
      .task {
        if case .idle = model.phase { start() } else { deliver() }
      }
      .onChange(of: model.phase.isEnd) {
        deliver()
        if let problem = model.problem, case .failed(.error(let error)) = model.phase {
          // The description of an error of another package may contain anything.
          Self.report(problem, (error as? FlowError).map { "\($0)" } ?? "\(type(of: error))")
        }
        if case .cancelled = model.phase { onCancel?() }
      }
    }

    @ViewBuilder private func view(of screen: Screen) -> some View {
      let builtIn = ScreenView(model: model, screen: screen, pages: pages)
      if let screens { screens(screen, model, AnyView(builtIn)) } else { builtIn }
    }

    private func start() { model.start(configuration, options, goal: goal) }

    /// Writes the details of a problem to the log of the system, with the reference that the person sees.
    private nonisolated static func report(_ problem: SignInProblem, _ details: String) {
      Logger(subsystem: "idx-flow", category: "sign-in")
        .error("\(problem.reference, privacy: .public): \(details, privacy: .public)")
    }

    /// Passes the credential on, in a task that does not end with the view.
    private func deliver() {
      guard let credential = model.takeCredential() else { return }
      isKeeping = true
      Task {
        await onSignIn(credential)
        isKeeping = false
      }
    }
  }

  /// Before the first screen, and after the last one.
  struct SignInEnd: View {
    let phase: FlowPhase
    let problem: SignInProblem?
    /// Whether the app has the credential, but still shows this view: it could not keep it, or the person has signed
    /// out.
    let isDone: Bool
    let words: Words
    let again: @MainActor () -> Void
    let cancel: @MainActor () -> Void
    /// What the app does when the person leaves; nil if nothing.
    let leave: (@MainActor () -> Void)?

    var body: some View {
      Form {
        Section {
          if isBusy {
            BusyView(words: words, cancel: phase.isEnd ? nil : cancel)
          } else {
            if let problem {
              ProblemText(problem.title(in: words)).font(.title2)
                .accessibilityAddTraits(.isHeader)
            }
            ForEach(messages, id: \.self) { Text($0) }
            if let problem {
              Text(problem.referenceText(in: words)).font(.caption).foregroundStyle(.secondary)
            }
            MainButton(
              label: words.app(problem == nil ? "app.sign-in" : "app.try-again"), action: again)
            if problem != nil, let leave {
              Button(words.app("app.cancel"), role: .cancel, action: leave)
            }
          }
        }
      }
      .formStyle(.grouped)
      .announcing((problem.map { [$0.title(in: words)] } ?? []) + messages)
    }

    private var isBusy: Bool {
      switch phase {
      case .idle, .authenticating, .waiting: true
      case .signedIn: !isDone
      default: false
      }
    }

    private var messages: [String] {
      switch phase {
      case .completed(let state): state.response.allMessages.compactMap(\.text)
      case .failed: problem.map { [$0.text(in: words)] } ?? []
      case .cancelled: [words.app("app.signed-out")]
      default: []
      }
    }
  }

  /// A problem: in red, and with a sign for those who do not see colors.
  struct ProblemText: View {
    let text: String

    init(_ text: String) { self.text = text }

    var body: some View {
      Label(text, systemImage: "exclamationmark.circle").foregroundStyle(.red)
    }
  }

  extension Words {
    /// The words in the language of the app.
    static var ofApp: Words { .preferred(Bundle.main.preferredLocalizations) }

    /// A text of an app; in English if a table does not have it.
    func app(_ key: Key, _ values: [String: String] = [:]) -> String {
      text(key, values) ?? ""
    }
  }

  extension View {
    /// Lets assistive technologies say texts that have just appeared.
    func announcing(_ texts: [String]) -> some View {
      onChange(of: texts, initial: true) {
        guard !texts.isEmpty else { return }
        AccessibilityNotification.Announcement(texts.joined(separator: " ")).post()
      }
    }
  }
#endif
