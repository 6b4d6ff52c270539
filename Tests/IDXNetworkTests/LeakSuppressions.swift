#if os(Linux)
  /// What the leak check of the address sanitizer passes over, which asks for it by this name.
  ///
  /// These are the toolchain's and the system's: libcurl keeps some bytes of each request; Foundation
  /// the buffer of a file that it reads, its bundles, and the errors of property lists; XCTest its
  /// list of tests. Everything else that leaks is reported.
  @_cdecl("__lsan_default_suppressions")
  public func leakSuppressions() -> UnsafePointer<CChar> {
    let names: StaticString = """
      leak:libcurl
      leak:readBytesFromFile
      leak:CFBundle
      leak:CFPropertyList
      leak:libXCTest

      """
    return UnsafeRawPointer(names.utf8Start).assumingMemoryBound(to: CChar.self)
  }
#endif
