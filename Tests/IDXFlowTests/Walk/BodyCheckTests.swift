import IDXBase
import IDX
import Testing

@Suite("The check of bodies finds what is wrong with them")
struct BodyCheckTests {
  private static let form: JSONValue = [
    "value": [
      ["name": "stateHandle", "required": true, "value": "02-own", "mutable": false],
      ["name": "flag", "type": "boolean"],
      ["name": "pin", "minLength": 2, "maxLength": 3],
      [
        "name": "profile", "form": ["value": [["name": "city", "required": true]]],
      ],
      [
        "name": "authenticator",
        "options": [
          ["form": ["value": [["name": "id", "value": "a1", "mutable": false]]]],
          ["value": ["form": ["value": [["name": "number", "required": "true"]]]]],
        ],
      ],
      ["name": "channel", "options": [["value": "sms"]]],
    ]
  ]

  @Test(
    "A body that the form accepts has no faults",
    arguments: [
      ["stateHandle": "02-own"],
      ["stateHandle": "02-own", "flag": true, "pin": "12", "profile": ["city": "Galle"]],
      ["stateHandle": "02-own", "authenticator": ["number": "7"], "channel": "sms"],
    ] as [JSONValue])
  func sound(_ body: JSONValue) { #expect(BodyCheck(of: body, against: Self.form).faults == []) }

  @Test(
    "One fault is found",
    arguments: [
      [:],
      ["stateHandle": "02-other"],
      ["stateHandle": "02-own", "unknown": 1],
      ["stateHandle": "02-own", "flag": "true"],
      ["stateHandle": "02-own", "pin": 12],
      ["stateHandle": "02-own", "pin": "1"],
      ["stateHandle": "02-own", "pin": "1234"],
      ["stateHandle": "02-own", "profile": [:]],
      ["stateHandle": "02-own", "profile": ["city": "Galle", "street": "x"]],
      ["stateHandle": "02-own", "authenticator": ["id": "a2"]],
      ["stateHandle": "02-own", "authenticator": [:]],
      ["stateHandle": "02-own", "channel": "voice"],
      ["02-own"],
    ] as [JSONValue])
  func faulty(_ body: JSONValue) {
    #expect(!BodyCheck(of: body, against: Self.form).faults.isEmpty)
  }
}
