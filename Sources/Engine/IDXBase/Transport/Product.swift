/// What this package calls itself in requests.
package enum Product {
  /// The version of this package.
  package static let version = "0.1.0"

  /// The operating system.
  package static var system: String {
    #if os(Linux)
      "Linux"
    #elseif os(macOS)
      "macOS"
    #elseif os(iOS)
      "iOS"
    #else
      "other"
    #endif
  }
}
