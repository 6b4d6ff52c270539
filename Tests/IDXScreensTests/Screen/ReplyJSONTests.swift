import Expectations
import Foundation
import IDXBase
@testable import IDXFlow
import IDXOAuth
import Testing

/// Replies as JSON.
struct ReplyJSONTests {
  private static let url = "com.example:/callback?code=a&state=b"
  private static let attestation: JSONValue = [
    "response": ["clientDataJSON": "AQ", "attestationObject": "Ag", "transports": ["usb"]]
  ]

  /// Created each time: the leak sanitizer does not see the pointers of a global value.
  private static var replies: [(JSONValue, Reply?)] {
    [
      (["reply": "submit"], .submit([:])),
      (
        ["reply": "submit", "number": 3, "values": ["a.b": "text", "c": true, "d": 12, "e": ""]],
        .submit(["a.b": "text", "c": "true", "d": "12", "e": ""])
      ),
      (["reply": "choose", "option": "skip"], .choose("skip")),
      (["reply": "returned", "url": .string(url)], URL(string: url).map(Reply.returned)),
      (
        ["reply": "passkey", "credential": attestation],
        .created(PasskeyAttestation(clientData: [1], attestationObject: [2], transports: ["usb"]))
      ),
      (
        [
          "reply": "passkey",
          "credential": [
            "response": ["clientDataJSON": "AQ", "authenticatorData": "Ag", "signature": "Aw"]
          ],
        ],
        .signed(
          PasskeyAssertion(clientData: [1], authenticatorData: [2], signature: [3], userHandle: nil)
        )
      ),
      (["reply": "fastPass", "result": "delivered"], .fastPass(.delivered)),
      (
        ["reply": "fastPass", "result": "refused", "status": 500], .fastPass(.refused(status: 500))
      ),
      (["reply": "failed", "message": "No\nbrowser."], .failed("No browser.")),
      (["reply": "cancel"], .cancel),
    ]
  }

  @Test("Each kind of reply is read", arguments: 0..<replies.count)
  func read(index: Int) throws {
    let (json, reply) = Self.replies[index]
    try expectEqual(Reply(json: json), reply)
  }

  @Test(
    "A reply that cannot be used has a sentence that says why, and that quotes no value",
    arguments: [
      ("[]", "object"), ("{}", "“reply” must be submit"), (#"{"reply":7}"#, "“reply” must be"),
      (#"{"reply":"typed-value"}"#, "“reply” must be"),
      (#"{"reply":"submit","value":{"p":"typed-value"}}"#, "“submit” has no member “value”"),
      (#"{"reply":"submit","values":["typed-value"]}"#, "“values” must be an object"),
      (#"{"reply":"submit","values":{"p":["typed-value"]}}"#, "The value of “p” must be"),
      (#"{"reply":"submit","values":{"p\n":null}}"#, "The value of “p"),
      (#"{"reply":"choose"}"#, "needs a text “option”"),
      (#"{"reply":"choose","option":1}"#, "needs a text “option”"),
      (#"{"reply":"returned","url":""}"#, "“url” must be"),
      (#"{"reply":"passkey","credential":{"response":{}}}"#, "“credential” must be"),
      (#"{"reply":"fastPass","result":"typed-value"}"#, "“result” must be"),
      (#"{"reply":"failed"}"#, "needs a text “message”"),
      (#"{"reply":"cancel","option":"quit"}"#, "“cancel” has no member “option”"),
    ])
  func invalid(text: String, reason: String) throws {
    let json = try JSONValue(parsing: text.utf8)
    let error = try #require(throws: InvalidReply.self) { try Reply(json: json) }
    expectContains(error.description, reason, "\(error)")
    expect(!error.description.contains("typed-value") && !error.description.contains("\n"))
  }
}
