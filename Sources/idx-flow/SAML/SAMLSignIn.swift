import Foundation
import IDXBase
import IDXBrowserAuth
import IDXFlow
import IDXOAuth
import IDXPrompt

/// A sign-in to an app with SAML: its settings, who answers, and the way to the org.
struct SAMLSignIn {
  let app: SAMLAppAddress
  let settings: SignInSettings
  /// The profile that was chosen by name, or that names the app; nil if there is none.
  let profile: Profile?
  private let call: CommandCall

  /// The options for who answers.
  static let options = [
    Setting.username.option, Setting.factor.option, SignInOptions.script, SignInOptions.noInput,
    Setting.fastPass.option,
    Setting.rememberMe.option, KeptSession.option, Setting.userAgent.option, Setting.accept.option,
  ]

  /// The sign-in that a command line or its profile names; nil if neither names an app.
  ///
  /// `operand` is an address that is no option.
  init?(_ call: CommandCall, operand: String? = nil) throws {
    let isOther = [Setting.issuer, .clientID].map(\.option).contains(where: call.has)
    let name =
      call[Profile.option]
      ?? (isOther
        ? Profile.chosen(in: call.environment) ?? Profile.defaultName
        : Profile.usual(in: call.environment))
    let saved = try ProfileFile(call.environment).profile(named: name)
    let named =
      operand.map { ($0, "URL") }
      ?? call[SAMLAppAddress.option].map { ($0, SAMLAppAddress.option.name) }
    guard let (text, source) = named ?? saved?[.saml].map({ ($0, Setting.saml.key) }) else {
      return nil
    }
    let app = try SAMLAppAddress(text, from: source)
    let isOfOrg = saved?[.issuer].map(app.isAt) ?? false
    var options = call.options
    // What a person has decided for an org counts for the app too, whatever server the tokens are from.
    options.set(
      Setting.issuer.option, to: isOfOrg ? saved?[.issuer] ?? app.issuer : app.issuer)
    settings = try SignInSettings(options, call.environment)
    profile = isOfOrg ? saved : nil
    (self.app, self.call) = (app, call)
  }

  /// The response for a session that is kept; nil if there is none, or if the org asks for anything.
  func response(of session: KeptSession, username: String?) async throws -> SAMLResponse? {
    // A script names its own person.
    guard !call.has(SignInOptions.script), let kept = await session.cookies(of: username) else {
      return nil
    }
    let client = client(over: try transport)
    var start = StartOptions()
    start.cookies = kept.cookies
    var state = try await client.start(try configuration, start)
    guard state.endsSuccessfully else { return nil }
    let response = try await client.samlResponse(of: &state)
    await session.renew(state.cookies, of: kept.username)
    return response
  }

  /// Signs in, and returns the response of the org, which has to be used within some minutes; the session is kept if the
  /// person wants it.
  ///
  /// `terminal` of the streams is where a person is asked; nil to ask nobody.
  func response(_ streams: Streams, keeping session: KeptSession) async throws -> SAMLResponse {
    var call = call
    call.streams = streams
    let configuration = try configuration
    let answerSource = try AnswerSource(
      call, DialogOptions(call), using: try ComputerAccess(call, nil, redirectURI: nil),
      fastPass: settings.permission(for: .fastPass, usually: .asks),
      rememberDevice: settings.permission(for: .rememberMe, usually: .never))
    let transport = answerSource.transport(
      over: try call.retrying(
        settings.transport(over: call.transport()), onRetry: answerSource.report))
    let client = client(over: transport)
    let devices = try? DeviceFile(call.environment)
    var start = StartOptions()
    start.cookies = devices?.cookies(of: configuration.issuer, profile: settings.profileName)
    answerSource.greet(to: configuration.issuer, configuredIn: nil)
    var run = SignInRun(
      answerSource: answerSource, username: settings[.username]?.text,
      factors: UsualFactors(settings, at: streams.terminal))
    let outcome: Outcome
    do { outcome = try await run.run(client, configuration, start, goal: nil) } catch {
      let failure = run.history.explaining(CommandFailure(error))
      throw run.history.last == nil ? failure.explainingUnknownApp : failure
    }
    await answerSource.reportUnusedEntries()
    switch outcome {
    case .cancelled: throw CancellationError()
    case .ended(var state):
      let response: SAMLResponse
      do { response = try await client.samlResponse(of: &state) } catch {
        throw run.history.explaining(CommandFailure(error))
      }
      let username =
        (try? AWSAssertion(response))?.sessionName ?? state.response.user?.identifier
        ?? run.typedUsername
      try await session.finish(state, of: username, at: transport, streams)
      try? await devices?.save(
        state.cookies, of: configuration.issuer, profile: settings.profileName)
      if let factors = run.factors?.text, let profile {
        // The person is signed in, and chooses again if it cannot be saved.
        _ = try? await ProfileFile(call.environment).set(
          .factor, to: factors, inProfileNamed: profile.name, of: profile[.issuer] ?? app.issuer)
      }
      return response
    default:
      throw CommandFailure(.unexpected, "The sign-in ended without a SAML response.")
    }
  }

  /// The name of the step with which a sign-in begins, or why none does; nobody is signed in.
  func firstStep() async -> Result<String, CommandFailure> {
    do {
      let state = try await client(over: transport).start(configuration, StartOptions())
      return .success(
        state.response.remediations.first?.name.rawValue
          ?? Remediation.Name.successRedirect.rawValue)
    } catch { return .failure(CommandFailure(error).explainingUnknownApp) }
  }

  private func client(over transport: any Transport) -> HostedClient {
    HostedClient(transport: transport, endingWith: .saml(app.url))
  }

  private var transport: any Transport {
    get throws { try call.retrying(settings.transport(over: call.transport())) }
  }

  // An app with SAML has no client ID; the configuration needs one, and it is not sent.
  var configuration: FlowConfiguration {
    get throws { try FlowConfiguration(issuer: app.issuer, clientID: app.clientID) }
  }

  /// Whether somebody or a script can answer.
  var hasAnswers: Bool { call.has(SignInOptions.script) || call.hasPerson }

  /// What is kept for people of the org in a store.
  func credentials(in store: any CredentialStore) -> OrgCredentials {
    OrgCredentials(org: app.url, label: settings.credentialLabel, store: store)
  }

  /// The session that is kept in a store, or can be.
  func session(in store: any CredentialStore) throws -> KeptSession {
    KeptSession(
      credentials: credentials(in: store), permission: try settings.permission(for: .keepSession))
  }

  /// The terminal at which a person can be asked; nil if nobody can be, or with a script.
  var terminal: InteractiveTerminal? {
    [SignInOptions.script, SignInOptions.noInput].contains(where: call.has)
      ? nil : call.openTerminal()
  }

  /// Whether the profile has another app, for which its role counts.
  var isOtherApp: Bool { profile?[.saml].map { $0 != app.url.absoluteString } ?? false }

  /// Remembers the app, the role and the username in the profile that was named, or that names the app.
  ///
  /// What the profile has stays, except for the username, because an option is for one run. A note says so.
  func remember(_ role: AWSRole?, username: String?) async {
    guard settings.isProfileChosen || profile?[.saml] != nil else { return }
    let values: [(setting: Setting, text: String)] = [
      (.saml, app.url.absoluteString), (.role, role?.arn ?? ""), (.username, username ?? ""),
    ].filter { !$0.text.isEmpty }
    do {
      let file = try ProfileFile(call.environment)
      let name = settings.profileName
      guard let profile else {
        var new = Profile(name: name, values: [.issuer: app.issuer])
        for value in values { new.values[value.setting] = value.text }
        if try await file.add(new) {
          call.streams.note(
            "Remembered as the profile “\(name)” in \(file.path.sanitized). See: idx-flow profile")
        } else {
          call.streams.note(
            "The profile “\(name)” is for another org, so the app is not remembered there.")
        }
        return
      }
      guard !isOtherApp else {
        call.streams.note(
          "The profile “\(name)” keeps its app. To remember this one, use another name with --profile."
        )
        return
      }
      for (setting, text) in values where profile[setting] != text {
        let isSaved = try await file.set(
          setting, to: text, inProfileNamed: name, of: profile[.issuer] ?? app.issuer)
        if isSaved, setting != .username {
          call.streams.note("Remembered in the profile “\(name)”: \(setting.key)")
        } else if setting == .role {
          let command = "idx-flow profile set \(name.shellWord) --role-arn \(text.shellWord)"
          call.streams.note(
            "The profile “\(name)” keeps its role. To change it: \(command)")
        }
      }
    } catch {
      let reason = CommandFailure(error).sentence.sanitized
      call.streams.note("idx-flow: The settings are not remembered. \(reason)")
    }
  }
}

extension CommandFailure {
  /// The same failure, and where to find the address if the org has no such app.
  fileprivate var explainingUnknownApp: CommandFailure {
    cause?.status == 404 ? adding(remedy: SAMLAppAddress.remedy) : self
  }
}
