import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("Scripted prompter")
struct ScriptedPrompterTests {
  private func error(_ replies: [ScriptedReply]) async throws -> String {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let error = await #expect(throws: ScriptedPrompterError.self) {
      _ = try await test.run(replies)
    }
    return error?.description ?? ""
  }

  @Test("An unexpected question is an error that names both questions")
  func unexpected() async throws {
    let message = try await error([.login, .authenticator(.email)])
    #expect(message.contains("“authenticator”"))
    #expect(message.contains("“credentials.passcode” (“Password”)"))
    #expect(message.contains("“challenge-authenticator”"))
  }

  @Test("A question after the last reply is an error")
  func usedUp() async throws {
    #expect(try await error([.login]).contains("“credentials.passcode”"))
  }

  @Test("A reply that is left over is an error that does not contain the reply")
  func leftOver() async throws {
    let message = try await error([
      .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
      .passcode("hunter2"),
    ])
    #expect(message.contains("“credentials.passcode”"))
    #expect(!message.contains("hunter2"))
  }

  @Test("For a repeated question, the error says why it was repeated")
  func askedAgain() async throws {
    #expect(try await error([.nothing("identifier"), .password]).contains("is required"))
  }

  @Test("A form that is not offered is an error that lists the offered forms")
  func notOffered() async throws {
    let message = try await error([.instead("identifier", .skip)])
    #expect(message.contains("“skip”"))
    #expect(message.contains("cancel"))
  }

  @Test(
    "A code without a key and a missing answer are errors",
    arguments: [
      ScriptedReply.totp("identifier"), .answer("identifier") { nil },
    ])
  func nothingToAnswer(reply: ScriptedReply) async throws {
    #expect(try await error([reply]).contains("“identifier”"))
  }

  @Test("Steps, questions, messages and apps are recorded in order")
  func record() async throws {
    let test = try TestSignIn(.required(.googleAuthenticator))
    let (_, person) = try await test.run([
      .answer("Username", .text(TestSignIn.login)), .passcode("a guess"), .password,
      .answer("authenticator", .option(0)), .totp("Enter code"),
    ])
    #expect(
      await person.steps == [
        .identify, .challengeAuthenticator, .challengeAuthenticator, .selectAuthenticatorEnroll,
        .enrollAuthenticator,
      ])
    #expect(
      await person.asked == [
        "identifier", "credentials.passcode", "credentials.passcode", "authenticator",
        "credentials.passcode",
      ])
    #expect(await person.messages == [.incorrectPassword])
    #expect(await person.apps.map(\.name) == ["Google Authenticator"])
  }
}
