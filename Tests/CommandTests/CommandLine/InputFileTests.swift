import Expectations
import Foundation
import Testing

@testable import idx_flow

@Suite("Files that decide what is sent where", .tags(.startsPrograms), .fewPrograms)
struct InputFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func refusal(_ path: String) -> String? {
    #expect(throws: InputFile.Unreadable.self) {
      try InputFile(path: path, isPrivate: { _ in false }).readTrusted()
    }?.description
  }

  @Test("A file that only its owner can change is read, also in a folder like /tmp, and a pipe")
  func safe() throws {
    for mode in [0o600, 0o644, 0o400] {
      let path = try folder.file("answers", "[]", mode: mode)
      try expectEqual(InputFile(path: path).readTrusted(), Data("[]".utf8))
    }
    let sticky = try folder.file("sticky", "[]")
    try setMode(0o1777, of: folder.url.path)
    try expectEqual(InputFile(path: sticky).readTrusted(), Data("[]".utf8))
    let pipe = Pipe()
    try pipe.fileHandleForWriting.write(contentsOf: Data("[]".utf8))
    try pipe.fileHandleForWriting.close()
    let end = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
    try expectEqual(InputFile(path: end).readTrusted(), Data("[]".utf8))
  }

  @Test(
    "A file that others can change, or in a folder in which they can replace it, is refused, also behind a link",
    .promise("input-files"))
  func writable() throws {
    for mode in [0o620, 0o602, 0o666, 0o1666] {
      let path = try folder.file("answers", "[]", mode: mode)
      expectEqual(refusal(path), "can be changed by other users. Run: chmod go-w \(path)")
    }
    for mode in [0o770, 0o707] {
      let path = try folder.file("answers", "[]")
      try setMode(mode, of: folder.url.path)
      let folder = folder.url.path
      expectEqual(
        refusal(path),
        "is in the folder \(folder), which can be changed by other users. Run: chmod go-w \(folder)"
      )
    }
    let target = try folder.file("answers", "[]")
    try setMode(0o777, of: folder.url.path)
    let other = try TemporaryFolder()
    let link = other.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
    expectEqual(refusal(link)?.hasPrefix("is in the folder "), true)
  }

  @Test("A file that only a group of this user alone can change is read", .promise("private-group"))
  func privateGroup() throws {
    let path = try folder.file("answers", "[]", mode: 0o660)
    try setMode(0o770, of: folder.url.path)
    let file = InputFile(path: path, isPrivate: { _ in true })
    try expectEqual(file.readTrusted(), Data("[]".utf8))
    try setMode(0o662, of: path)
    #expect(throws: InputFile.Unreadable.self) { try file.readTrusted() }
  }

  @Test(
    "A file, a pipe or a link of another user is refused, wherever it is", .promise("input-files"),
    .enabled(if: geteuid() == 0))
  func foreign() throws {
    let path = try folder.file("answers", "[]")
    expectEqual(chown(path, 1, 1), 0)
    expectEqual(refusal(path), "belongs to another user. Use a file and a folder of your own.")
    let pipe = folder.path("pipe")
    expectEqual(mkfifo(pipe, 0o600), 0)
    // Without a writer, opening the pipe would wait.
    let writer = open(pipe, O_RDWR)
    defer { close(writer) }
    expectEqual(write(writer, "[]", 2), 2)
    expectEqual(chown(pipe, 1, 1), 0)
    expectEqual(refusal(pipe), "belongs to another user. Use a file and a folder of your own.")
    let target = try folder.file("target", "[]")
    let (own, foreign) = (folder.path("own"), folder.path("foreign"))
    try setMode(0o1777, of: folder.url.path)
    try FileManager.default.createSymbolicLink(atPath: foreign, withDestinationPath: target)
    try FileManager.default.createSymbolicLink(atPath: own, withDestinationPath: "foreign")
    try expectEqual(InputFile(path: own).readTrusted(), Data("[]".utf8))
    expectEqual(lchown(foreign, 1, 1), 0)
    for path in [foreign, own] {
      expectEqual(refusal(path)?.contains("foreign, which belongs to another user. "), true)
    }
  }

  @Test(
    "A file below a folder in which others can replace folders, or behind links that lead to each other, is refused",
    .promise("input-files"))
  func looseAncestor() throws {
    let inner = folder.url.appending(path: "inner")
    try FileManager.default.createDirectory(
      at: inner, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    let path = try folder.file("inner/answers", "[]")
    let other = try TemporaryFolder()
    let link = other.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try expectEqual(InputFile(path: link).readTrusted(), Data("[]".utf8))
    try setMode(0o777, of: folder.url.path)
    for path in [path, link, other.path("../\(folder.url.lastPathComponent)/inner/./answers")] {
      expectEqual(refusal(path)?.hasPrefix("is in the folder "), true)
    }
    let circle = other.path("circle")
    try FileManager.default.createSymbolicLink(atPath: circle, withDestinationPath: "circle")
    expectEqual(refusal(circle), "cannot be read. Too many links lead to it.")
  }

  @Test(
    "A file that is too large is refused before it is read, and one without an end is read up to the limit only",
    .promise("input-size"))
  func tooLarge() throws {
    let path = try folder.file("large", "")
    let message = "is larger than 4 MiB, and no more is read."
    for size in [InputFile.limit + 1, 1 << 40] {
      expectEqual(truncate(path, off_t(size)), 0)
      expectEqual(refusal(path), message)
      expectEqual(
        #expect(throws: InputFile.Unreadable.self) { try InputFile(path: path).read() }?
          .description,
        message)
    }
    expectEqual(truncate(path, off_t(InputFile.limit)), 0)
    try expectEqual(InputFile(path: path).read().count, InputFile.limit)
    #expect(throws: InputFile.Unreadable.self) { try InputFile(path: "/dev/zero").read() }
    for command in ["inspect -", "replay -", "signin --demo --script -"] {
      let end = try Program.run(
        ["-c", "yes | '\(Program.products.path)/idx-flow' \(command)"], of: "/bin/sh")
      expect(end.status != 0 && end.errors.contains("is larger than 4 MiB"), "\(end)")
    }
  }

  @Test("Scripts and configurations that others can change have status 2", .promise("input-files"))
  func command() throws {
    let path = try folder.file("input", "[]", mode: 0o666)
    let cases = [
      (["--demo", "--script", path], "The script \(path)"),
      (["--config", path], "The file \(path) of --config"),
    ]
    for (options, subject) in cases {
      let end = try Program.run(["signin"] + options)
      end.expect(status: 2)
      expectEqual(
        end.errors, "idx-flow: \(subject) can be changed by other users. Run: chmod go-w \(path)\n")
    }
  }
}
