public import IDXBase
public import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Remembers all requests and responses of another transport, for a ``Recording``.
///
/// Put it directly around the transport that sends, so that repeated requests are recorded too:
///
///     let recorder = RecordingTransport(HTTPTransport())
///     let client = IDXClient(transport: RetryingTransport(recorder))
///     // … the sign-in …
///     try Data(recorder.recording().json.bytes).write(to: recordingFile)
///
/// The conversation with all its secrets is in memory, and never anywhere else. A request that was canceled is
/// left out. After 1000 requests, or 2 MiB of requests and responses, no more are remembered. A request and response
/// that would make it more are left out too.
public struct RecordingTransport: Transport {
  /// How many requests are remembered.
  static let maximumCount = 1000

  /// How many bytes of addresses, header fields and bodies are remembered.
  private let maximumSize: Int
  /// How many bytes the file of the recording may have.
  private let maximumFileSize: Int
  private let other: any Transport
  private let now: @Sendable () -> Date
  private let remembered = Locked((entries: [Entry](), size: 0))

  private struct Entry: Sendable {
    let start: Date
    let request: TransportRequest
    var end: (time: Date, result: Result<TransportResponse, Recording.Failure>)?

    /// How many bytes of addresses, header fields and bodies it has.
    var size: Int {
      var parts = [(request.headers, request.body)]
      if case .success(let response)? = end?.result {
        parts.append((response.headers, response.body))
      }
      return parts.reduce(request.url.absoluteString.utf8.count) { size, part in
        part.0.reduce(size + part.1.count) { $0 + $1.key.utf8.count + $1.value.utf8.count }
      }
    }
  }

  /// Creates a transport that sends with another one, and asks `now` for the time before and after.
  public init(_ other: any Transport, now: @escaping @Sendable () -> Date = { Date() }) {
    // The file has stand-ins and places besides, and must be small enough to be read.
    self.init(other, now: now, maximumSize: 2 << 20, maximumFileSize: JSONValue.maximumSize)
  }

  init(
    _ other: any Transport, now: @escaping @Sendable () -> Date = { Date() }, maximumSize: Int,
    maximumFileSize: Int
  ) {
    self.other = other
    self.now = now
    self.maximumSize = maximumSize
    self.maximumFileSize = maximumFileSize
  }

  /// Sends the request with the other transport.
  public func send(_ request: TransportRequest) async throws -> TransportResponse {
    let entry = Entry(start: now(), request: request)
    let index = remembered.withLock { remembered -> Int? in
      guard remembered.entries.count < Self.maximumCount, remembered.size <= maximumSize
      else { return nil }
      remembered.entries.append(entry)
      return remembered.entries.count - 1
    }
    do {
      let response = try await other.send(request)
      finish(index, .success(response))
      return response
    } catch let error as TransportError {
      finish(
        index, .failure(Recording.Failure(error.code, mayHaveArrived: error.mayHaveArrived)))
      throw error
    }
  }

  private func finish(_ index: Int?, _ result: Result<TransportResponse, Recording.Failure>) {
    guard let index else { return }
    let end = now()
    remembered.withLock { remembered in
      var entry = remembered.entries[index]
      entry.end = (end, result)
      remembered.size += entry.size
      // What follows has no sense without it.
      if remembered.size <= maximumSize { remembered.entries[index] = entry }
    }
  }

  /// What was sent and received until now, without secrets and personal values.
  ///
  /// Every call chooses new stand-ins. `facts` are written as they are, so they must be words of the program, such as
  /// its name and version, and nothing of the person or the server; the name of the system is added to them.
  /// `names` are those of ``newNames()`` that are kept; all others are numbered: `name-1`.
  public func recording(
    facts: [String: String] = [:], keeping names: Set<String> = [],
    random: RandomBytes = .system
  ) -> Recording {
    redactor(["system": Product.system].merging(facts) { $1 }, random)
      .redacted(keeping: names).fitting(maximumFileSize)
  }

  /// The new names that may be kept, of members, steps and other words, in order of appearance; at most 100.
  ///
  /// They are what a recording of something new is made for, but a name can also be that of a person, a company or a
  /// product. Ask the person about each of them. A name is in the list only if it has six ASCII letters or more, with
  /// only `-`, `_`, `.` or `:` between them, and its letters contain no word that was replaced or typed and no four
  /// letters in a row of what was typed. All other names are numbered.
  public func newNames() -> [Recording.NewName] { redactor([:], .system).newNames }

  /// Reads the requests that have ended; times begin when the first of them was sent.
  func redactor(_ facts: [String: String], _ random: RandomBytes) -> Redactor {
    let finished = remembered.withLock(\.entries).compactMap { entry in
      entry.end.map { (entry: entry, time: $0.time, result: $0.result) }
    }
    let start = finished.first?.entry.start ?? now()
    let exchanges = finished.map { entry, time, result in
      Recording.Exchange(
        start: Self.time(from: start, to: entry.start),
        duration: Self.time(from: entry.start, to: time),
        request: entry.request, result: result)
    }
    return Redactor(
      reading: Recording(exchanges, facts: facts), startedAt: start, random: random)
  }

  /// A clock can be set back or ahead; a file has times of one day.
  private static func time(from start: Date, to end: Date) -> Duration {
    .milliseconds(Int(min(max(0, end.timeIntervalSince(start)), 86_400) * 1000))
  }
}
