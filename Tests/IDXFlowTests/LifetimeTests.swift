import IDX
import IDXFlow
import IDXTesting
import Testing

@Suite("What is left of a sign-in")
struct LifetimeTests {
  @Test("A person who remembers every step is let go after the sign-in")
  func prompter() async throws {
    weak var remembered: ScriptedPrompter?
    do {
      let world = try World()
      let person = world.person([.login, .password])
      remembered = person
      #expect(try await world.signIn([], person: person).signIn != nil)
      #expect(await person.notices.isEmpty == false)
    }
    #expect(remembered == nil)
  }
}
