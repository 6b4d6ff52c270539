import Foundation
import IDXStorage
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The new version of a file, until it takes the place of the old one: `NAME-UUID.tmp` in the same folder.
///
/// It is locked while it is written. So a replacement without a lock is what a crash left behind, and anybody may
/// remove it.
enum FileReplacement {
  /// Replaces a file at once, so that a crash leaves the old content or the new one, and removes old replacements.
  ///
  /// Only the owner can access the new file. `beforeRename` gets the path of the replacement, for tests.
  static func replace(
    _ file: URL, with bytes: [UInt8], beforeRename: (String) throws -> Void = { _ in }
  ) throws {
    let folder = file.deletingLastPathComponent()
    let prefix = prefix(of: file)
    removeOld(of: file)
    let (replacement, descriptor) = try create(in: folder, prefix)
    defer { close(descriptor) }
    do {
      if let code = write(all: bytes, to: descriptor) {
        throw SystemFailure(call: "write", code: code)
      }
      guard fsync(descriptor) == 0 else { throw SystemFailure(call: "fsync", code: errno) }
      try beforeRename(replacement)
      guard rename(replacement, file.path) == 0 else {
        throw SystemFailure(call: "rename", code: errno)
      }
    } catch {
      unlink(replacement)
      throw error
    }
  }

  /// Creates a replacement and locks it, which takes two steps: if another process removes it in between, creates
  /// another.
  private static func create(
    in folder: URL, _ prefix: String
  ) throws -> (path: String, descriptor: Int32) {
    for _ in 0..<10 {
      let replacement = folder.appending(path: "\(prefix)\(UUID().uuidString)\(suffix)").path
      let descriptor = try PrivateFile.create(replacement)
      var status = stat()
      // Without support for locks, a replacement that is left behind is never removed.
      let isLockedElsewhere = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK
      if !isLockedElsewhere, fstat(descriptor, &status) == 0, status.st_nlink > 0 {
        return (replacement, descriptor)
      }
      close(descriptor)
      unlink(replacement)
    }
    throw SystemFailure(call: "flock", code: EWOULDBLOCK)
  }

  /// Replaces a file in a folder of this user, which is created if it is missing.
  static func replaceWithFolder(_ file: URL, with bytes: [UInt8]) throws {
    let folder = file.deletingLastPathComponent().path
    if let code = PrivateFolder.create(folder) { throw SystemFailure(call: "mkdir", code: code) }
    try replace(file, with: bytes)
  }

  /// Why a file was not replaced, as a part of a sentence.
  static func reason(of error: any Error) -> String {
    let code = (error as? SystemFailure)?.code ?? (error as? PrivateFile.WriteError)?.systemCode
    return code.map { String(cString: strerror($0)).lowercased() } ?? "\(error)".sanitized
  }

  private static let suffix = ".tmp"

  private static func prefix(of file: URL) -> String {
    file.deletingPathExtension().lastPathComponent + "-"
  }

  /// Removes the replacements of a file that a crash left behind.
  static func removeOld(of file: URL) {
    let (folder, prefix) = (file.deletingLastPathComponent(), prefix(of: file))
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [] {
      let path = folder.appending(path: name).path
      guard name.hasPrefix(prefix), name.hasSuffix(suffix),
        UUID(uuidString: String(name.dropFirst(prefix.count).dropLast(suffix.count))) != nil,
        let attributes = try? FileManager.default.attributesOfItem(atPath: path),
        attributes[.type] as? FileAttributeType == .typeRegular
      else { continue }
      let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
      close(descriptor)
    }
  }
}
