import IDXFlow
import IDXOAuth
import IDXPrompt

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The sign-in that a command offers at a terminal if it cannot go on without one.
///
/// The current credential stays as it is, because the person has asked for something else. What the sign-in shows goes
/// to the terminal, and its result to standard error: the output is that of the command.
struct OfferedSignIn {
  static let noInput = SignInOptions.noInput.with(help: "never ask for a sign-in")

  let access: CredentialAccess
  let call: CommandCall

  /// Runs a command; if it throws that a sign-in is needed, and there is a person, they sign in and it runs again.
  ///
  /// `isTooLate` says whether the command has done something that it must not do twice.
  func run(
    unless isTooLate: @escaping @Sendable () -> Bool = { false },
    _ body: @Sendable () async throws -> ExitCode
  ) async throws -> ExitCode {
    let failure: CommandFailure
    do { return try await body() } catch {
      guard Self.helps(after: error), !isTooLate(), call.hasPerson else { throw error }
      failure = CommandFailure(error)
    }
    // Programs may start several commands at once: only one of them asks the person.
    let before = try? await access.selected()
    let status = try await access.store.withLock(on: .lock(on: "the sign-in on the way")) {
      let credential = try? await access.selected()
      if let credential, credential.receivedAt != before?.receivedAt { return ExitCode.done }
      // The details would only frighten somebody who comes back in the morning.
      let sentence: Sentence =
        if let own = credential ?? before, failure.cause?.code == .signInNeeded {
          "Your session is over: \(CredentialText(own).userAndHost)."
        } else {
          failure.sentence
        }
      show("\(sentence) To go on, sign in.")
      return try await SignInCommand.run(signInCall(for: credential), isChosen: false)
    }
    return status == .done ? try await body() : status
  }

  private static func helps(after error: any Error) -> Bool {
    let failure = CommandFailure(error)
    // The next sign-in would bring no other tokens, or the person has to choose a credential.
    let others = [FreshToken.missingToken, CredentialAccess.noCurrent]
    return failure.exitCode == .signInNeeded && !others.contains(failure.code ?? "")
  }

  /// Writes a sentence to the terminal itself, because programs such as the AWS tools keep standard error.
  private func show(_ sentence: Sentence) {
    var streams = call.streams
    streams.terminal = call.openTerminal()
    for line in call.text(sentence).split(separator: "\n") {
      streams.dialog?.text(streams.keepingCommands(String(line)))
    }
  }

  /// The sign-in to the org of the credential, or to that of the options.
  private func signInCall(for credential: Credential?) -> CommandCall {
    var options = CommandLineOptions()
    options.set(SignInOptions.force, to: nil)
    for option in Selection.appOptions + [StoreChoice.option, NetworkOptions.caFile] {
      if let value = call[option] { options.set(option, to: value) }
    }
    let isDemo = call.has(CredentialAccess.demo)
    if isDemo { options.set(SignInOptions.demo, to: "") }
    if call.has(RequestTrace.option) { options.set(RequestTrace.option, to: nil) }
    if let username = credential?.username ?? call[Selection.user] {
      options.set(Setting.username.option, to: username)
    }
    if let credential, !isDemo {
      let text = CredentialText(credential, call.environment)
      // Both, whatever the variables say.
      for (option, value) in (text.profileOption.map { [$0] } ?? []) + text.appOptions {
        options.set(option, to: value)
      }
    }
    var signIn = CommandCall(options: options, commands: call.commands, streams: call.streams)
    signIn.streams.results = STDERR_FILENO
    return signIn
  }
}
