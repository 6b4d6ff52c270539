import IDXBase
import IDXOAuth
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What happens as a file is written or removed, each before it is done.
///
/// It lets a test end the process, or fail, at each of them.
package enum FileStep: String, CaseIterable, Sendable {
  case create
  case write
  case sync
  case rename
  case syncFolder
  case remove
}

/// A file of a private folder that nobody but its owner gets at.
struct StoredFile: Sendable {
  /// The most bytes that are read of a file, and written to it: far more than tokens take.
  static let limit = 1 << 20

  let name: String
  let folder: PrivateFolder
  /// Called before each step, which fails with the error code that it returns, if any.
  var steps: @Sendable (FileStep) -> Int32? = { _ in nil }

  var path: String { folder.path(of: name) }

  /// What is in it; nil where there is none.
  ///
  /// Throws where others could have read or changed it, and where it is something else than a file.
  /// Never waits, whatever it is.
  func read() throws(CredentialStoreError) -> [UInt8]? {
    let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let descriptor = openat(folder.descriptor, name, flags)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw insecure("is a link to another file. Remove the link")
      case ENXIO, EOPNOTSUPP: throw insecure("is no file. Move it away")
      case let code: throw .unreadable(path, code)
      }
    }
    defer { shut(descriptor) }
    try check(descriptor)
    let bytes: [UInt8]
    do {
      bytes = try readAll(of: descriptor, limit: Self.limit)
    } catch {
      throw .unreadable(path, error.code)
    }
    guard bytes.count <= Self.limit else {
      throw CredentialStoreError(
        .damaged,
        "\(path.printable) is far too large for a credential. Move it away and sign in again.")
    }
    return bytes
  }

  /// Writes the file anew, by way of another one that takes its place when it is complete.
  ///
  /// Whenever the process or the machine stops, the old file is there or the new one. Two at a time
  /// must not write in one folder: what others have left behind is removed.
  func replace(with bytes: [UInt8]) throws(CredentialStoreError) {
    // It could not be read again, and what is there would be lost.
    guard bytes.count <= Self.limit else {
      throw CredentialStoreError(
        .notWritable,
        "The tokens are too large for \(path.printable), which stays as it is: \(bytes.count) bytes,"
          + " and \(Self.limit) are allowed.")
    }
    try removeLeftovers()
    let draft = "\(Self.draftPrefix)\(RandomBytes.system.token(bytes: 12))\(Self.draftSuffix)"
    do {
      try write(bytes, to: draft)
      try step(.rename) { renameat(folder.descriptor, draft, folder.descriptor, name) }
    } catch {
      unlinkat(folder.descriptor, draft, 0)
      throw .unwritable(path, error.code)
    }
    try syncFolder()
  }

  /// Removes it, whatever it is; it is no error where there is none.
  func remove() throws(CredentialStoreError) {
    do {
      try step(.remove) { unlinkat(folder.descriptor, name, 0) }
    } catch {
      if error.code == ENOENT { return }
      throw .unwritable(path, error.code)
    }
    try syncFolder()
  }

  private static let draftPrefix = "new-"
  private static let draftSuffix = ".tmp"

  private func check(_ descriptor: Int32) throws(CredentialStoreError) {
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw .unreadable(path, errno) }
    guard facts.st_mode & S_IFMT == S_IFREG else { throw insecure("is no file. Move it away") }
    guard facts.st_uid == geteuid() else {
      throw insecure("belongs to another user. Move it away and sign in again")
    }
    guard facts.st_mode & 0o077 == 0 else {
      throw CredentialStoreError(
        .insecure, "Others get at \(path.printable). Run: chmod 600 \(path.quoted)")
    }
    // None is left where the file was replaced just now: it is a whole one all the same.
    guard facts.st_nlink <= 1 else {
      throw insecure("has another name elsewhere (a hard link). Move it away and sign in again")
    }
  }

  private func insecure(_ what: String) -> CredentialStoreError {
    CredentialStoreError(.insecure, "\(path.printable) \(what).")
  }

  private func write(_ bytes: [UInt8], to draft: String) throws(SystemFailure) {
    try begin(.create)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openat(folder.descriptor, draft, flags, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(call: "open", code: errno) }
    defer { shut(descriptor) }
    // Whatever the mask of the process, its owner is to read it.
    guard fchmod(descriptor, 0o600) == 0 else { throw SystemFailure(call: "fchmod", code: errno) }
    try begin(.write)
    if let code = IDXSystem.write(all: bytes, to: descriptor) {
      throw SystemFailure(call: "write", code: code)
    }
    try step(.sync) { sync(descriptor) }
  }

  private func syncFolder() throws(CredentialStoreError) {
    do {
      try step(.syncFolder) { fsync(folder.descriptor) }
    } catch {
      // Some file systems have nothing to write down for a folder.
      if error.code == EINVAL { return }
      throw .unwritable(path, error.code)
    }
  }

  private func begin(_ step: FileStep) throws(SystemFailure) {
    if let code = steps(step) { throw SystemFailure(call: step.rawValue, code: code) }
  }

  private func step(_ step: FileStep, _ call: () -> Int32) throws(SystemFailure) {
    try begin(step)
    while call() != 0 {
      if errno != EINTR { throw SystemFailure(call: step.rawValue, code: errno) }
    }
  }

  private func sync(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      // What fsync writes there may still be in the memory of the disk.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor)
  }

  private func removeLeftovers() throws(CredentialStoreError) {
    for name in try folder.names()
    where name.hasPrefix(Self.draftPrefix) && name.hasSuffix(Self.draftSuffix) {
      unlinkat(folder.descriptor, name, 0)
    }
  }
}
