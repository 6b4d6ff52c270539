import Foundation
import IDXSystem
import Testing

@testable import IDXStorage

/// A program `secret-tool` that keeps items in files and writes down what it is asked.
struct FakeSecretTool {
  let folder: TemporaryFolder
  var environment: [String: String] { ["PATH": "\(folder.path):/usr/bin:/bin"] }

  init() throws {
    folder = try TemporaryFolder()
    for name in ["items", "locks"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
    }
    try install(Self.script)
  }

  /// Puts other lines in the place of the program.
  func install(_ lines: String) throws {
    let (draft, file) = ("\(folder.path)/draft", "\(folder.path)/secret-tool")
    try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(filePath: draft))
    try? FileManager.default.removeItem(atPath: file)
    // Another process writes it: a file that this one has open for writing, or a program that another
    // test is just starting has inherited, cannot be run.
    let copy = try Spawn(
      command: ["/bin/cp", draft, file], environment: [:], streams: [.nowhere, .nowhere, .nowhere]
    ).start()
    var status: Int32 = 0
    while waitpid(copy, &status, 0) < 0, errno == EINTR {}
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
  }

  func store(timeout: Duration = .seconds(60)) async throws -> SecretServiceCredentialStore {
    try await SecretServiceCredentialStore(
      lockFolder: "\(folder.path)/locks", environment: environment, answerTime: .seconds(30),
      timeout: timeout)
  }

  func text(of name: String) -> String {
    (try? Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")))
      .map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  private static let script = #"""
    here=${0%/*}
    echo "$*" >> "$here/arguments"
    verb=$1
    shift
    if [ "$verb" = store ]; then shift; fi
    name=$(IFS=,; echo "$*")
    item="$here/items/$name"
    case $verb in
    store)
      cat > "$item"
      ;;
    lookup)
      if [ ! -e "$item" ]; then exit 1; fi
      exec cat "$item"
      ;;
    clear)
      status=1
      for item in "$item" "$item",*; do
        if [ -e "$item" ]; then
          rm "$item"
          status=0
        fi
      done
      exit $status
      ;;
    esac
    """#
}
