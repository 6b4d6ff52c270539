import Expectations
import Foundation
import IDX
import IDXBase
import IDXOAuth
import IDXSimulatedOrg
import Testing

@Suite("What clients of other libraries send to the simulated org, and need from it")
struct OtherClientTests {
  // MARK: Forms

  @Test("The choice between texts is a text, unless the shape of the responses is another one")
  func typeOfChoices() async throws {
    for (shape, type) in [
      ([], "string"), (.untypedChoices, nil),
    ] as [(ResponseShape, JSONValue?)] {
      var client = try await OrgClient(
        makeOrg(.required(.phone, .oktaVerify, .securityQuestion), shape: shape))
      try await client.signIn()
      let options = client.choices(of: "select-authenticator-enroll")
      let fields = options.flatMap { $0["value"]?["form"]?["value"]?.array ?? [] }
      let choices = fields.filter { $0["options"] != nil }
      expectEqual(choices.compactMap { $0["name"]?.string }, ["methodType", "channel"])
      for choice in choices { expectEqual(choice["type"], type, "\(choice)") }
      expectEqual(client.form("select-authenticator-enroll")?["value"]?[0]?["type"], "object")
      try await client.choose("Security Question", in: "select-authenticator-enroll")
      let question = client.form("enroll-authenticator")?["value"]?[0]?["options"]?[0]
      expectEqual(question?["value"]?["form"]?["value"]?[0]?["name"], "questionKey")
      expectEqual(question?["value"]?["form"]?["value"]?[0]?["type"], type)
    }
  }

  @Test("The labels of a security question are those of Okta")
  func questionLabels() async throws {
    var client = try await OrgClient(makeOrg(.required(.securityQuestion)))
    try await client.signIn()
    try await client.choose("Security Question", in: "select-authenticator-enroll")
    let options = client.form("enroll-authenticator")?["value"]?[0]?["options"]?.array ?? []
    expectEqual(
      options.compactMap { $0["label"]?.string },
      ["Choose a security question", "Create my own security question"])
    let labels = options.flatMap { $0["value"]?["form"]?["value"]?.array ?? [] }
      .compactMap { $0["label"]?.string }
    expectEqual(
      labels, ["Choose a security question", "Answer", "Create a security question", "Answer"])
  }
}
