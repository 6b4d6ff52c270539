import Foundation
import IDXFlow
import IDXNetwork
import IDXBase
import IDXOAuth
import IDXPrompt
import IDXStorage

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Selects a credential for a command, and runs requests with it.
struct CredentialAccess {
  static let demo = OptionSpec("--demo", "use the credentials and the org of signin --demo")
  /// The options that select the store, and how the result is printed.
  static let storeOptions = [demo, StoreChoice.option, LanguageChoice.option, .json]
  /// The options of a command that sends requests with a credential, and prints no JSON of its own.
  static let plainRequestOptions = requestOptions.filter { $0.name != OptionSpec.json.name }
  /// The options of a command that sends requests with a credential.
  static let requestOptions =
    [Selection.user] + Selection.appOptions + storeOptions
    + [NetworkOptions.caFile, RequestTrace.option]

  let store: any CredentialStore
  private let call: CommandCall
  private let isDemo: Bool
  private let notesUnreadable: Bool

  /// Of each credential that cannot be read, a note says why, unless that was said before.
  init(_ call: CommandCall, notesUnreadable: Bool = true) async throws {
    (self.call, self.notesUnreadable) = (call, notesUnreadable)
    isDemo = call.has(Self.demo)
    store = try await StoreChoice.store(call, isDemo: isDemo)
  }

  /// All credentials that can be read, and whether that is all of them; notes each that cannot be read.
  func credentials() async throws -> (credentials: [Credential], isComplete: Bool) {
    let entries = try await store.entries()
    for case .unreadable(let error) in entries where notesUnreadable {
      call.streams.note("idx-flow: \(CommandFailure(error).sentenceWithRemedy)")
    }
    let readable = entries.compactMap(\.credential)
    let credentials = readable.filter { !$0.isOfOrg }.sorted(by: CredentialText.order)
    return (credentials, readable.count == entries.count)
  }

  /// The credential that the options select; by default the current one.
  func selected() async throws -> Credential {
    let selection = try Selection(call)
    guard selection.isEmpty else {
      let (found, isComplete) = try await allSelected()
      guard let first = found.first else {
        throw isComplete ? try await noMatch() : Self.unreadable
      }
      guard found.count > 1 else { return first }
      let current = selection.isProfileAlone ? try await store.currentID() : nil
      guard let chosen = found.first(where: { $0.id == current }) else {
        throw Self.severalMatch(found)
      }
      return chosen
    }
    if let current = try await current() { return current }
    let (others, isComplete) = try await credentials()
    if let profile = currentProfile, !others.isEmpty {
      let own = others.filter(profile.isOwner)
      guard own.isEmpty else { throw Self.severalMatch(own) }
      guard isComplete else { throw Self.unreadable }
      throw nobody(withProfileNamed: profile.name, others: others)
    }
    guard let other = others.first else {
      throw isComplete ? noCredentials : Self.unreadable
    }
    if isComplete, others.count == 1 { return other }
    throw CommandFailure(
      .signInNeeded,
      "There is no current credential. Select one with --user, or make one the current one: "
        + "\(text(of: other).useCommand(among: others))", code: Self.noCurrent)
  }

  /// The current credential, which is used if nothing is named; nil if there is none.
  ///
  /// It is of the current profile, also if the last sign-in in this store was with another one.
  func current() async throws -> Credential? {
    let last: Credential? =
      if let id = try await store.currentID() { try await store.credential(id) } else { nil }
    guard let profile = currentProfile, last.map(profile.isOwner) != true else { return last }
    let own = try await store.entries().compactMap(\.credential).filter {
      !$0.isOfOrg && profile.isOwner(of: $0)
    }
    return own.count == 1 ? own[0] : nil
  }

  /// Makes a credential the current one, and its profile with it.
  func makeCurrent(_ credential: Credential) async throws {
    try await store.makeCurrent(credential.id)
    if !isDemo { await call.rememberCurrentProfile(of: credential) }
  }

  /// The profile that was chosen; nil if none was, or if it cannot be read.
  private var currentProfile: Profile? {
    isDemo ? nil : try? ProfileFile(call.environment).currentProfile()
  }

  /// The code of the failure for credentials of which none is the current one.
  static let noCurrent = "no_current_credential"

  /// The credentials that the options select, by default all; and whether all could be read.
  ///
  /// Throws if the profile does not exist, and no credential has its name.
  func allSelected() async throws -> (credentials: [Credential], isComplete: Bool) {
    let (credentials, isComplete) = try await credentials()
    let selection = try selection
    let found = selection.selected(of: credentials)
    if let name = selection.profile?.name, !selection.isProfileSaved, found.isEmpty, isComplete {
      throw try ProfileFile(call.environment).missing(name)
    }
    return (found, isComplete)
  }

  /// That only the credentials of the profile in `IDX_FLOW_PROFILE` count; nil if nothing limits them unseen.
  func limit() throws -> Sentence? {
    let selection = try selection
    guard selection.isOfVariable, let profile = selection.profile else { return nil }
    return
      "Only credentials of the profile “\(profile.name.sanitized)” are listed, because IDX_FLOW_PROFILE is set."
  }

  /// What the options and the environment select.
  var selection: Selection { get throws { try Selection(call) } }

  private var noCredentials: CommandFailure {
    let options = [Setting.issuer, .clientID].map(\.option).compactMap { option in
      call[option].map { " \(option.name) \($0.shellWord)" }
    }
    let signIn = "idx-flow signin" + (isDemo ? " --demo" : options.joined()).sanitized
    return CommandFailure(
      .signInNeeded, "You are not signed in: there are no credentials in \(store.place).",
      remedy: "Sign in: \(signIn)")
  }

  /// The failure if no credential matches, although all can be read.
  func noMatch() async throws -> CommandFailure {
    let others = try await credentials().credentials
    if let profile = try selection.profile {
      return nobody(withProfileNamed: profile.name, others: [])
    }
    guard !others.isEmpty else { return noCredentials }
    let option = isDemo ? " --demo" : ""
    return CommandFailure(
      .signInNeeded, "No credential in \(store.place) matches. See: idx-flow list\(option)")
  }

  private func nobody(
    withProfileNamed name: String, others: [Credential]
  ) -> CommandFailure {
    let signIn = Profile.signInCommand(name, in: call.environment)
    return CommandFailure(
      .signInNeeded, "Nobody is signed in with the profile “\(name.sanitized)”.",
      remedy: others.isEmpty
        ? "Sign in: \(signIn)"
        : "Sign in: \(signIn)\nTo use one of the other credentials, run idx-flow use")
  }

  /// The failure if several credentials match.
  static func severalMatch(_ credentials: [Credential]) -> CommandFailure {
    let lines = credentials.map { "\n  \(CredentialText($0).line)" }.joined()
    return CommandFailure(
      .usage,
      "Several credentials match. Select one with --user, --profile, --issuer and --client-id:\(lines)"
    )
  }

  /// The failure if the credential may be one that cannot be read.
  static let unreadable = CommandFailure(
    .storeFailed, "The credential may be one of those that cannot be read.")

  /// Runs requests with a credential.
  ///
  /// A cancellation of the task cancels them; if `isWatched`, a signal does too. Tokens that the server may have replaced
  /// or revoked by then are still saved, unless that takes too long.
  func use<Result: Sendable>(
    _ credential: Credential, isWatched: Bool = true,
    _ body: @escaping @Sendable (CredentialSession) async throws -> Result
  ) async throws -> Result {
    try await use(credential, isWatched: isWatched) { session, _ in try await body(session) }
  }

  /// Runs requests with a credential, also others than the credential session sends, over the same transport.
  func use<Result: Sendable>(
    _ credential: Credential, isWatched: Bool = true,
    _ body: @escaping @Sendable (CredentialSession, any Transport) async throws -> Result
  ) async throws -> Result {
    let isInterrupted = Locked(false)
    let transport: any Transport =
      try isDemo
      ? RequestTrace.ifAsked(call, try DemoOrg(call.environment))
      : call.retrying(
        PatientTransport(try call.transport(for: credential.id)) { [streams = call.streams] host in
          guard isatty(STDERR_FILENO) == 1, !isInterrupted.withLock({ $0 }) else { return }
          streams.note("Waiting for \(host.sanitized)…")
        }, limit: Self.retryLimit)
    let session = CredentialSession(
      credential.id, store: store, client: TokenClient(transport: transport))
    let task = Task { try await body(session, transport) }
    let watch = isWatched ? SignalWatch(terminal: nil) { _ in task.cancel() } : nil
    defer { watch?.end() }
    do {
      return try await withTaskCancellationHandler {
        try await task.value
      } onCancel: {
        task.cancel()
      }
    } catch is CancellationError {
      isInterrupted.withLock { $0 = true }
      // In a task of its own, which is not canceled.
      await Task { await finish(session) }.value
      throw CancellationError()
    } catch let error as CredentialStoreError {
      guard let sentence = await session.revokeUnsavedTokens() else { throw error }
      throw CommandFailure(
        .storeFailed,
        "\(CommandFailure(error).sentence) The server has already replaced the old tokens, so sign in again: "
          + "\(text(of: credential).signInCommand). \(sentence)", code: error.code.rawValue)
    } catch let error as FlowError {
      throw error.asksForSignIn
        ? CommandFailure(error, signingInAgain: text(of: credential))
        : CommandFailure(error, refreshing: credential)
    }
  }

  /// Waits for an answer with new tokens, for some time, so that they are saved.
  private func finish(_ session: CredentialSession) async {
    let note = Task { [streams = call.streams] in
      try await Task.sleep(for: .milliseconds(500))
      streams.note(
        "idx-flow waits up to 10 s, so that no new token is lost. To end now, press Ctrl-C again."
      )
    }
    defer { note.cancel() }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await session.finish() }
      group.addTask { try? await Task.sleep(for: Self.cancelTimeout) }
      await group.next()
      group.cancelAll()
    }
  }

  /// Names a session that is kept, and how to end it.
  func note(keptSession credential: Credential) {
    let org = credential.id.issuer.absoluteString
    let words =
      ["idx-flow", "signout"] + (isDemo ? [Self.demo.name] : [])
      + [Setting.issuer.option.name, org.shellWord]
      + (credential.id.label.map { [Profile.option.name, $0.shellWord] } ?? [])
    let command = words.joined(separator: " ").sanitized
    let user = CredentialText(credential).user
    call.streams.note(
      "The session of \(user) at \(org.sanitized) is kept. To end it, run \(command)")
  }

  /// A credential as text, with commands for a person to copy.
  func text(of credential: Credential) -> CredentialText {
    CredentialText(credential, isDemo: isDemo, call.environment)
  }

  /// How long a request may be repeated; a person without a network should not wait long to sign out.
  private static let retryLimit: Duration = .seconds(2)

  /// How long the command waits for the server after a signal.
  private static let cancelTimeout: Duration = .seconds(10)
}

extension CommandCall {
  /// Makes the profile of a credential the current one, or none if it has no profile; a failure is only noted, because
  /// the credential is chosen.
  func rememberCurrentProfile(of credential: Credential) async {
    do {
      let file = try ProfileFile(environment)
      let name = credential.id.label ?? Profile.defaultName
      let isOwner = try file.profile(named: name)?.isOwner(of: credential) == true
      try await file.makeCurrent(isOwner ? name : nil)
    } catch {
      let reason = CommandFailure(error).sentence.sanitized
      streams.note("idx-flow: The current profile is not remembered. \(reason)")
    }
  }
}

extension CommandFailure {
  /// Creates the failure for an error after which the person has to sign in again.
  init(_ error: FlowError, signingInAgain text: CredentialText) {
    let reason = CommandFailure(error).sentence
    self.init(
      .signInNeeded,
      text.expiry.map { "The access token expired \($0). \(reason)" } ?? reason, cause: error,
      remedy: "Sign in: \(text.signInCommand)")
  }

  /// Creates the failure for an error of a request with a credential: the same cause has the same explanation and
  /// status as in a sign-in.
  init(_ error: any Error, refreshing credential: Credential) {
    let id = credential.id
    let configuration = try? FlowConfiguration(
      issuer: id.issuer.absoluteString, clientID: id.clientID, scopes: credential.tokens.scopes)
    if let configuration {
      self.init(
        error, signingInTo: configuration, grantType: "Refresh Token",
        networkRemedy: CommandFailure.networkRemedy)
    } else {
      self.init(error)
    }
  }
}

/// The credentials that `--user`, `--profile`, `--issuer` and `--client-id` select, or the variable
/// `IDX_FLOW_PROFILE` if none of the last three is given.
struct Selection {
  static let user = OptionSpec("--user", value: "NAME", of: .user, "the whole username or user ID")
  static let profile = Profile.option.with(help: "the org and the app of a profile")
  /// The options that select an org and an app.
  static let appOptions = [profile, Setting.issuer.option, Setting.clientID.option]

  /// The profile whose credentials are selected; nil if none is named.
  let profile: Profile?
  /// Whether it has settings; without any, it may have been removed, and credentials still have its name.
  let isProfileSaved: Bool
  /// Whether only the variable `IDX_FLOW_PROFILE` names the profile.
  let isOfVariable: Bool
  private let user: String?
  private let issuer: String?
  private let clientID: String?

  init(_ call: CommandCall) throws {
    let (issuer, clientID) = (call[Setting.issuer.option], call[Setting.clientID.option])
    if let issuer { _ = try FlowConfiguration(issuer: issuer, clientID: clientID ?? "unknown") }
    let isOther = call.has(CredentialAccess.demo) || issuer != nil || clientID != nil
    let chosen = call[Self.profile]
    let name = chosen ?? (isOther ? nil : Profile.chosen(in: call.environment))
    isOfVariable = name != nil && chosen == nil
    let saved = try name.flatMap { try ProfileFile(call.environment).profile(named: $0) }
    isProfileSaved = saved != nil
    profile = saved ?? name.map { Profile(name: $0, values: [:]) }
    user = call[Self.user]
    self.issuer = issuer ?? profile?[.issuer]
    self.clientID = clientID ?? profile?[.clientID]
  }

  /// The named profile, or else the current one if nothing is selected.
  func profileOrCurrent(_ call: CommandCall) throws -> Profile? {
    guard isEmpty, !call.has(CredentialAccess.demo) else { return profile }
    return try ProfileFile(call.environment).profile(named: Profile.usual(in: call.environment))
  }

  /// Whether nothing is selected.
  var isEmpty: Bool { user == nil && issuer == nil && clientID == nil && profile == nil }

  /// Whether a profile is named and nothing else.
  var isProfileAlone: Bool { profile != nil && user == nil }

  /// The selected ones of some credentials.
  ///
  /// Those of a profile have its name; credentials of earlier versions have none, and only the app of the profile.
  func selected(of credentials: [Credential]) -> [Credential] {
    let found = credentials.filter(matches)
    guard let profile else { return found }
    // The default name stands for credentials without one, of any app.
    guard isProfileSaved || profile.credentialLabel != nil else { return [] }
    let own = found.filter { $0.id.label == profile.credentialLabel }
    return own.isEmpty && isProfileSaved && (issuer != nil || clientID != nil)
      ? found.filter { $0.id.label == nil } : own
  }

  /// Whether what is kept beside tokens is selected: that of the org, the profile and the person, and without any
  /// selection that of the org of the current credential.
  ///
  /// `selected` are the credentials that are selected: a user ID, or an app, leads to their people and orgs.
  func selects(
    kept credential: Credential, beside current: Credential.ID?, and selected: [Credential]
  ) -> Bool {
    let org = issuer ?? (isEmpty ? current?.issuer.absoluteString : nil)
    let isAtOrg = org.flatMap { URL(string: IssuerText.addingScheme(to: $0)) }
      .map { Origin($0) == Origin(credential.id.issuer) }
    let isOfUser =
      user == nil || user == credential.username
      || selected.contains { $0.username != nil && $0.username == credential.username }
    let isOfApp =
      clientID == nil || issuer != nil
      || selected.contains { Origin($0.id.issuer) == Origin(credential.id.issuer) }
    return isAtOrg ?? true && isOfUser && isOfApp
      && (profile == nil || profile?.credentialLabel == credential.id.label)
  }

  private func matches(_ credential: Credential) -> Bool {
    let id = credential.id
    return (user == nil || user == credential.username || user == id.subject)
      && (issuer.map { IssuerText.areSame($0, id.issuer.absoluteString) } ?? true)
      && (clientID == nil || clientID == id.clientID)
  }
}
