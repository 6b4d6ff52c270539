import Expectations
import IDX
import IDXBase
import Testing

/// A challenge for Okta Verify on this device.
struct DeviceChallengeTests {
  private static let cancel: JSONValue = [
    "name": "cancel-polling", "href": "https://id.example/idp/idx/authenticators/poll/cancel",
    "method": "POST",
    "value": [
      ["name": "stateHandle", "required": true, "value": "02-handle", "mutable": false],
      ["name": "reason", "value": "USER_CANCELED", "mutable": false],
    ],
  ]

  private static let loopback: JSONValue = [
    "challengeMethod": "LOOPBACK", "challengeRequest": "a.b.c", "domain": "http://localhost",
    "httpsDomain": "https://ov.example", "ports": ["6511", 6512, "x", true],
    "probeTimeoutMillis": 250,
  ]

  private func response(_ members: JSONValue) throws -> IDXResponse {
    let form: JSONValue = [
      "name": "device-challenge-poll", "href": "https://id.example/poll", "value": [],
    ]
    let object: JSONValue = [
      "version": "1.0.0", "remediation": ["type": "array", "value": [form]],
    ]
    let all = (members.object?.members ?? []).reduce(object) { $0.adding($1.name, $1.value) }
    return try IDXResponse(parsing: all.bytes)
  }

  @Test("It is read from the response, and from the authenticator that is challenged")
  func places() throws {
    let whole = try response([
      "authenticatorChallenge": [
        "type": "object", "value": Self.loopback.adding("cancel", Self.cancel),
      ]
    ])
    let factor = try response([
      "currentAuthenticator": [
        "type": "object",
        "value": [
          "key": "okta_verify", "cancel": Self.cancel,
          "contextualData": ["challenge": ["type": "object", "value": Self.loopback]],
        ],
      ]
    ])
    for response in [whole, factor] {
      let challenge = try require(response.deviceChallenge)
      expectEqual(challenge.method, .loopback)
      expectEqual(challenge.request, "a.b.c")
      expectEqual(challenge.domain, "http://localhost")
      expectEqual(challenge.httpsDomain, "https://ov.example")
      expectEqual(challenge.ports, [6511, 6512])
      expectEqual(challenge.probeTimeout, .milliseconds(250))
      expect(challenge.ended(because: .unreachable) != nil)
    }
    try expectEqual(response([:]).deviceChallenge, nil)
  }

  @Test("The form that gives it up has the reason and the status, also if it has others")
  func end() throws {
    let challenge = try require(
      response([
        "authenticatorChallenge": [
          "type": "object", "value": Self.loopback.adding("cancel", Self.cancel),
        ]
      ]).deviceChallenge)
    let refused = try require(challenge.ended(because: .returnedError, status: 500))
    try expectEqual(
      refused.body(answering: [:]),
      ["stateHandle": "02-handle", "reason": "OV_RETURNED_ERROR", "statusCode": 500])
    let unreachable = try require(challenge.ended(because: .unreachable))
    try expectEqual(
      unreachable.body(answering: [:]),
      [
        "stateHandle": "02-handle", "reason": "OV_UNREACHABLE_BY_LOOPBACK", "statusCode": .null,
      ])
    let endless = try response([
      "authenticatorChallenge": ["type": "object", "value": Self.loopback]
    ]).deviceChallenge
    expectEqual(endless?.ended(because: .userCanceled), nil)
  }
}
