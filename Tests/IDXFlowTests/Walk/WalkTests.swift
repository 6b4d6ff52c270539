import Testing

@Suite("Every form can be walked through the handlers")
struct WalkTests {
  private static let tally: [WalkEnd: Int] = [
    .body: 330, .poll: 10, .page: 7, .engine: 3, .unsupported("fast_pass"): 2,
    .unsupported("device_probe"): 2, .unsupported("duo_frame"): 2,
    .unsupported("password_elsewhere"): 2,
    .unsupported("captcha"): 1, .unsupported("apple_sso_extension"): 1,
  ]

  @Test("Each form of our own responses ends in a body, a poll, a page or a named unsupported step")
  func fixtures() async throws {
    let walk = try await Walk(folder: Walk.fixtures)
    #expect(walk.failures == [])
    #expect(walk.files == 101)
    #expect(walk.others == 0)
    #expect(walk.tally == Self.tally)
  }

  @Test("An odd way of writing changes nothing about that", arguments: Mutation.allCases)
  func oddities(_ mutation: Mutation) async throws {
    let walk = try await Walk(folder: Walk.fixtures, mutation)
    #expect(walk.failures == [])
    #expect(walk.files == 101)
    // Without keys and references, it is not known which step is about a passkey.
    if mutation != .noKeys, mutation != .noReferences { #expect(walk.tally == Self.tally) }
  }
}
