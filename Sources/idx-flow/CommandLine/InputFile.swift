import Dispatch
import Foundation
import IDXBase
import IDXSystem

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A file named on the command line.
struct InputFile {
  /// The largest file that is read, in bytes: no parser accepts more.
  static let limit = JSONValue.maximumSize

  let path: String
  /// Whether only this user has the rights of a group.
  var isPrivate: (gid_t) -> Bool = { ComputerUsers.ofSystem().isPrivate($0, to: geteuid()) }

  /// Why a file is not read, as the end of a sentence about it.
  struct Unreadable: Error, CustomStringConvertible {
    let description: String
    /// The system's error code; nil if this program refuses the file.
    private(set) var systemCode: Int32?

    fileprivate init(_ description: String) { self.description = description }

    fileprivate init(code: Int32) {
      switch code {
      case ENOENT: self.init("cannot be read. The file does not exist.")
      case EACCES: self.init("cannot be read. Permission denied.")
      case ELOOP: self.init("cannot be read. Too many links lead to it.")
      default: self.init("cannot be read: \(String(cString: strerror(code)).lowercased()).")
      }
      systemCode = code
    }
  }

  /// Whether there is no such file; false if the system cannot find it out.
  var isMissing: Bool {
    var status = stat()
    return stat(path, &status) != 0 && [ENOENT, ENOTDIR].contains(errno)
  }

  /// Whether it is a pipe, a device or a folder, which cannot be read twice.
  var isSpecial: Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
  }

  /// Reads the file, or standard input if the path is `-`.
  ///
  /// Throws an ``Unreadable`` error, also if the file is larger than ``limit``, or `CancellationError` if the task is
  /// canceled while it waits for a pipe.
  func read() throws -> Data { try load().content }

  /// Reads a file that decides what is sent where; throws if other users can change or replace it.
  ///
  /// The file, and each link and folder on the way to it, must belong to this user or to root. Only the
  /// owner may write to the file and to the folders, or a group of this user alone (see ``ComputerUsers``),
  /// because some systems let it write to every new file. A folder may also be one like `/tmp`, where
  /// nobody can replace the files of others (sticky). Pipes that this process has inherited, such as
  /// `/dev/stdin`, are read without these checks. The path `-` is standard input. Throws as ``read()`` does.
  func readTrusted() throws -> Data {
    // Opening a pipe waits for its writer, and what the checks allow cannot be replaced after them.
    if !isInherited { try checkWay() }
    let (content, status) = try load()
    if isInherited, status.st_mode & S_IFMT == S_IFREG {
      try check(status, path)
      // A file without a name, such as a here-document, is in no folder.
      if status.st_nlink > 0 { try checkWay() }
    }
    return content
  }

  /// Opens and reads the file.
  ///
  /// A pipe is read on a thread of its own, because its writer can let it wait for ever, and a canceled task must end
  /// even then. That thread is left behind.
  private func load() throws -> (content: Data, status: stat) {
    guard path == "-" || isSpecial else { return try Self.load(path) }
    let outcome = Locked<Result<(content: Data, status: stat), Unreadable>?>(nil)
    let isDone = DispatchSemaphore(value: 0)
    Thread.detachNewThread { [path] in
      let result = Result { () throws(Unreadable) in try Self.load(path) }
      outcome.withLock { $0 = result }
      isDone.signal()
    }
    while true {
      try Task.checkCancellation()
      _ = isDone.wait(timeout: .now() + .milliseconds(50))
      if let result = outcome.withLock({ $0 }) { return try result.get() }
    }
  }

  private static func load(_ path: String) throws(Unreadable) -> (content: Data, status: stat) {
    let descriptor =
      path == "-"
      ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
      : openDescriptor(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw Unreadable(code: errno) }
    defer { close(descriptor) }
    let tooLarge = Unreadable("is larger than \(limit >> 20) MiB, and no more is read.")
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Unreadable(code: errno) }
    guard status.st_mode & S_IFMT != S_IFREG || status.st_size <= limit else { throw tooLarge }
    let bytes: [UInt8]
    // Not more than the limit, because the file may be larger than the memory.
    do { bytes = try readAll(of: descriptor, limit: limit) } catch {
      throw Unreadable(code: error.code)
    }
    guard bytes.count <= limit else { throw tooLarge }
    return (Data(bytes), status)
  }

  /// Whether the path names a descriptor of this process: what the user redirected to it.
  private var isInherited: Bool {
    path == "-" || path == "/dev/stdin"
      || ["/dev/fd/", "/proc/self/fd/"].contains { folder in
        path.hasPrefix(folder) && UInt32(path.dropFirst(folder.count)) != nil
      }
  }

  /// Follows the path from the root as the system does, and checks every folder, link and file.
  private func checkWay() throws(Unreadable) {
    let path = path == "-" ? "/dev/stdin" : path
    let start = path.hasPrefix("/") ? "" : FileManager.default.currentDirectoryPath + "/"
    // The next name is the last.
    var names = Array("/./\(start)\(path)".split(separator: "/").map(String.init).reversed())
    var place: [String] = []
    var links = 0
    while let name = names.popLast() {
      if name == ".." {
        _ = place.popLast()
        continue
      }
      let current = "/" + (name == "." ? place : place + [name]).joined(separator: "/")
      var status = stat()
      guard lstat(current, &status) == 0 else { throw Unreadable(code: errno) }
      switch status.st_mode & S_IFMT {
      case S_IFLNK:
        try checkOwner(status, "leads through the link \(current.printable), which ")
        links += 1
        guard links <= 40, let target = Self.target(of: current) else {
          throw Unreadable(code: ELOOP)
        }
        if target.hasPrefix("/") { place = [] }
        names += target.split(separator: "/").map(String.init).reversed()
      case S_IFDIR:
        try check(status, current, isFolder: true)
        if name != "." { place.append(name) }
      default:
        try check(status, current)
        place.append(name)
      }
    }
  }

  /// Where a link leads; nil if it cannot be read.
  private static func target(of link: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: link)
  }

  /// Throws if other users can change a file, or the files in the folder that contains it.
  private func check(
    _ status: stat, _ path: String, isFolder: Bool = false
  ) throws(Unreadable) {
    let place = isFolder ? "is in the folder \(path.printable), which " : ""
    try checkOwner(status, place)
    // In a folder like `/tmp`, nobody can replace the files of others.
    if isFolder, status.st_mode & S_ISVTX != 0 { return }
    let mode = status.st_mode
    guard mode & S_IWOTH == 0, mode & S_IWGRP == 0 || isPrivate(status.st_gid) else {
      // The modes of a device are those of the system.
      let isOwn = status.st_uid == geteuid() && [S_IFREG, S_IFDIR].contains(mode & S_IFMT)
      throw Unreadable(
        place
          + (isOwn
            ? "can be changed by other users. Run: chmod go-w \(path.shellWord)"
            : "can be changed by other users."))
    }
  }

  private func checkOwner(_ status: stat, _ place: String) throws(Unreadable) {
    guard [0, geteuid()].contains(status.st_uid) else {
      throw Unreadable(place + "belongs to another user. Use a file and a folder of your own.")
    }
  }
}

/// Opens a file; it has another name than `open` because types here have methods of that name.
private func openDescriptor(_ path: String, _ flags: Int32) -> Int32 {
  while true {
    let descriptor = open(path, flags)
    // A signal can interrupt the wait for the writer of a pipe.
    if descriptor >= 0 || errno != EINTR { return descriptor }
  }
}
