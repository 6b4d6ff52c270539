#if os(Linux)
  /// The leaks that the address sanitizer ignores; it looks for a function with this name.
  ///
  /// They are leaks of the toolchain: Foundation leaks the buffer of a file that it reads, its bundles, and
  /// errors of property lists; XCTest leaks its list of tests. All other leaks are reported.
  @_cdecl("__lsan_default_suppressions")
  public func leakSuppressions() -> UnsafePointer<CChar> {
    let names: StaticString = """
      leak:readBytesFromFile
      leak:CFBundle
      leak:CFPropertyList
      leak:libXCTest

      """
    return UnsafeRawPointer(names.utf8Start).assumingMemoryBound(to: CChar.self)
  }
#endif
