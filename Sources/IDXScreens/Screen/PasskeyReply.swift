public import IDXFlow

extension Screen.PasskeyRequest {
  /// The reply of a passkey, or why it could not answer.
  ///
  /// Call it at once if ``Screen/startsByItself``, otherwise when the person chooses the main action.
  public func reply(from provider: any PasskeyProvider) async throws -> Reply {
    do {
      switch self {
      case .create(let options): return .created(try await provider.register(options))
      case .sign(let options): return .signed(try await provider.sign(options))
      }
    } catch let error as PasskeyError {
      return .failed(error.message)
    }
  }
}
