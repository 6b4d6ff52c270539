import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXPrompt
import IDXRecording
import IDXSystem

/// `idx-flow replay`: plays a recorded sign-in at the prompt, without a network.
struct ReplayCommand: Command {
  static let name = "replay"
  static let summary = "Play a recorded sign-in at the prompt, without a network."
  static let purpose = """
    Play a sign-in that signin --record saved, step by step. The recorded responses are shown as in
    the sign-in, and each request is checked against the recording. Nothing is sent, and nothing is
    saved.
    """
  static let usage = ["replay [OPTION...] FILE"]
  static let options = [
    SignInOptions.script, saveScript, SignInOptions.noQR, RequestTrace.option,
    LanguageChoice.option,
  ]
  static let operand: OperandSpec? = OperandSpec("FILE", of: .file)
  static let examples = [
    Example(
      "Record a sign-in and play it",
      "idx-flow signin --record mine.json\nidx-flow replay mine.json"),
    Example("Make a script of it", "idx-flow replay mine.json --save-script answers.json"),
  ]
  static let notes: String? = """
    At the prompts, enter anything of the right form: what you enter may differ from the recording. Make
    the same choices. The exit status is 0 if the whole recording was played, and 1 if a request differs
    or is missing; then the message names the exchange.

    A script has a variable IDX_ANSWER_… in place of everything that a person entered, such as a
    password, and reads nothing else. It can be made of recordings of Identity Engine.

    A replay opens no page, listens at no port and sends nothing, whoever made the file.
    """

  private static let saveScript = OptionSpec(
    "--save-script", value: "FILE", of: .file,
    "write a script for this sign-in to a new file, and play nothing")

  static func run(_ call: CommandCall) async throws -> ExitCode {
    guard let path = call.options.operands.first else {
      throw CommandFailure(.usage, "replay needs a FILE that signin --record saved.")
    }
    let recording: Recording
    do { recording = try Recording(parsing: InputFile(path: path).read()) } catch {
      let reason = (error as? InputFile.Unreadable).map { "It \($0)" } ?? "\(error)"
      throw CommandFailure(.usage, "\(path.sanitized) cannot be played. \(reason.sanitized)")
    }
    if let file = call[saveScript] {
      return try save(RecordedScript(recording), to: file, call)
    }
    let replay: ReplayTransport
    do { replay = try ReplayTransport(recording) } catch {
      throw CommandFailure(.usage, "\(path.sanitized) cannot be played. \("\(error)".sanitized)")
    }
    let goal = SignInOptions.goals.first { $0.name == recording.facts["goal"] }?.goal
    return try await play(replay, goal, recording.facts["code"], call)
  }

  /// Ends the sign-in at the first request that does not fit, and at a page from which nobody returned, because nothing
  /// can follow.
  private struct EndingTransport: Transport {
    let other: ReplayTransport
    // Set in a request, which the client sends; the replay does not say whether a request did not fit or is missing.
    private let ended = Locked(false)

    init(other: ReplayTransport) { self.other = other }

    var hasEnded: Bool { ended.withLock { $0 } }

    /// What the browser brought back from a page.
    func visit(_ page: URL) async throws -> URL {
      if let end = await other.visit(page) { return end }
      ended.withLock { $0 = true }
      throw CancellationError()
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      do { return try await other.send(request) } catch let error as TransportError
        where error.underlying is RecordingError
      {
        ended.withLock { $0 = true }
        throw CancellationError()
      }
    }
  }

  private static func play(
    _ replay: ReplayTransport, _ goal: Goal?, _ code: String?, _ call: CommandCall
  ) async throws -> ExitCode {
    var call = call
    let options = DialogOptions(call)
    call.streams.terminal = options.script == nil ? call.openTerminal() : nil
    return try await TerminalTask.run(at: call.streams.terminal) {
      [call] () async throws -> ExitCode in
      // Whoever wrote the file must not open a page here, or have something reached.
      var computer = ComputerAccess.none
      computer.passkeys = ReplayPasskeys()
      let answerSource = try AnswerSource(
        call, options, isDemo: true, using: computer, fastPass: .never)
      let ending = EndingTransport(other: replay)
      var run = SignInRun(answerSource: answerSource, browser: ending.visit)
      let transport = RetryingTransport(
        RequestTrace.ifAsked(call, ending), onRetry: answerSource.report)
      let tokens = TokenClient(transport: transport)
      let client = try ProtocolChoice(replay.signInProtocol).client(over: transport, tokens)
      call.streams.note("replay: nothing is sent over the network. Names and codes are stand-ins.")
      answerSource.greet(to: nil, configuredIn: nil)
      var problem: FlowError?
      do {
        _ = try await run.run(client, replay.configuration, goal: goal)
      } catch let error as FlowError {
        // Nothing was played that the recording could differ from.
        if error.code == .inputNeeded, code != error.code.rawValue { throw error }
        problem = error
      } catch {
        guard error is CancellationError, ending.hasEnded else { throw error }
      }
      await answerSource.reportUnusedEntries()
      do { try await replay.finish() } catch {
        // The sign-in may have ended because of another problem.
        let text = problem.map { "\(error) \($0)" } ?? "\(error)"
        throw CommandFailure(.unexpected, Sentence(text: text.sanitized))
      }
      // A recorded sign-in may have ended with an error.
      if let problem {
        guard problem.code.rawValue == code else { throw problem }
        call.streams.note("The sign-in ended as recorded: \("\(problem)".sanitized)")
      }
      let count = await replay.progress.count
      let requests: Sentence = count == 1 ? "1 request" : "\(count) requests"
      call.streams.note("The whole recording was played: \(requests).")
      return .done
    }
  }

  private static func save(
    _ script: RecordedScript, to path: String, _ call: CommandCall
  ) throws -> ExitCode {
    guard !script.entries.isEmpty else {
      throw CommandFailure(
        .usage, "The recording has no step of Identity Engine, so there is no script for it.")
    }
    do { try PrivateFile.write(Array(script.text.utf8), to: path) } catch {
      throw CommandFailure(.usage, Sentence(text: "\(error)".sanitized))
    }
    call.streams.note("Saved in \(path.sanitized): \(script.entries.count) entries.")
    for name in script.variables { call.streams.note("  It reads the variable \(name).") }
    for path in script.omitted {
      call.streams.note(
        "  It has no answer for \(path.sanitized), whose recorded value is an object or a list.")
    }
    return .done
  }
}
