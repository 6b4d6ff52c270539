import Foundation
import IDXBase
import IDXOAuth
import IDXSystem

/// A step of writing or removing a file.
///
/// Tests can make each step fail, or end the process before it.
package enum FileStep: String, CaseIterable, Sendable {
  case create, write, sync, rename, syncFolder, remove
}

/// A file in a private folder that only its owner can access.
struct StoredFile: Sendable {
  /// The largest allowed file in bytes, much larger than any credential.
  static let limit = 1 << 20

  let name: String
  let folder: PrivateFolder
  /// Called before each step; if it returns an error code, the step fails with it.
  var steps: @Sendable (FileStep) -> Int32? = { _ in nil }

  var path: String { folder.path(of: name) }

  /// The content; nil if the file does not exist.
  ///
  /// Throws if other users can access it, or if it is not a regular file. Never blocks, even if it is a
  /// pipe or a device.
  func read() throws(CredentialStoreError) -> [UInt8]? {
    let flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let descriptor = openat(folder.descriptor, name, flags)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ELOOP: throw insecure("is a link. Remove it")
      case ENXIO, EOPNOTSUPP: throw insecure("is not a regular file. Move it away")
      case let code: throw .unreadable(path, code)
      }
    }
    defer { closeDescriptor(descriptor) }
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
        "\(path.printable) is too large for a credential. Move it away and sign in again.")
    }
    return bytes
  }

  /// Replaces the content: writes a draft, and renames it when it is complete.
  ///
  /// If the process or the machine stops at any time, the old content or the new one is there.
  func replace(with bytes: [UInt8]) throws(CredentialStoreError) {
    // A larger file could not be read again, and the old content would be lost.
    guard bytes.count <= Self.limit else {
      throw CredentialStoreError(
        .notWritable,
        "The credential is too large: \(bytes.count) bytes, and \(Self.limit) are allowed. "
          + "\(path.printable) was not changed.")
    }
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

  /// Removes the file, or whatever has its name; a missing file is not an error.
  func remove() throws(CredentialStoreError) {
    do {
      try step(.remove) { unlinkat(folder.descriptor, name, 0) }
    } catch {
      guard error.code == ENOENT else { throw .unwritable(path, error.code) }
    }
    try syncFolder()
  }

  /// Removes the drafts that crashes left in a folder; only one caller may write in it at a time.
  static func removeDrafts(in folder: PrivateFolder) throws(CredentialStoreError) {
    for name in try folder.names()
    where name.hasPrefix(draftPrefix) && name.hasSuffix(draftSuffix) {
      unlinkat(folder.descriptor, name, 0)
    }
  }

  /// Renames the file to one with `.damaged` and a number at the end of its name; returns the new path.
  ///
  /// The store must be locked, so that nothing else takes the name meanwhile.
  func setAside() throws(CredentialStoreError) -> String {
    var number = 1
    var status = stat()
    while fstatat(folder.descriptor, "\(name).damaged-\(number)", &status, AT_SYMLINK_NOFOLLOW) == 0
    {
      number += 1
    }
    let new = "\(name).damaged-\(number)"
    guard renameat(folder.descriptor, name, folder.descriptor, new) == 0 else {
      throw .unwritable(path, errno)
    }
    return "\(path).damaged-\(number)"
  }

  private static let draftPrefix = "new-"
  private static let draftSuffix = ".tmp"

  private func check(_ descriptor: Int32) throws(CredentialStoreError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path, errno) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw insecure("is not a regular file. Move it away")
    }
    guard status.st_uid == geteuid() else {
      throw insecure("belongs to another user. Move it away and sign in again")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw CredentialStoreError(
        .insecure, "Other users can access \(path.printable). Run: chmod 600 \(path.shellWord)")
    }
    // The count is 0 if another process has just replaced the file; its content is still complete.
    guard status.st_nlink <= 1 else {
      throw insecure("has more than one hard link. Move it away and sign in again")
    }
  }

  private func insecure(_ problem: String) -> CredentialStoreError {
    CredentialStoreError(.insecure, "\(path.printable) \(problem).")
  }

  private func write(_ bytes: [UInt8], to draft: String) throws(SystemFailure) {
    try runHook(before: .create)
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let descriptor = openat(folder.descriptor, draft, flags, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(call: "open", code: errno) }
    defer { closeDescriptor(descriptor) }
    // The umask must not lock out the owner.
    guard fchmod(descriptor, 0o600) == 0 else { throw SystemFailure(call: "fchmod", code: errno) }
    try runHook(before: .write)
    if let code = IDXSystem.write(all: bytes, to: descriptor) {
      throw SystemFailure(call: "write", code: code)
    }
    try step(.sync) { sync(descriptor) }
  }

  private func syncFolder() throws(CredentialStoreError) {
    do {
      try step(.syncFolder) { fsync(folder.descriptor) }
    } catch {
      // Some file systems cannot sync a folder.
      if error.code == EINVAL { return }
      throw .unwritable(path, error.code)
    }
  }

  private func runHook(before step: FileStep) throws(SystemFailure) {
    if let code = steps(step) { throw SystemFailure(call: step.rawValue, code: code) }
  }

  private func step(_ step: FileStep, _ call: () -> Int32) throws(SystemFailure) {
    try runHook(before: step)
    while call() != 0 {
      if errno != EINTR { throw SystemFailure(call: step.rawValue, code: errno) }
    }
  }

  private func sync(_ descriptor: Int32) -> Int32 {
    #if canImport(Darwin)
      // After fsync alone, the data may still be in the cache of the disk.
      if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
    #endif
    return fsync(descriptor)
  }
}
