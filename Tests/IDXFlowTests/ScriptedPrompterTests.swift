import Foundation
import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("A scripted person")
struct ScriptedPrompterTests {
  private func error(_ replies: [ScriptedReply]) async throws -> String {
    let world = try World(.required(.googleAuthenticator))
    let error = await #expect(throws: ScriptedPrompterError.self) {
      _ = try await world.signIn(replies)
    }
    return error?.description ?? ""
  }

  @Test("A question that is not expected ends the sign-in, and the error names both")
  func unexpected() async throws {
    let message = try await error([.login, .authenticator(.email)])
    #expect(message.contains("“authenticator”"))
    #expect(message.contains("“credentials.passcode” (“Password”)"))
    #expect(message.contains("“challenge-authenticator”"))
  }

  @Test("A question after the last reply ends the sign-in")
  func usedUp() async throws {
    #expect(try await error([.login]).contains("“credentials.passcode”"))
  }

  @Test("Replies that are left over are an error, which does not repeat them")
  func leftOver() async throws {
    let message = try await error([
      .login, .password, .authenticator(.googleAuthenticator), .totp("credentials.passcode"),
      .passcode("hunter2"),
    ])
    #expect(message.contains("“credentials.passcode”"))
    #expect(!message.contains("hunter2"))
  }

  @Test("A question that is asked again says why")
  func askedAgain() async throws {
    #expect(try await error([.nothing("identifier"), .password]).contains("is required"))
  }

  @Test("A form that is not offered cannot be taken instead, and the error lists what is")
  func notOffered() async throws {
    let message = try await error([.instead("identifier", .skip)])
    #expect(message.contains("“skip”"))
    #expect(message.contains("cancel"))
  }

  @Test(
    "A code without a key, and an answer that is not there, are errors",
    arguments: [
      ScriptedReply.totp("identifier"), .answer("identifier") { nil },
    ])
  func nothingToAnswer(reply: ScriptedReply) async throws {
    #expect(try await error([reply]).contains("“identifier”"))
  }

  @Test("It remembers what was shown and asked, in order")
  func record() async throws {
    let world = try World(.required(.googleAuthenticator))
    let person = world.person([
      .answer("Username", .value(.string(World.login))), .passcode("a guess"), .password,
      .answer("authenticator", .option(0)), .totp("Enter code"),
    ])
    _ = try await world.signIn([], person: person)
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
