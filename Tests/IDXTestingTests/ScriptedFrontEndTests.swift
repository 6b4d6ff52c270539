import Expectations
import Foundation
import IDX
import IDXFlow
import IDXSimulatedOrg
import IDXTesting
import SignInSupport
import Testing

/// Scripted front-end.
struct ScriptedFrontEndTests {
  @Test(
    "An unexpected question, a missing reply and an unused reply are errors",
    arguments: [
      (
        [.login, .authenticator(.email)],
        [
          "“authenticator”", "“credentials.passcode” (“Password”)", "“challenge-authenticator”",
        ]
      ),
      ([.login], ["“credentials.passcode”"]),
      (
        [
          .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
          .passcode("hunter2"),
        ], ["“credentials.passcode”"]
      ),
      // The question is repeated, and the error says why.
      ([.nothing("identifier"), .password], ["Enter an answer."]),
      // The form is not offered, and the error lists the forms that are.
      ([.instead("identifier", .skip)], ["“skip”", "cancel"]),
      ([.totp("identifier")], ["“identifier”"]),
      ([.answer("identifier") { nil }], ["“identifier”"]),
    ] as [([ScriptedReply], [String])])
  func errors(replies: [ScriptedReply], texts: [String]) async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let error = await #expect(throws: ScriptedFrontEndError.self) {
      _ = try await test.run(replies)
    }
    let message = try require(error).description
    for text in texts { expectContains(message, text) }
    expect(!message.contains("hunter2"))
  }

  @Test("Steps, questions, messages and apps are recorded in order")
  func record() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let (_, person) = try await test.run([
      .answer("Username", .text(TestSignIn.login)), .passcode("a guess"), .password,
      .answer("authenticator", .option(0)), .totp("Code"),
    ])
    await expectEqual(
      person.steps,
      [
        .identify, .challengeAuthenticator, .challengeAuthenticator, .selectAuthenticatorEnroll,
        .enrollAuthenticator,
      ])
    await expectEqual(
      person.asked,
      [
        "identifier", "credentials.passcode", "credentials.passcode", "authenticator",
        "credentials.passcode",
      ])
    await expectEqual(person.messages, [.incorrectPassword])
    await expectEqual(person.apps.map(\.name), ["Google Authenticator"])
  }

  @Test("Descriptions show no replies")
  func redaction() {
    let replies: [ScriptedReply] = [.passcode("hunter2")]
    for value in [replies, ScriptedFrontEnd(replies)] as [Any] {
      expect(!printedTexts(of: value).contains("hunter2"))
    }
  }
}
