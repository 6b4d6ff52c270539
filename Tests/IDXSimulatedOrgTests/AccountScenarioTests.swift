import Expectations
import Foundation
import IDX
import IDXFlow
import IDXSimulatedOrg
import Testing

/// Plays every scenario with a simple client: it reads the response, fills in the first form or a
/// preferred one, and submits it.
@Suite("Scenarios about accounts")
struct AccountScenarioTests {
  private enum End: Hashable {
    case tokens
    case messages([String])
  }

  @Test(
    "Each scenario can be played to its end in each response shape",
    arguments: OrgScenario.accounts,
    [[], [.optionsAsForms, .bareReferences, .flagsAsStrings, .unknownMembers]] as [ResponseShape])
  func play(scenario: OrgScenario, shape: ResponseShape) async throws {
    let expected: End =
      switch scenario.name {
      case "register-verify-mail": .messages(["idx.email.verification.required"])
      case "device-code": .messages(["idx.device.activated"])
      case "denied", "denied-final": .messages(["security.access_denied"])
      case "done": .messages(["idx.transferred.to.new.tab"])
      case "activation-expired": .messages(["idx.request.activation.email"])
      case "unlock", "locked-shown": .messages(["oie.selfservice.unlock_user.success.message"])
      case "locked": .messages(["incorrectPassword"])
      case "password-elsewhere": .messages(["simulated.password.elsewhere"])
      default: .tokens
      }
    let start = Date(timeIntervalSince1970: 1_900_000_000)
    let org = SimulatedOrg(scenario, shape: shape, seed: 3, clock: { start })
    var client = try await OrgClient(org)
    var seen: [String] = []
    for _ in 1...20 {
      let response = try IDXResponse(parsing: client.response.body)
      if response.issue != nil {
        try await client.redeem()
        expectEqual(client.status, 200)
        expectEqual(expected, .tokens)
        return
      }
      let isStuck = client.status >= 400 && seen.last == client.remediations.first
      if response.remediations.isEmpty || isStuck {
        expectEqual(expected, .messages(response.allMessages.compactMap { $0.key?.rawValue }))
        return
      }
      let form = preferred(in: response, seen: seen)
      seen.append(form.name.rawValue)
      if form.method == "GET" {
        let end = await org.visit(try #require(URL(string: form.href ?? "")))
        expectEqual(end?.absoluteString.hasPrefix(org.redirectURI), true)
        try await client.introspect()
        continue
      }
      org.advance(by: 10)
      let body = try form.body(answering: await answers(to: form, of: response, at: org))
      try await client.post(try #require(URL(string: form.href ?? "")).path, body)
    }
    Issue.record("\(scenario.name) does not end: \(seen)")
  }

  /// The form to fill in: an alternative that scenarios are about, used once; otherwise, the first form.
  private func preferred(in response: IDXResponse, seen: [String]) -> Remediation {
    let about = [
      "recover", "unlock-account", "select-enroll-profile", "redirect-idp", "piv-idp",
      "launch-authenticator", "cancel-transaction",
    ]
    let offered = response.allForms.first { form in
      about.contains(form.name.rawValue) && !seen.contains(form.name.rawValue)
    }
    let isSkippable = response.remediations.first?.name == "reenroll-custom-password-expiry-warning"
    return offered ?? (isSkippable ? response[.skip] : nil) ?? response.remediations[0]
  }

  private func answers(
    to form: Remediation, of response: IDXResponse, at org: SimulatedOrg
  ) async -> Answers {
    let isNewPassword = !["identify", "challenge-authenticator"].contains(form.name.rawValue)
    let isSent = [.email, .phone].contains(response.currentAuthenticator?.key)
    let code = await org.mailbox.messages.last?.code ?? ""
    let known: Answers = [
      "identifier": "ada@example.com", "userCode": "WDJB-MJHT", "consent": true,
      "authenticator": .option(0), "authenticator.methodType": "sms",
      "credentials.answer": "Difference",
      "credentials.passcode": .text(
        isSent ? code : isNewPassword ? "Mechanism-1831" : "Analytical-1843"),
      "userProfile.firstName": "Mary", "userProfile.lastName": "Somerville",
      "userProfile.email": "mary@example.com", "userProfile.country": "GB",
      "userProfile.newsletter": true, "userProfile.department": "Numbers",
      "userProfile.city": "London", "keepMeSignedIn": true,
    ]
    let paths = form.form.inputs(answering: known).map(\.path)
    return Answers(known.entries.filter { paths.contains($0.key) })
  }
}
