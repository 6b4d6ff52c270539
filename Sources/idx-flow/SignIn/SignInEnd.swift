import IDXFlow
import IDXOAuth

/// What follows a sign-in: what is saved for the next one, the result, and the exit status.
struct SignInEnd {
  let plan: SignInPlan
  let run: SignInRun
  let report: SignInReport

  private var streams: Streams { plan.call.streams }

  /// Saves the tokens, writes the result, and remembers the settings.
  func finish(_ outcome: Outcome) async throws -> ExitCode {
    var (isCurrent, replaced): (Bool, Credential?) = (false, nil)
    if case .signedIn(let signIn) = outcome {
      (isCurrent, replaced) = try await save(signIn)
      // The person is signed in, whatever they answer.
      try? await plan.finishSession(
        signIn.state, of: signIn.credential.username, hadSession: run.hadSession)
    }
    if case .ended(let state) = outcome, let token = state.sessionToken {
      try report.write(sessionToken: token)
      return .done
    }
    do {
      let status = try await report.write(
        outcome, hadGoal: plan.options.goal != nil, savedIn: plan.saver?.store, run.history)
      if let replaced { await noteReplaced(replaced) }
      if case .signedIn(let signIn) = outcome, plan.demo == nil {
        await remember(username: streams.terminal == nil ? nil : signIn.credential.username)
        // What the person has chosen stays, also if nobody is signed in with it.
        if isCurrent, plan.isChosen || Profile.current(in: plan.call.environment) == nil {
          await plan.call.rememberCurrentProfile(of: signIn.credential.labeled(plan.saver?.label))
        }
      }
      return status
    } catch {
      guard case .signedIn(let signIn) = outcome else { throw error }
      let consequence: Sentence =
        plan.saver != nil
        ? "You are signed in, and the tokens are saved."
        : Sentence(
          text: await plan.tokens.revokeAll(
            signIn.credential.tokens, of: plan.configuration.app))
      throw CommandFailure(.unexpected, "\(CommandFailure(error).sentence) \(consequence)")
    }
  }

  /// Keeps the settings of a new profile after a sign-in that failed or was canceled: they were typed and checked with the
  /// server, so nobody has to type them again because of a wrong password.
  ///
  /// Whoever has entered no password and no code may have mistyped the org. Beside other profiles, a new one needs a name
  /// that was chosen: without one, it would be used in place of them.
  func keepSettings(after result: Result<Outcome, any Error>) async {
    if case .success(.signedIn) = result { return }
    let settings = plan.settings
    guard plan.demo == nil, streams.terminal != nil, !plan.options.savesNothing,
      run.hasTypedSecret, settings[.issuer]?.source == .person || settings.isProfileNew,
      let names = try? ProfileFile(plan.call.environment).names(),
      names.isEmpty || settings.isProfileNew,
      let profile = settings.newProfile(hasPerson: true)
    else { return }
    // In a task of its own, because the sign-in can be canceled.
    await Task { await remember(profile) }.value
  }

  /// Saves the tokens; returns whether they are the current credential, and another one that was.
  private func save(
    _ signIn: SignIn
  ) async throws -> (isCurrent: Bool, replaced: Credential?) {
    do {
      try await checkPerson(signIn)
      guard let saver = plan.saver else { return (false, nil) }
      let saved = try await saver.save(signIn.credential, isChosen: plan.isChosen)
      await saveDevice(signIn.state)
      try await plan.demo?.save()
      return saved
    } catch {
      await plan.endSession(signIn.state)
      throw error
    }
  }

  /// Saves the cookies by which the org recognizes this computer.
  private func saveDevice(_ state: FlowState) async {
    do {
      try await plan.devices?.save(
        state.cookies, of: plan.configuration.issuer, profile: plan.settings.profileName)
    } catch {
      // The tokens are saved, and the next sign-in is one from a new device.
      streams.note("idx-flow: The org will not know this computer again. \("\(error)".sanitized)")
    }
  }

  private func noteReplaced(_ credential: Credential) async {
    let text = CredentialText(credential, isDemo: plan.demo != nil, plan.call.environment)
    let saved =
      (try? await plan.saver?.store.entries())?.compactMap(\.credential)
      .filter { !$0.isOfOrg } ?? []
    streams.note(
      "It is the current credential now, in place of \(text.userAndHost). To change back, run "
        + "\(text.useCommand(among: saved))")
  }

  // MARK: Settings

  /// Saves a new profile, or what is new in the profile that was used; `username` is nil without a person.
  private func remember(username: String?) async {
    let settings = plan.settings
    let name = settings.profileName
    if var profile = settings.newProfile(hasPerson: streams.terminal != nil) {
      if let flow = run.allowedFlow { profile.values[.flow] = flow.name }
      let usesFastPass = run.hasAgreedToFastPass && profile[.fastPass] == nil
      if usesFastPass { profile.values[.fastPass] = DevicePermission.always.rawValue }
      profile.values[.username] = username ?? profile[.username]
      profile.values[.factor] = run.factors?.text ?? profile[.factor]
      await remember(profile)
      if usesFastPass { noteFastPass(name) }
    } else if settings.usesProfile {
      if streams.terminal != nil, let note = settings.noteOnOptions { streams.note(note) }
      for (setting, text) in settings.additions where await remember(setting, text) {
        streams.note("Remembered in the profile “\(name)”: \(setting.key)")
      }
      if let username, username != settings[.username]?.text {
        _ = await remember(.username, username)
      }
      if let factors = run.factors?.text, factors != settings[.factor]?.text {
        _ = await remember(.factor, factors)
      }
      if run.hasAgreedToFastPass, settings.canRememberFastPass,
        await remember(.fastPass, DevicePermission.always.rawValue)
      {
        noteFastPass(name)
      }
    }
  }

  /// Saves a new profile; a failure is no failure of the sign-in.
  private func remember(_ profile: Profile) async {
    do {
      let file = try ProfileFile(plan.call.environment)
      guard try await file.add(profile) else { return }
      streams.note(
        "Remembered as the profile “\(profile.name)” in \(file.path.sanitized). See: idx-flow profile"
      )
    } catch {
      let reason = CommandFailure(error).sentence.sanitized
      streams.note("idx-flow: The settings are not remembered. \(reason)")
    }
  }

  /// Saves one setting in the profile that was used; returns whether it is saved.
  private func remember(_ setting: Setting, _ text: String) async -> Bool {
    do {
      return try await ProfileFile(plan.call.environment).set(
        setting, to: text, inProfileNamed: plan.settings.profileName,
        of: plan.configuration.issuer.absoluteString)
    } catch {
      let reason = CommandFailure(error).sentence.sanitized
      streams.note("idx-flow: \(setting.key) is not remembered. \(reason)")
      return false
    }
  }

  private func noteFastPass(_ profile: String) {
    streams.note(
      "From now on, the profile “\(profile.sanitized)” uses Okta FastPass without asking. To change that, run "
        + "idx-flow profile set \(profile.shellWord) --fast-pass ask")
  }
}
