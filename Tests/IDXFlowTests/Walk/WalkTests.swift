import Testing

@Suite("Every form can be walked through the handlers")
struct WalkTests {
  private static let tally: [WalkEnd: Int] = [
    .body: 330, .poll: 10, .page: 7, .engine: 3, .obstacle("fast_pass"): 2,
    .obstacle("device_probe"): 2, .obstacle("duo_frame"): 2, .obstacle("password_elsewhere"): 2,
    .obstacle("captcha"): 1, .obstacle("apple_sso_extension"): 1,
  ]

  @Test("Each form of our own responses ends in a body, a poll, a page or a named obstacle")
  func fixtures() async throws {
    let walk = try await Walk(folder: Walk.fixtures)
    #expect(walk.failures == [])
    #expect(walk.files == 101)
    #expect(walk.others == 0)
    #expect(walk.tally == Self.tally)
  }

  @Test("An odd way of writing changes nothing about that", arguments: Oddity.allCases)
  func oddities(_ oddity: Oddity) async throws {
    let walk = try await Walk(folder: Walk.fixtures, oddity)
    #expect(walk.failures == [])
    #expect(walk.files == 101)
    // Without keys and references, it is not known which step is about a passkey.
    if oddity != .noKeys, oddity != .noReferences { #expect(walk.tally == Self.tally) }
  }
}
