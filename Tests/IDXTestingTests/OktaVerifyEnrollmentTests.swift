import Foundation
import IDX
import IDXFlow
import IDXQRCode
import IDXTesting
import Testing

@Suite("Setting up Okta Verify in the simulated org")
struct OktaVerifyEnrollmentTests {
  private let login = Visitor.login
  private let select = Remediation.Name.selectAuthenticatorEnroll
  private let channel: Remediation.Name = "select-enrollment-channel"
  private let channelData: Remediation.Name = "enrollment-channel-data"

  private func begin(
    _ org: SimulatedOrg, _ choice: Answers = ["authenticator": .authenticator(.oktaVerify)]
  ) async throws -> Visitor {
    var visitor = try await Visitor.signedIn(org)
    try await visitor.fill(select, choice)
    return visitor
  }

  @Test(
    "A link goes by e-mail or SMS to where the user says, and does as well as the code",
    arguments: [
      ("email", "email", "countess@shop.example", "email"),
      ("sms", "phoneNumber", "+15550100142", "phone"),
    ])
  func link(name: String, field: String, destination: String, again: String) async throws {
    let org = makeOrg(.required(.oktaVerify))
    var visitor = try await begin(org)
    try await visitor.fill(channel, ["authenticator.channel": .text(name)])
    #expect(visitor.remediations == [channelData.rawValue, channel.rawValue])
    #expect(try visitor.read().currentAuthenticator?.selectedChannel == name)
    #expect(await org.mailbox.messages.isEmpty)
    try await visitor.fill(channelData, [field: "nowhere"])
    #expect(visitor.status == 400)
    #expect(visitor.messageKeys(at: field).count == 1)
    try await visitor.fill(channelData, [field: .text(destination)])
    #expect(visitor.remediations == ["enroll-poll", channel.rawValue])
    #expect(visitor.current?["contextualData"]?[field]?.string == destination)
    #expect(visitor.current?["contextualData"]?["qrcode"] == nil)
    let resend = try #require(visitor.form("resend"))
    #expect(resend["value"]?[0]?["name"]?.string == again)
    let first = try #require(await org.mailbox.messages.last)
    #expect(first.method.rawValue == name)
    #expect(first.recipient == destination)
    #expect(first.text.contains("https://demo.okta.example/"))

    try await visitor.submit("resend")
    #expect(visitor.messageKeys == ["api.error.field_required"])
    try await visitor.introspect()
    try await visitor.fill(.resend)
    #expect(await org.mailbox.messages.count == 2)
    await org.followLink(in: first)
    try await visitor.fill(.enrollPoll)
    #expect(visitor.remediations.first == "enroll-poll", "The first link is no longer good")
    await org.followLink(in: try #require(await org.mailbox.messages.last))
    try await visitor.fill(.enrollPoll)
    #expect(visitor.isDone)
    #expect(await org.user(login)?.enrollments.map(\.authenticator) == [.oktaVerify])
  }

  @Test("The channel can be said with the choice, and changed back")
  func channels() async throws {
    let org = makeOrg(.required(.oktaVerify))
    var visitor = try await begin(
      org,
      [
        "authenticator": .authenticator(.oktaVerify), "authenticator.channel": "sms",
      ])
    #expect(visitor.remediations.first == channelData.rawValue)
    let fields = visitor.form(channel.rawValue)?["value"]?[0]?["form"]?["value"]?.array ?? []
    #expect(
      fields.last?["options"]?.array?.compactMap { $0["value"]?.string } == ["qrcode", "email"])
    try await visitor.fill(channel, ["authenticator.channel": "qrcode"])
    #expect(visitor.remediations.first == "enroll-poll")
    #expect(await org.mailbox.messages.isEmpty)
    await org.completeEnrollment(for: login)
    try await visitor.fill(.enrollPoll)
    #expect(visitor.isDone)
  }
}
