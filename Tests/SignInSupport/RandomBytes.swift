import IDXBase
package import IDXOAuth

extension RandomBytes {
  /// Bytes that are the same in each run.
  package static func seeded(_ seed: UInt64) -> RandomBytes {
    let state = Locked(seed)
    return RandomBytes { count in
      state.withLock { state in
        (0..<count).map { _ in
          state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
          return UInt8(truncatingIfNeeded: state >> 33)
        }
      }
    }
  }
}
