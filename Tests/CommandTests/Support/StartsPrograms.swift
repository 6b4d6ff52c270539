import Testing

extension Tag {
  /// Tests that start a program or need a terminal. Leave them out with `swift test --skip CommandTests`.
  @Tag static var startsPrograms: Self
}
