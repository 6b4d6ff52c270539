import Expectations
import Foundation
import Testing

@testable import IDXStorage
@testable import IDXSystem

#if !canImport(Security)
  /// A program `secret-tool` that stores items in files and records its arguments.
  struct FakeSecretTool {
    let folder: TemporaryFolder
    var environment: [String: String] {
      ["PATH": "\(folder.path):/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
    }

    init() throws {
      folder = try TemporaryFolder()
      for name in ["items", "locks"] {
        try FileManager.default.createDirectory(
          atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false,
          attributes: [.posixPermissions: 0o700])
      }
      try install(Self.script)
    }

    /// Replaces the program with another shell script.
    func install(_ script: String) throws {
      let (draft, file) = ("\(folder.path)/draft", "\(folder.path)/secret-tool")
      try Data("#!/bin/sh\n\(script)\n".utf8).write(to: URL(filePath: draft))
      try? FileManager.default.removeItem(atPath: file)
      // Another process copies it, because a program that is open for writing cannot be started, and other
      // tests may start programs at any time, which inherit the open file.
      let copy = try spawn(["/bin/cp", draft, file], environment: [:])
      var status: Int32 = 0
      while waitpid(copy, &status, 0) < 0, errno == EINTR {}
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
    }

    func store(timeout: Duration = patience) async throws -> SecretServiceCredentialStore {
      try await SecretServiceCredentialStore(
        lockFolder: "\(folder.path)/locks", environment: environment, responseTime: patience,
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

  /// A `secret-tool` in memory. It truncates long texts as the real one does, and can fail after a number
  /// of calls.
  actor FakeKeyring {
    /// The secrets by their attributes, joined in the order of the arguments.
    private(set) var items: [String: String] = [:]
    private var callsLeft: Int?
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Fails all calls after this number, as if the computer had been switched off; nil ends that.
    func fail(after calls: Int?) { callsLeft = calls }

    func put(_ text: String, _ attributes: String) { items[attributes] = text }

    nonisolated func store() async throws -> SecretServiceCredentialStore {
      let tool = SecretTool(service: "idx-flow", timeout: patience) { arguments, input in
        await self.run(arguments, input)
      }
      return try await SecretServiceCredentialStore(
        tool: tool, lockFolder: "\(folder.path)/locks", responseTime: patience,
        timeout: patience)
    }

    private func run(_ arguments: [String], _ input: String) -> ExternalProgram.Exit {
      if let callsLeft {
        guard callsLeft > 0 else {
          return ExternalProgram.Exit(
            status: 1, bytes: [], errors: "secret-tool: switched off\n")
        }
        self.callsLeft = callsLeft - 1
      }
      let attributes = arguments.drop { $0.hasPrefix("--") || $0 == arguments[0] }
        .joined(separator: ",")
      var exit: (status: Int32, output: String) = (0, "")
      switch arguments[0] {
      case "store": items[attributes] = String(decoding: input.utf8.prefix(8192), as: UTF8.self)
      case "lookup": exit = items[attributes].map { (0, $0) } ?? (1, "")
      default:
        let names = items.keys.filter { "\($0),".hasPrefix("\(attributes),") }
        for name in names { items[name] = nil }
        exit.status = names.isEmpty ? 1 : 0
      }
      return ExternalProgram.Exit(
        status: exit.status, bytes: Array(exit.output.utf8), errors: "")
    }
  }
#endif
