import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("A code that is asked for, and a link that does as well")
struct MagicLinkTests {
  @Test("A link that is followed elsewhere ends the question for the code")
  func link() async throws {
    let world = try World(.required(.email), enrollments: [.email])
    let outcome = try await world.signIn([
      .login, .password,
      .elsewhere("credentials.passcode") { [org = world.org] in
        if let message = await org.mailbox.messages.last { await org.followLink(in: message) }
      },
    ])
    #expect(outcome.signIn != nil)
    #expect(await world.line.steps.suffix(2) == ["poll", "token"])
  }

  @Test("A code that is typed first is sent, and nothing is polled")
  func code() async throws {
    let world = try World(.required(.email), enrollments: [.email])
    let outcome = try await world.signIn([
      .login, .password, .answer("credentials.passcode", from: { [world] in await world.lastCode }),
    ])
    #expect(outcome.signIn != nil)
    #expect(await world.line.count(of: "poll") == 0)
  }

  @Test("While a code is typed, polls without news ask nothing anew")
  func quiet() async throws {
    let world = try World(.required(.email), enrollments: [.email])
    let person = world.person([
      .login, .password,
      .elsewhere("credentials.passcode") { [org = world.org] in
        // The link is followed long after, seen from the server: polls go on meanwhile.
        guard let message = await org.mailbox.messages.last else { return }
        org.advance(by: 60)
        await org.followLink(in: message)
      },
    ])
    #expect(try await world.signIn([], person: person).signIn != nil)
    #expect(await person.asked == ["identifier", "credentials.passcode", "credentials.passcode"])
  }
}
