import Expectations
import Foundation
import IDX
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Setting up Okta Verify in the simulated org.
struct OktaVerifyEnrollmentTests {
  private let login = OrgClient.login
  private let channel: Remediation.Name = "select-enrollment-channel"
  private let channelData: Remediation.Name = "enrollment-channel-data"

  private func begin(_ org: SimulatedOrg) async throws -> OrgClient {
    var client = try await OrgClient.signedIn(org)
    try await client.fill(
      .selectAuthenticatorEnroll, ["authenticator": .authenticator(.oktaVerify)])
    return client
  }

  @Test(
    "The link is sent by email or SMS to the given address, and works like the QR code",
    arguments: [
      ("email", "email", "countess@shop.example", "email"),
      ("sms", "phoneNumber", "+15550100142", "phone"),
    ])
  func link(name: String, field: String, destination: String, again: String) async throws {
    let org = makeOrg(.required(.oktaVerify))
    var client = try await begin(org)
    try await client.fill(channel, ["authenticator.channel": .text(name)])
    expectEqual(client.remediations, [channelData.rawValue, channel.rawValue])
    try expectEqual(client.read().currentAuthenticator?.selectedChannel, name)
    await expectEmpty(org.mailbox.messages)
    try await client.fill(channelData, [field: "nowhere"])
    expectEqual(client.status, 400)
    expectEqual(client.messageKeys(at: field).count, 1)
    try await client.fill(channelData, [field: .text(destination)])
    expectEqual(client.remediations, ["enroll-poll", channel.rawValue])
    expectEqual(client.current?["contextualData"]?[field]?.string, destination)
    expectEqual(client.current?["contextualData"]?["qrcode"], nil)
    let resend = try require(client.form("resend"))
    expectEqual(resend["value"]?[0]?["name"]?.string, again)
    let first = try await require(org.mailbox.messages.last)
    expectEqual(first.method.rawValue, name)
    expectEqual(first.recipient, destination)
    expectContains(first.text, "https://demo.okta.example/")

    try await client.fill(.resend)
    await expectEqual(org.mailbox.messages.count, 2)
    await org.followLink(in: first)
    try await client.fill(.enrollPoll)
    expectEqual(client.remediations.first, "enroll-poll", "The first link is no longer good")
    await org.followLink(in: try await require(org.mailbox.messages.last))
    try await client.fill(.enrollPoll)
    expect(client.isDone)
    await expectEqual(org.user(login)?.enrollments.map(\.authenticator), [.oktaVerify])
  }

  @Test("A setup waits for the phone until the phone completes it")
  func waiting() async throws {
    let org = makeOrg(.required(.oktaVerify))
    await expectEqual(org.waitingEnrollments(for: login), [])
    let client = try await begin(org)
    expectEqual(client.remediations.first, "enroll-poll")
    await expectEqual(org.waitingEnrollments(for: login), [.oktaVerify])
    await expectEqual(org.waitingEnrollments(for: "nobody@shop.example"), [])
    await org.completeEnrollment(for: login)
    await expectEqual(org.waitingEnrollments(for: login), [])
  }
}
