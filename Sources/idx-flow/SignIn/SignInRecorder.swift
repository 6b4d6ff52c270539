import Foundation
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXRecording
import IDXScreens
import IDXSystem

/// Records a sign-in, for `--record` and for a report that the person may save.
///
/// Without a file and without a person, nothing is recorded.
struct SignInRecorder {
  static let option = OptionSpec(
    "--record", value: "FILE", of: .file,
    "save what is sent and received, without names, codes, ids and tokens")

  private let path: String?
  private let terminal: InteractiveTerminal?
  private let streams: Streams
  private let recorder = Locked<RecordingTransport?>(nil)
  private let wasUnsupported = Locked(false)

  /// Throws if the file of `--record` exists, before anything is sent.
  init(_ call: CommandCall, at terminal: InteractiveTerminal?) throws {
    path = call.options.values["--record"]
    self.terminal = terminal
    streams = call.streams
    if let path, FileManager.default.fileExists(atPath: path) {
      throw CommandFailure(
        .usage, "\(path) already exists. Choose a new file for --record.".sanitized)
    }
  }

  /// The transport that is recorded; the same one if there is nothing to do.
  func recording(_ other: any Transport) -> any Transport {
    guard path != nil || terminal != nil else { return other }
    let new = RecordingTransport(other)
    recorder.withLock { $0 = new }
    return new
  }

  /// The front-end, which remembers whether a step could not be done here.
  func watching(_ frontEnd: any FrontEnd) -> any FrontEnd {
    WatchedFrontEnd(other: frontEnd) { wasUnsupported.withLock { $0 = true } }
  }

  /// Writes the file of `--record`, also after a failure; `failure` is nil after a success.
  func save(after failure: CommandFailure? = nil) throws {
    guard let path, let recorder = recorder.withLock({ $0 }) else { return }
    do {
      let recording = recorder.recording(notes: notes(about: failure))
      try PrivateFile.write(recording.json.bytes, to: path)
      streams.note(
        "Recorded in \(path): \(recording.exchanges.count) requests, with stand-ins for names, codes, ids "
          + "and tokens.".sanitized)
    } catch {
      throw CommandFailure(.usage, "The recording is not saved. \(error)".sanitized)
    }
  }

  /// Asks whether to save a report, if this program did not understand the server.
  func offerReport(after error: any Error) async {
    let failure = CommandFailure(error)
    let isUnexpected =
      [FlowError.Code.unexpectedResponse, .notSendable, .noHandler].contains { code in
        (error as? FlowError)?.code == code
      } || wasUnsupported.withLock { $0 }
    guard isUnexpected, path == nil, let terminal, let recorder = recorder.withLock({ $0 }) else {
      return
    }
    let question = """
      idx-flow cannot do what this org asks for. A report about it helps to change that. It has stand-ins for \
      names, codes, ids and tokens, and nothing is sent.
      Save a report?
      """
    guard (try? await TerminalDialog(terminal: terminal).confirm(question)) == true else { return }
    let json = recorder.recording(notes: notes(about: failure)).json
    for number in 1..<100 {
      let path = "idx-flow-report\(number == 1 ? "" : "-\(number)").json"
      do {
        try PrivateFile.write(json.bytes, to: path)
        streams.note(
          "Saved in \(path). Read it, and attach it to a report about idx-flow if you like.")
        return
      } catch  where error.systemCode == EEXIST {
        continue
      } catch {
        streams.note("idx-flow: \(error)".sanitized)
        return
      }
    }
  }

  private func notes(about failure: CommandFailure?) -> [String: String] {
    var notes = [
      "program": "idx-flow \(URLSessionTransport.version)",
      "system": ProcessInfo.processInfo.operatingSystemVersionString,
    ]
    notes["code"] = failure?.code
    notes["error"] = failure?.message
    return notes
  }
}

private struct WatchedFrontEnd: FrontEnd {
  let other: any FrontEnd
  let whenUnsupported: @Sendable () -> Void

  func reply(to screen: Screen) async throws -> Reply {
    if screen.unsupported != nil { whenUnsupported() }
    return try await other.reply(to: screen)
  }
}
