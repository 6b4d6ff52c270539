import Foundation
import IDXBase
import IDXOAuth

@testable import IDXRecording

extension FuzzTarget {
  /// Files of recordings: what was read is written and read again without a change.
  static let recording = FuzzTarget(
    name: "recording",
    seeds: [
      #"{"format":"idx-flow recording","version":1,"notes":{"a":"b"},"exchanges":[]}"#,
      #"""
      {"format":"idx-flow recording","version":1,"exchanges":[{"start":0,"duration":12,"request":
      {"method":"POST","url":"https://id.shop.example/idp/idx/identify","headers":{"Accept":"a"},
      "json":{"stateHandle":"02a"}},"response":{"status":200,"headers":{},"text":"no"},
      "replaced":["request.url"]}]}
      """#,
    ]
  ) { bytes in
    guard let recording = try? Recording(parsing: bytes) else { return }
    let again = try? Recording(parsing: recording.json.bytes)
    precondition(again == recording, "A recording is not read as it was written.")
  }

  /// Responses that are recorded: the file can be read, and has nothing of what was entered.
  static let redaction = FuzzTarget(
    name: "redaction",
    seeds: [
      #"{"stateHandle":"02a~b","user":{"value":{"identifier":"Zqxjk7@shop.example"}}}"#,
      #"{"messages":{"value":[{"message":"No Zqxjk7 \\u005aqxjk7 Zqx%6Ak7 ZQXJK7"}]},"exp":1e400}"#,
      "<a href='https://id.shop.example/Zqxjk7?Zqxjk7=1'>Zqxjk7</a>",
      #"{"id_token":"eyJhbGciOiJub25lIn0.eyJzdWIiOiJacXhqazcifQ.","expires_in":9223372036854775807}"#,
    ]
  ) { bytes in
    guard let url = URL(string: "https://id.shop.example/idp/idx/identify") else { return }
    let json = ["Content-Type": "application/json"]
    let exchange = Recording.Exchange(
      start: .zero, duration: .zero,
      request: TransportRequest(
        method: "POST", url: url, headers: json, body: Array(#"{"identifier":"Zqxjk7"}"#.utf8)),
      result: .success(TransportResponse(status: 200, headers: json, body: bytes)))
    let redacted = Redactor(
      reading: Recording([exchange]), startedAt: Date(timeIntervalSince1970: 1e9), random: .system
    ).redacted()
    let text = redacted.json.bytes
    // A damaged text can become JSON when it is redacted, and is then written in another way.
    precondition(
      (try? Recording(parsing: text))?.json.bytes == text, "A recording is not read as written.")
    precondition(
      !String(decoding: text, as: UTF8.self).contains("Zqxjk7"), "What was entered is shown.")
  }
}
