import Dispatch
import Foundation
import IDXSystem

/// A named pipe that another process writes a line to, so that a test can wait for it without keeping
/// others from running.
final class Announcement: Sendable {
  let path: String
  private let descriptor: Int32
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    path = "\(folder.path)/announcement"
    guard mkfifo(path, 0o600) == 0 else { throw SystemFailure(call: "mkfifo", code: errno) }
    descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemFailure(call: "open", code: errno) }
  }

  deinit { close(descriptor) }

  /// Waits for the line, and tells whether it came within a minute.
  func wait() async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "announcement").async { [self] in
        continuation.resume(
          with: Result { try Readiness.canRead(descriptor, within: 60_000) })
      }
    }
  }
}
