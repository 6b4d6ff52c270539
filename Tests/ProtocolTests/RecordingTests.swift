import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXOAuth
import IDXQRCode
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import SignInSupport
import Testing

@testable import IDXRecording

// One after the other, so that many long computations do not keep other tests from their time limits.
@Suite("A recording contains nothing personal", .serialized)
struct RecordingTests {
  @Test(
    "Every sign-in is recorded without its names, codes, tokens, ids and hosts, and is played again",
    .promise("recording-private"),
    arguments: ScenarioCase.all.sample(every: 15))
  func everyScenario(test: ScenarioCase) async throws {
    let play = try await RecordedPlay(test)
    let text = play.recording.json["exchanges"]?.text ?? ""
    // A picture can contain any four letters.
    let written = text.replacing(/data:image[^"]*/, with: "")
    let words = Set(RecordedPlay.runs(of: written).map { $0.lowercased() })
    let leaked = play.originals.filter { run in
      run.count > 3 && words.contains(run.lowercased()) && !Self.isKnown(run)
    }
    expectEqual(leaked, [])
    expectEqual(play.personalValues.filter(text.contains), [])
    let newNames = play.newNames.filter { !Self.invented.contains($0.name) }
    expectEqual(newNames.map { "\($0.name) at \($0.place)" }, [])
    // Nor is a name numbered that could not be listed.
    expectEqual(text.contains("name-1"), !play.newNames.isEmpty)

    let readAgain = try Recording(parsing: play.recording.json.bytes)
    expect(!readAgain.exchanges.isEmpty && readAgain == play.recording)

    let replay = try ReplayTransport(readAgain)
    expectEqual(replay.signInProtocol, test.signInProtocol)
    let outcome = try? await replay.run(test.scenario)
    try await replay.finish()
    expectEqual(RecordedPlay.kind(of: outcome), RecordedPlay.kind(of: play.outcome))
  }

  /// Whether a run of letters and digits is one of the words, numbers and escapes of the protocol.
  private static func isKnown(_ run: String) -> Bool {
    let word = run.lowercased()
    // What is left of an escape before a word.
    let isEscaped = ["2f", "3a"].contains {
      word.hasPrefix($0) && known.contains(String(word.dropFirst(2)))
    }
    return known.contains(word) || isEscaped || Vocabulary.isErrorCode(run)
  }

  private static let known: Set<String> = {
    let words = Vocabulary.words.union(Vocabulary.partsOfKeys).union(Vocabulary.texts)
      .union(Shape.allNames)
    let others = [
      "2000", "3600", "4000", "6511", "6512", "6513", "300000", "2030", "01t00", "000z", "https",
      "localhost", "errors", "header", "headers",
    ]
    return Set(words.flatMap { RecordedPlay.runs(of: $0).map { $0.lowercased() } } + others)
  }()

  /// New names of the simulated org.
  private static let invented: Set<String> = [
    "plan.details", "proximity", "country", "newsletter",
  ]

  @Test(
    "Names, answers, numbers and escapes in unusual places are replaced, and no number ends the program"
  )
  func unusualPlaces() async throws {
    let url = try require(URL(string: "https://acme.example/idp/idx/identify"))
    let response = """
      {"max.long@code.example": 1, "exp": 9223372036854775807, "iat": -9223372036854775808,
       "created": 653184000, "key": 5551234567, "label": "tel 06 12 34 56 78, born 12/10/90",
       "message": "MaxLong, %41%64%61, &#65;, code A12E34, E1234567, password !#%&*?+=~",
       "next": {"href": "https://acme.example/users/max.long/%2541%2564%2561"},
       "picture": "data:image/jpeg;base64,QWRhIExvdmVsYWNl", "hint": "max.long@code.example"}
      """
    let recorder = RecordingTransport(
      AnsweringTransport { TransportResponse(response, type: "text/plain") })
    _ = try await recorder.send(
      TransportRequest(
        method: "POST", url: url, headers: ["Content-Type": "application/json"],
        body: Array(
          #"{"identifier":"max.long@code.example","credentials":{"passcode":"!#%&*?+=~"}}"#.utf8)))
    // A short stand-in can be the original by chance, but not in all of several recordings.
    let recordings = (0..<6).map { _ in recorder.recording() }
    let texts = recordings.map { $0.json.text.lowercased() }
    let values = [
      "max.long", "maxlong", "code.ex", "acme", "9223372036854775807", "653184000", "5551234567",
      "06 12", "34 56", "12/10", "%41", "&#65", "a12e34", "e1234567", "!#%", "qwrh", "ada",
    ]
    let leaked = values.filter { value in texts.allSatisfy { $0.contains(value) } }
    expectEqual(leaked, [])
    for recording in recordings {
      try expectEqual(Recording(parsing: recording.json.bytes).exchanges.count, 1)
    }
  }

  @Test(
    "The file can be read again, also with a status that only proxies send, and after days",
    .promise("recording-file"))
  func oddConversation() async throws {
    let url = try require(URL(string: "https://acme.example/oauth2/v1/keys"))
    let moment = Locked(Date(timeIntervalSince1970: 1_900_000_000))
    let recorder = RecordingTransport(
      AnsweringTransport { TransportResponse(status: 999) },
      now: {
        moment.withLock { moment in
          moment += 50_000
          return moment
        }
      })
    for _ in 0..<4 { _ = try await recorder.send(TransportRequest(url: url)) }
    let recording = try Recording(parsing: recorder.recording().json.bytes)
    expectEqual(recording.exchanges.count, 4)
  }

  @Test(
    "The places of signs, a date that somebody knows, and a place cannot be found out",
    .promise("recording-hints"))
  func hints() async throws {
    let url = try require(URL(string: "https://acme.example/oauth2/v1/keys"))
    let response = """
      {"keys": [{"kid": "_b-1_dEfGhIjKlMnOpQrSt-u"}], "errorSummary": "demoA",
       "expiresAt": "2031-03-04T10:15:42.789Z", "user": {"type": "object", "value": {
         "created": "2021-01-22T19:37:32.123Z", "lastUpdated": "2021-01-22T19:37:32.123Z",
         "passwordChanged": "2021-01-23T19:37:32.123Z",
         "profile": {"timeZone": "America/Los_Angeles", "locale": "si_LK"}}},
       "currentAuthenticator": {"value": {"gracePeriod": {"expiry": "2031-03-05T05:00:00.000Z"}}}}
      """
    let now = try require(Date(timestamp: "2031-03-04T10:10:42.000Z"))
    let recorder = RecordingTransport(
      AnsweringTransport { TransportResponse(response) }, now: { now })
    _ = try await recorder.send(TransportRequest(url: url))
    var ends: Set<Character> = []
    for _ in 0..<50 {
      let result = recorder.recording().exchanges.first?.result
      guard case .success(let response) = try require(result) else { return }
      let json = try JSONValue(parsing: response.body)
      let key = try require(json["keys"]?[0]?["kid"]?.string)
      expect(key.count == 24 && !key.contains("-") && !key.contains("_"))
      expectEqual(json["expiresAt"], "2030-01-01T00:05:00.000Z")
      let user = try require(json["user"]?["value"])
      // Midnight somewhere, so its distance would tell the hour.
      expectEqual(
        json["currentAuthenticator"]?["value"]?["gracePeriod"]?["expiry"]?.string?.hasSuffix(
          "T00:00:00.000Z"), true)
      expectEqual(user["profile"], ["timeZone": "Etc/UTC", "locale": "en_US"])
      expectEqual(user["created"], user["lastUpdated"])
      let distance = try require(user["passwordChanged"]?.string.flatMap(Date.init(timestamp:)))
        .timeIntervalSince(Recording.beginning)
      expect((-1003 * 86400.0...(-3) * 86400).contains(distance))
      if let end = json["errorSummary"]?.string?.last { ends.insert(end) }
    }
    expect(ends.count > 4)
  }

  @Test(
    "The file of a long conversation can be read, and has its beginning, usually 2 MiB",
    .promise("recording-file"))
  func longConversation() async throws {
    let url = try require(URL(string: "https://acme.example/idp/idx/identify"))
    let unit = 4096
    let picture = #""data:image/png;base64,AAAA""#
    let bodies = [
      // What would make it too long is left out, and so is what follows.
      [unit, unit / 2, 2 * unit, 10], [3 * unit],
    ].map { sizes in sizes.map { #"{"errorSummary": "\#(String(repeating: "a", count: $0))"}"# } }
    let growing = [
      // A stand-in for a picture is longer than the picture.
      #"{"a": "b"}"#, "[\(Array(repeating: picture, count: 100).joined(separator: ","))]",
    ]
    for (texts, count) in zip(bodies + [growing], [2, 0, 1]) {
      let responses = Locked(texts[...])
      let transport = AnsweringTransport {
        TransportResponse(responses.withLock { $0.popFirst() ?? "" })
      }
      let recorder = RecordingTransport(
        transport, maximumSize: 2 * unit, maximumFileSize: 4 * unit)
      for _ in texts { _ = try await recorder.send(TransportRequest(url: url)) }
      let recording = recorder.recording()
      expectEqual(recording.exchanges.count, count)
      expect(recording.json.bytes.count <= 4 * unit)
      try expectEqual(Recording(parsing: recording.json.bytes), recording)
    }
    let mebibyte = 1 << 20
    for (size, count) in [(mebibyte * 3 / 2, 1), (2 * mebibyte, 0)] {
      let recorder = RecordingTransport(
        AnsweringTransport { TransportResponse("{}" + String(repeating: " ", count: size - 2)) })
      _ = try await recorder.send(TransportRequest(url: url))
      expectEqual(recorder.recording().exchanges.count, count)
    }
  }

  @Test(
    "A damaged recording is an error that says where",
    arguments: [
      ("{", nil), ("{}", nil), (#"{"format":"idx-flow recording","version":2}"#, nil),
      (#"{"format":"idx-flow recording","version":1,"exchanges":[{}]}"#, 1),
    ] as [(String, Int?)])
  func damaged(text: String, exchange: Int?) throws {
    let error = #expect(throws: RecordingError.self) { try Recording(parsing: text.utf8) }
    expectEqual(error?.exchange, exchange)
    expectEqual(error?.description.isEmpty, false)
  }

  @Test(
    "A QR code is drawn again, with a stand-in for the key that is the same everywhere",
    .promise("recording-private"))
  func qrCode() async throws {
    let play = try await RecordedPlay(
      .init(signInProtocol: .idx, scenario: OrgScenario["enroll-google"]))
    let body = try require(
      play.recording.responses.first { String(decoding: $0.body, as: UTF8.self).contains("qrcode") }
    )
    let app = try require(IDXResponse(parsing: body.body).currentAuthenticator)
    let otp = try require(app.oneTimePassword)
    let image = try require(otp.image)
    let content = try QRCode.read(png: image.bytes)
    let secret = try require(otp.sharedSecret)
    expect(content.hasPrefix("otpauth://totp/") && content.contains("secret=\(secret.revealed)"))
    expect(Base32.decode(secret.revealed) != nil)
    expect(!content.contains("ada"))
  }
}

private struct AnsweringTransport: Transport {
  let answer: @Sendable () -> TransportResponse

  func send(_ request: TransportRequest) async throws -> TransportResponse { answer() }
}

extension TransportResponse {
  fileprivate init(_ text: String, type: String = "application/json") {
    self.init(status: 200, headers: ["Content-Type": type], body: Array(text.utf8))
  }
}
