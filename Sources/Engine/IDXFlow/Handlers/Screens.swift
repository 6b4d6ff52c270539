/// How steps are shown to a person: the words, and what the front-end can do.
public struct Screens: Sendable, Hashable {
  /// The words.
  public var words: Words
  /// Whether the front-end can use passkeys (``Screen/passkey``).
  public var canUsePasskeys: Bool
  /// Whether the front-end can pass challenges to Okta Verify and open its links (``Screen/deviceChallenge``,
  /// ``Screen/link``), and whether the person has agreed.
  public var fastPass: DevicePermission
  /// Whether the server may remember the device, where it offers that.
  public var rememberDevice: DevicePermission

  /// Creates the settings of screens.
  public init(
    words: Words = .english, canUsePasskeys: Bool = false, fastPass: DevicePermission = .never,
    rememberDevice: DevicePermission = .never
  ) {
    self.words = words
    self.canUsePasskeys = canUsePasskeys
    self.fastPass = fastPass
    self.rememberDevice = rememberDevice
  }
}
