import Foundation
import IDXBase
import IDXOAuth

/// An open folder that only its owner can access.
///
/// It stays open, so that the folder that was checked is the folder that is used. The caller closes it.
package struct PrivateFolder: Sendable {
  let path: String
  let descriptor: Int32

  /// Opens a folder; nil if it does not exist.
  ///
  /// Throws ``CredentialStoreError/Code/insecure`` if it is a link, or if other users can access it.
  static func open(_ path: String) throws(CredentialStoreError) -> PrivateFolder? {
    let descriptor = openDescriptor(path)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ENOTDIR, ELOOP:
        throw CredentialStoreError(
          .insecure, "\(path.printable) is a link, or not a folder. Replace it with a folder.",
          systemCode: errno)
      case let code: throw .unreadable(path, code)
      }
    }
    let folder = PrivateFolder(path: path, descriptor: descriptor)
    do {
      try folder.check()
      return folder
    } catch {
      folder.close()
      throw error
    }
  }

  /// Opens a folder; if it is missing, creates it and its parents with mode 0700.
  static func openOrCreate(_ path: String) throws(CredentialStoreError) -> PrivateFolder {
    if let folder = try open(path) { return folder }
    if let code = create(path) { throw .unwritable(path, code) }
    guard let folder = try open(path) else { throw .unwritable(path, ENOENT) }
    return folder
  }

  /// The path of a file in the folder.
  func path(of name: String) -> String { "\(path)/\(name)" }

  func close() { closeDescriptor(descriptor) }

  /// The names of the files and folders in it, in no particular order.
  func names() throws(CredentialStoreError) -> [String] {
    let listed = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard listed >= 0, let stream = fdopendir(listed) else { throw .unreadable(path, errno) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }

  private func check() throws(CredentialStoreError) {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(path, errno) }
    guard status.st_uid == geteuid() else {
      throw CredentialStoreError(
        .insecure,
        "The folder \(path.printable) belongs to another user. Choose a folder that belongs to you."
      )
    }
    guard status.st_mode & 0o077 == 0 else {
      throw CredentialStoreError(
        .insecure,
        "Other users can access the folder \(path.printable). Run: chmod 700 \(path.shellWord)")
    }
  }

  private static func openDescriptor(_ path: String) -> Int32 {
    // A link with a slash at its end would be followed.
    var path = path[...]
    while path.count > 1, path.last == "/" { path = path.dropLast() }
    return openat(AT_FDCWD, String(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Creates a folder and its missing parents with mode 0700.
  ///
  /// Returns the system's error code; nil if the folder exists now.
  package static func create(_ path: String) -> Int32? {
    var code = mkdir(path, 0o700) == 0 ? 0 : errno
    let parent = NSString(string: path).deletingLastPathComponent
    if code == ENOENT, !parent.isEmpty {
      if let code = create(parent) { return code }
      code = mkdir(path, 0o700) == 0 ? 0 : errno
    }
    if code == EEXIST { return nil }
    guard code == 0 else { return code }
    // The umask must not lock out the owner, who then cannot open the folder either.
    var status = stat()
    if lstat(path, &status) == 0, status.st_mode & 0o700 != 0o700 {
      fchmodat(AT_FDCWD, path, 0o700, AT_SYMLINK_NOFOLLOW)
    }
    // The folder must survive a crash of the machine.
    let descriptor = openDescriptor(parent.isEmpty ? "." : parent)
    if descriptor >= 0 {
      fsync(descriptor)
      closeDescriptor(descriptor)
    }
    return nil
  }
}

/// Closes a descriptor and ignores errors; it has another name than `close` because types here have
/// methods of that name.
func closeDescriptor(_ descriptor: Int32) { _ = close(descriptor) }
