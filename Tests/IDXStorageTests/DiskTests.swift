#if os(Linux)
  import Foundation
  import IDXSystem
  import Testing

  @testable import IDXStorage

  @Suite("A disk that takes no more", .timeLimit(.minutes(5)))
  struct DiskTests {
    @Test(
      "A save says that the disk is full, or read-only, and leaves the old credential",
      .enabled("for root, where disks may be mounted") { try await DiskTests.canMount() })
    func refusedByDisk() async throws {
      let folder = try TemporaryFolder()
      let outcome = try await Self.apart(
        """
        mount -t tmpfs -o size=64k,mode=700 none "$1"
        store="$1/idx-flow"
        StoreCrasher save "$store" token-old none
        cat /dev/zero > "$1/filling" || true
        StoreCrasher save "$store" token-new none || true
        StoreCrasher show "$store"
        ls -A "$store/credentials"
        mount -o remount,ro "$1"
        StoreCrasher save "$store" token-new none || true
        StoreCrasher choose "$store" none || true
        StoreCrasher remove "$store" none || true
        StoreCrasher show "$store"
        """, folder.path)
      #expect(outcome.status == 0)
      let lines = outcome.output.split(separator: "\n")
      #expect(lines.count == 3)
      #expect(lines.first == "token-old" && lines.last == "token-old")
      let errors = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("cat:") }
      #expect(errors.count == 4)
      #expect(errors.first?.contains("cannot be written: the disk is full.") == true)
      #expect(errors.dropFirst().allSatisfy { $0.contains("a disk that is read-only.") })
      #expect(!outcome.errors.contains("token-"))
    }

    private static func canMount() async throws -> Bool {
      guard geteuid() == 0 else { return false }
      return try await apart("mount -t tmpfs none /mnt", "").status == 0
    }

    /// Runs lines of shell where what they mount is nobody else's.
    private static func apart(
      _ lines: String, _ folder: String
    ) async throws -> ExternalProgram.Outcome {
      let path = "\(Crasher.products):/usr/sbin:/usr/bin:/sbin:/bin"
      let environment = ["PATH": path]
      let program =
        ExternalProgram(named: "unshare", environment: environment)
        ?? ExternalProgram(named: "false", environment: environment)
      return try await #require(program).run(["-m", "sh", "-e", "-c", lines, "sh", folder])
    }
  }
#endif
