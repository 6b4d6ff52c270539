/// The state of a sign-in that only the classic API needs.
struct ClassicState: Sendable {
  /// Whether the client asked for a warning if the password expires soon.
  var warnsBeforeExpiry = false
  /// Whether more setups are offered after an optional one.
  var offersMore = false
  /// The result of the last push; nil while it waits.
  var pushResult: String?
  /// The last part of the address of the QR code.
  var imageToken: String?
}
