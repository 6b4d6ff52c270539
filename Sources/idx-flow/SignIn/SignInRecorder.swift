import Foundation
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXPrompt
import IDXRecording
import IDXSystem

/// Records a sign-in, for `--record` and for a report that the person may save.
///
/// Without a file and without a person, nothing is recorded.
struct SignInRecorder {
  private let path: String?
  private let goal: String?
  private let isDemo: Bool
  private let streams: Streams
  /// What is recorded, and its protocol; nil before anything can be sent.
  private var recording: (transport: RecordingTransport, flow: ProtocolChoice)?

  init(_ options: SignInOptions, _ streams: Streams) {
    (path, goal, isDemo) = (options.recordingPath, options.goal?.name, options.demo != nil)
    self.streams = streams
  }

  /// Throws if the file of `--record` cannot be written, before anything is sent.
  func checkFile() throws {
    guard let path else { return }
    guard !path.isEmpty, path != "-" else {
      throw CommandFailure(.usage, "--record needs the name of a new file.")
    }
    do { try PrivateFile.write([], to: path) } catch {
      throw CommandFailure(.usage, "--record: \("\(error)".sanitized)")
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The transport that is recorded; the same one if there is nothing to do.
  mutating func recording(_ other: any Transport, of flow: ProtocolChoice) -> any Transport {
    guard path != nil || streams.terminal != nil else { return other }
    let transport = RecordingTransport(other)
    recording = (transport, flow)
    return transport
  }

  /// Writes the file of `--record`, also after a failure; `failure` is nil after a success.
  ///
  /// A file that cannot be written is no failure of the sign-in.
  func save(after failure: CommandFailure? = nil) async {
    guard let path, let transport = recording?.transport else { return }
    // Who presses Ctrl-C wants no more questions.
    let names = failure?.exitCode == .cancelled ? [] : await namesToKeep(of: transport)
    let recording = transport.recording(facts: facts(about: failure), keeping: names)
    do { try PrivateFile.write(recording.json.bytes, to: path) } catch {
      return streams.note("idx-flow: The recording is not saved. \("\(error)".sanitized)")
    }
    let count = recording.exchanges.count
    let requests: Sentence = count == 1 ? "1 request" : "\(count) requests"
    streams.note(
      """
      Recorded in \(path.sanitized): \(requests), with stand-ins for names, codes, IDs and tokens.
      """)
  }

  /// Asks whether to save a report of a sign-in that has failed, after the person has seen why.
  ///
  /// `failure` is nil if the server ended the sign-in. Of a demo, only what this program did not understand is of
  /// interest.
  func offerReport(after failure: CommandFailure?) async {
    let codes: [FlowError.Code] = [.unexpectedResponse, .notSendable, .noHandler]
    let isUnknown = failure?.cause.map { codes.contains($0.code) } ?? false
    // A report cannot help if the person has canceled, the server cannot be reached, or a setting is wrong.
    let withoutReport: [ExitCode] = [.cancelled, .network, .usage]
    if let failure, withoutReport.contains(failure.exitCode) { return }
    guard isUnknown || !isDemo else { return }
    await offerReport(failure, for: isUnknown ? Self.unknownPurpose : Self.purpose)
  }

  /// Asks whether to save a report, if the person canceled a sign-in with a step that cannot be done here.
  func offerReportAfterCancel(unsupported reason: String?) async {
    guard let reason else { return }
    let failure = CommandFailure(.cancelled, Sentence(text: reason))
    await offerReport(failure, for: Self.unknownPurpose)
  }

  private static let unknownPurpose: Sentence = """
    idx-flow cannot do what this org asks for. A report about it helps to change that. It has stand-ins for \
    names, codes, IDs and tokens, and nothing is sent.
    """
  private static let purpose: Sentence = """
    A report of this sign-in can help to find the reason. It has stand-ins for names, codes, IDs and tokens, and \
    nothing is sent.
    """

  private func offerReport(_ failure: CommandFailure?, for purpose: Sentence) async {
    guard path == nil, let dialog = streams.dialog, let transport = recording?.transport,
      !transport.recording().exchanges.isEmpty
    else { return }
    dialog.text(streams.words.text(of: purpose))
    let isWanted = try? await dialog.confirm(
      "Save a report?",
      help: "With yes, a file is written here, which you can read before you give it to anybody.")
    guard isWanted == true else { return }
    let names = await namesToKeep(of: transport)
    let json = transport.recording(facts: facts(about: failure), keeping: names).json
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
        streams.note("idx-flow: \("\(error)".sanitized)")
        return
      }
    }
  }

  /// The new names that the person keeps; none without a person.
  private func namesToKeep(of transport: RecordingTransport) async -> Set<String> {
    let names = transport.newNames()
    guard let dialog = streams.dialog, !names.isEmpty else { return [] }
    let list = names.map(\.name).joined(separator: ", ")
    dialog.note("The recording has names of this org that idx-flow does not know: \(list)")
    dialog.note(
      "They show what is new there. Do not keep the name of a person, a company or a product.")
    do {
      let choice = try await dialog.choose(among: ["Replace all of them", "Choose for each name"])
      guard choice == 1 else { return [] }
      var kept: Set<String> = []
      for name in names where try await dialog.confirm("Keep “\(name.name)”, at \(name.place)?") {
        kept.insert(name.name)
      }
      return kept
    } catch { return [] }
  }

  private func facts(about failure: CommandFailure?) -> [String: String] {
    var facts = ["program": "idx-flow \(Product.version)"]
    facts["protocol"] = recording?.flow.name
    facts["goal"] = goal
    facts["code"] = failure?.code
    return facts
  }
}
