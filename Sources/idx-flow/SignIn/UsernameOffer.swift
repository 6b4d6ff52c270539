import IDXScreens

/// A front-end that offers a username at the first question for one: Enter accepts it.
struct UsernameOffer: FrontEnd {
  let other: any FrontEnd
  /// The username of the last sign-in; nil to offer none.
  let username: String?

  func reply(to original: Screen) async throws -> Reply {
    var screen = original
    if let username, screen.attempt == 1,
      let index = screen.inputs.firstIndex(where: {
        $0.contentType == .username && $0.kind == .text && $0.suggestion == nil
      })
    {
      screen.inputs[index].suggestion = username
    }
    return try await other.reply(to: screen)
  }
}
