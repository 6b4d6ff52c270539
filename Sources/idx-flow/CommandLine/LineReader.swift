import Foundation
import IDXBase
import IDXSystem

/// Reads the lines of another program, each when somebody waits for it.
///
/// A line that comes when nobody waits any more is kept for the next who does. Otherwise nothing is read ahead, so that
/// a program that writes too much has to wait.
final class LineReader: Sendable {
  enum Input: Sendable, Equatable {
    /// A line without its end.
    case line([UInt8])
    /// A line is longer than ``longestLine``, and nothing more is read.
    case tooLong
    /// The other program has ended, or has closed the stream.
    case end
  }

  /// The longest line, in bytes: 1 MiB.
  static let longestLine = 1 << 20

  private struct State {
    var waiting: CheckedContinuation<Input, any Error>?
    var kept: Input?
    var isReading = false
  }

  private let descriptor: Int32
  private let state = Locked(State())
  /// What was read behind the last line; nil after the end.
  private let rest = Locked<[UInt8]?>([])

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  /// The next line, for which one task at a time waits.
  ///
  /// Throws `CancellationError` when its task is canceled.
  func next() async throws -> Input {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let known: Result<Input, any Error>? = state.withLock { state in
          guard !Task.isCancelled else { return .failure(CancellationError()) }
          if let kept = state.kept {
            state.kept = nil
            return .success(kept)
          }
          state.waiting = continuation
          // A blocked thread must not be one of the pool of tasks.
          if !state.isReading { Thread.detachNewThread { self.deliver(self.read()) } }
          state.isReading = true
          return nil
        }
        if let known { continuation.resume(with: known) }
      }
    } onCancel: {
      takeWaiting()?.resume(throwing: CancellationError())
    }
  }

  private func takeWaiting() -> CheckedContinuation<Input, any Error>? {
    state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
  }

  private func deliver(_ input: Input) {
    let waiting = state.withLock { state in
      state.isReading = false
      defer { state.waiting = nil }
      if state.waiting == nil { state.kept = input }
      return state.waiting
    }
    waiting?.resume(returning: input)
  }

  /// Reads up to the end of a line.
  private func read() -> Input {
    rest.withLock { rest in
      guard var bytes = rest else { return .end }
      rest = nil
      var searched = 0
      while true {
        if let end = bytes[searched...].firstIndex(of: 0x0A) {
          guard end <= Self.longestLine else { return .tooLong }
          rest = Array(bytes[(end + 1)...])
          return .line(Array(bytes[..<end]))
        }
        guard bytes.count <= Self.longestLine else { return .tooLong }
        searched = bytes.count
        guard (try? Readiness.waitToRead([descriptor])) != nil,
          let more = try? readSome(of: descriptor), !more.isEmpty
        else { return bytes.isEmpty ? .end : .line(bytes) }
        bytes += more
      }
    }
  }
}
