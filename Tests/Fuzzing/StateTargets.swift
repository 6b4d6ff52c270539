import Foundation
import IDX
import IDXBase
import IDXOAuth

@testable import IDXClassicAuth
@testable import IDXFlow
@testable import IDXNetwork
@testable import IDXStorage

extension FuzzTarget {
  /// Requests to the listener: only the redirect URI is accepted, and the response quotes nothing.
  static let listener = FuzzTarget(
    name: "listener",
    seeds: [
      "GET /callback?code=a&state=b HTTP/1.1\r\nHost: 127.0.0.1:8484\r\nAccept: */*\r\n\r\n",
      "POST / HTTP/1.0\r\n\r\n",
    ]
  ) { bytes in
    guard let uri = URL(string: "http://127.0.0.1:8484/callback") else { return }
    guard let response = LoopbackResponder(uri, { _ in true }).response(to: bytes) else { return }
    if let url = response.url {
      precondition(
        url.absoluteString.hasPrefix("http://127.0.0.1:8484/callback?")
          && url.host == "127.0.0.1" && url.port == 8484, "Another address was accepted.")
    }
    precondition(
      response.bytes.starts(with: "HTTP/1.1 ".utf8) && response.bytes.count < 4096)
  }

  /// Addresses that a browser, or anything else, opens in the app: only those with the `state` of the
  /// sign-in are accepted.
  static let redirect = FuzzTarget(
    name: "redirect", seeds: ["state=a+state&code=b", "error=interaction_required&otp=1"]
  ) { bytes in
    let query = String(decoding: bytes, as: UTF8.self)
    guard let url = URL(string: "com.example.shop:/callback?" + query),
      let response = try? IDXResponse(parsing: #"{"version":"1.0.0"}"#.utf8),
      let state = state(after: response)
    else { return }
    let hasState = query.contains("state=a+state") || query.contains("state=a%20state")
    switch try? RedirectReturn(url, of: state) {
    case nil, .interactionRequired?: break
    default:
      precondition(
        RedirectReturn.belongs(url, to: state) && (hasState || query.contains("%")),
        "An address of another sign-in was accepted.")
    }
  }

  /// Saved states: only those of the expected configuration are read, and written in the same way.
  static let snapshot = FuzzTarget(name: "snapshot") { bytes in
    continueSaved(Data(bytes))
    guard let configuration, let state = try? FlowState(snapshot: Data(bytes), for: configuration)
    else { return }
    precondition(state.configuration == configuration, "A state for another app was read.")
    guard let written = try? state.snapshot() else { preconditionFailure("It cannot be written.") }
    let again = try? FlowState(snapshot: written, for: configuration)
    precondition(again == state, "A written state is read as another.")
  }

  /// Continues a saved sign-in, whose numbers must not overflow.
  private static func continueSaved(_ data: Data) {
    guard let configuration,
      var progress = try? FlowProgress(snapshot: data, for: configuration)
    else { return }
    for form in progress.state.response.remediations.prefix(3) { _ = progress.step(for: form) }
    if let form = progress.state.response.remediations.first {
      _ = try? progress.finishPoll(of: form, after: .seconds(1), at: progress.state)
    }
    precondition((try? progress.snapshot()) != nil, "It cannot be written.")
  }

  /// Credentials as stores save them, with and without a right checksum.
  static let credential = FuzzTarget(
    name: "credential",
    seeds: [
      """
      {"version":1,"id":{"issuer":"https://id.shop.example","clientID":"0oa","subject":"00u"},
       "username":"ada","tokens":{"access_token":"a","token_type":"Bearer","scope":"openid"},
       "receivedAt":"2031-03-04T10:15:00Z"}
      """
    ]
  ) { bytes in
    _ = try? ChecksummedEnvelope.decode(Credential.self, from: bytes, at: "here")
    _ = try? ChecksummedEnvelope.decode(CurrentCredential.self, from: bytes, at: "here")
    guard let credential = try? JSONDecoder().decode(Credential.self, from: Data(bytes)),
      let written = try? ChecksummedEnvelope.encode(credential)
    else { return }
    let again = try? ChecksummedEnvelope.decode(Credential.self, from: written, at: "here")
    precondition(again == credential, "A written credential is read as another.")
    precondition(!credential.label.hasControls && credential.label.unicodeScalars.count <= 200)
  }

  /// Scripts.
  static let script = FuzzTarget(
    name: "script",
    seeds: [
      #"[{"step":"identify","choose":"a","fields":{"identifier":"a","p":{"totp":true}}}]"#,
      #"[{"step":"a","authenticator":"b","ifAsked":{"c":{"totp":{"env":"d"}}},"optional":true}]"#,
      #"[{"step":"a","fields":{"b":{"file":"c"}},"saveKey":"d"}]"#,
    ]
  ) { bytes in
    _ = try? Script(parsing: bytes, reading: { _ in "MFRGGZDF" })
    guard let script = try? Script(parsing: bytes) else { return }
    precondition(script.entries.allSatisfy { $0.formName.rawValue != "" }, "A form has no name.")
    _ = script.description
  }

  /// Replies of a program to a screen: each is read, or refused with one short sentence.
  static let replies = FuzzTarget(
    name: "replies",
    seeds: [
      #"{"number":3,"reply":"submit","values":{"identifier":"ada","rememberMe":true,"age":7}}"#,
      #"{"number":3,"reply":"choose","option":"skip"}"#,
      #"{"number":3,"reply":"returned","url":"com.example:/callback?state=a&code=b"}"#,
      #"{"reply":"passkey","credential":{"response":{"clientDataJSON":"AQ","attestationObject":"AQ"}}}"#,
      #"{"reply":"fastPass","result":"refused","status":500}"#,
      #"{"reply":"failed","message":"a\nb"}"#, #"{"reply":"cancel"}"#,
    ]
  ) { bytes in
    guard let json = try? JSONValue(parsing: bytes) else { return }
    let action = Screen.Option(id: "", label: "Next", role: .submit)
    var screen = Screen(title: "Verify", host: "id.shop.example", action: action)
    screen.inputs = [Screen.Input(id: "identifier", kind: .text, label: "Name", isRequired: true)]
    do throws(InvalidReply) {
      let reply = try Reply(json: json)
      precondition(json["reply"]?.string != nil, "A reply has no kind.")
      do { _ = try screen.decision(on: reply) } catch let refusal as InvalidReply {
        screen = screen.refused(reply, because: refusal)
      } catch { preconditionFailure("A reply is refused with \(error).") }
      precondition(!screen.json.bytes.contains { $0 < 0x20 })
    } catch {
      precondition(
        !error.description.hasControls && error.description.utf8.count < 2000,
        "A refusal is no short line.")
    }
  }
}

extension FuzzTarget {
  /// Transactions of the classic API: they become responses, or are refused.
  static let classic = FuzzTarget(
    name: "classic",
    seeds: [
      """
      {"status":"MFA_CHALLENGE","stateToken":"00s","_embedded":{"factor":{"id":"f",
       "factorType":"push","provider":"OKTA","_embedded":{"challenge":{"correctAnswer":7}}}},
       "_links":{"next":{"name":"poll","href":"https://id.shop.example/v"},"resend":[]}}
      """
    ]
  ) { bytes in
    guard let json = try? JSONValue(parsing: bytes), let transaction = ClassicTransaction(json)
    else { return }
    let builder = ClassicResponseBuilder(
      base: "https://id.shop.example/api/v1/authn",
      clientState: ClassicClientState(.transaction, username: "ada"), transaction: transaction)
    guard let response = try? builder.draft().response() else { return }
    precondition((try? IDXResponse(parsing: response.raw.bytes)) == response)
  }
}
