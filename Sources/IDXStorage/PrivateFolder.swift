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

/// A folder that nobody but its owner gets at, held open, so that what is found safe is what is used.
///
/// To be closed by whoever opens it.
struct PrivateFolder: Sendable {
  let path: String
  let descriptor: Int32

  /// Opens a folder; nil where there is none.
  ///
  /// Throws ``CredentialStoreError/Code/insecure`` where it is a link, or others get at it.
  static func open(_ path: String) throws(CredentialStoreError) -> PrivateFolder? {
    let descriptor = Self.openFolder(path)
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT: return nil
      case ENOTDIR, ELOOP:
        throw CredentialStoreError(
          .insecure, "\(path.printable) is a link or no folder. Put a folder in its place.",
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

  /// Opens a folder, making it and those above it with mode 0700 where they are missing.
  static func make(_ path: String) throws(CredentialStoreError) -> PrivateFolder {
    if let folder = try open(path) { return folder }
    if let code = makeFolder(path) { throw .unwritable(path, code) }
    guard let folder = try open(path) else { throw .unwritable(path, ENOENT) }
    return folder
  }

  /// The path of a file in it.
  func path(of name: String) -> String { "\(path)/\(name)" }

  func close() { shut(descriptor) }

  /// The names of what is in it, in no particular order.
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
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw .unreadable(path, errno) }
    guard facts.st_uid == geteuid() else {
      throw CredentialStoreError(
        .insecure, "The folder \(path.printable) belongs to another user. Choose one of your own.")
    }
    guard facts.st_mode & 0o077 == 0 else {
      throw CredentialStoreError(
        .insecure,
        "Others get at the folder \(path.printable). Run: chmod 700 \(path.quoted)")
    }
  }

  private static func openFolder(_ path: String) -> Int32 {
    // With a slash at its end, a link would be followed.
    var path = path[...]
    while path.count > 1, path.last == "/" { path = path.dropLast() }
    return openat(AT_FDCWD, String(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
  }

  /// Returns the system's error code, or nil where the folder is there now.
  private static func makeFolder(_ path: String) -> Int32? {
    var code = mkdir(path, 0o700) == 0 ? 0 : errno
    let parent = parent(of: path)
    if code == ENOENT, let parent {
      if let code = makeFolder(parent) { return code }
      code = mkdir(path, 0o700) == 0 ? 0 : errno
    }
    if code == EEXIST { return nil }
    guard code == 0 else { return code }
    // Whatever the mask of the process, its owner is to get at it; and a crash of the machine is to
    // leave it there.
    let steps: [(String, (Int32) -> Int32)] = [
      (path, { fchmod($0, 0o700) }), (parent ?? ".", fsync),
    ]
    for (folder, call) in steps {
      let descriptor = openFolder(folder)
      guard descriptor >= 0 else { continue }
      _ = call(descriptor)
      shut(descriptor)
    }
    return nil
  }

  private static func parent(of path: String) -> String? {
    var rest = path[...]
    while rest.last == "/" { rest = rest.dropLast() }
    guard let slash = rest.lastIndex(of: "/") else { return nil }
    return slash == rest.startIndex ? nil : String(rest[..<slash])
  }
}

/// Closes a descriptor; what goes wrong then has no remedy.
func shut(_ descriptor: Int32) { _ = close(descriptor) }
