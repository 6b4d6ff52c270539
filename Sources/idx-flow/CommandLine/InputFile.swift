import Foundation
import IDXBase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file named on the command line.
struct InputFile {
  let path: String
  /// Whether a group has no other member than this user.
  var isPrivate: (gid_t) -> Bool = InputFile.isPrivate

  /// Why a file is not read, as the end of a sentence about it.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String

    fileprivate init(_ description: String) { self.description = description }

    fileprivate init(_ error: any Error) {
      switch (error as? CocoaError)?.code {
      case .fileReadNoSuchFile?: self.init(code: ENOENT)
      case .fileReadNoPermission?: self.init(code: EACCES)
      default: self.init(code: 0)
      }
    }

    fileprivate init(code: Int32) {
      switch code {
      case ENOENT: self.init("cannot be read. The file does not exist.")
      case EACCES: self.init("cannot be read. Permission denied.")
      default: self.init("cannot be read.")
      }
    }
  }

  func read() throws(Unreadable) -> Data {
    do { return try Data(contentsOf: URL(fileURLWithPath: path)) } catch { throw Unreadable(error) }
  }

  /// Reads the file, or standard input if the path is `-`.
  func readOrInput() throws(Unreadable) -> Data {
    guard path == "-" else { return try read() }
    do { return try FileHandle.standardInput.readToEnd() ?? Data() } catch {
      throw Unreadable(error)
    }
  }

  /// Reads a file that decides what is sent where; throws if other users can change or replace it.
  ///
  /// The file and its folder must belong to this user or to root, and only their owner may write to them,
  /// or a group of this user alone, because some systems let it write to every new file. The folder may
  /// also be one like `/tmp`, where nobody can replace the files of others (sticky). Pipes such as
  /// `/dev/stdin` can be read too.
  func readTrusted() throws(Unreadable) -> Data {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Unreadable(code: errno) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Unreadable(code: errno) }
    if status.st_mode & S_IFMT == S_IFREG { try check(status, path) }
    // A link can be replaced in its own folder, and its target in another one.
    for path in [path, realPath] {
      let parent = NSString(string: path).deletingLastPathComponent
      let folder = parent.isEmpty ? "." : parent
      guard stat(folder, &status) == 0 else { continue }
      try check(status, folder, isFolder: true)
    }
    do { return try file.readToEnd() ?? Data() } catch { throw Unreadable(error) }
  }

  /// The path without links; the path itself if it leads to no file, such as that of a pipe.
  private var realPath: String {
    guard let pointer = realpath(path, nil) else { return path }
    defer { free(pointer) }
    return String(cString: pointer)
  }

  /// Whether a group has the name of this user and no members, as systems create it with a user.
  private static func isPrivate(_ group: gid_t) -> Bool {
    guard let user = getpwuid(geteuid()), let entry = getgrgid(group) else { return false }
    return strcmp(user.pointee.pw_name, entry.pointee.gr_name) == 0
      && entry.pointee.gr_mem.pointee == nil
  }

  /// Throws if other users can change a file, or the files in the folder that contains it.
  private func check(
    _ status: stat, _ path: String, isFolder: Bool = false
  ) throws(Unreadable) {
    let place = isFolder ? "is in the folder \(path.printable), which " : ""
    guard [0, geteuid()].contains(status.st_uid) else {
      throw Unreadable(place + "belongs to another user. Use a file and a folder of your own.")
    }
    // In a folder like `/tmp`, nobody can replace the files of others.
    if isFolder, status.st_mode & S_ISVTX != 0 { return }
    let others = isPrivate(status.st_gid) ? S_IWOTH : S_IWGRP | S_IWOTH
    guard status.st_mode & others == 0 else {
      throw Unreadable(place + "can be changed by other users. Run: chmod go-w \(path.shellWord)")
    }
  }
}
