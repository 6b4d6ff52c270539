public import IDXBase

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The requests and responses of a conversation with a server, without secrets and personal values.
///
/// ``RecordingTransport`` makes a recording. All names, codes, handles, tokens, ids and hosts in it are
/// stand-ins of the same length, and equal values have equal stand-ins. So a client can follow it, but
/// nobody can find out who signed in where. All times are moved, so that the first request is at
/// the beginning of the year 2030.
public struct Recording: Sendable, Hashable {
  /// One request and what came back.
  public struct Exchange: Sendable, Hashable {
    /// When the request was sent, as the time after the first one.
    public var start: Duration
    /// How long the response took.
    public var duration: Duration
    /// The request.
    public var request: TransportRequest
    /// The response, or why there was none.
    public var result: Result<TransportResponse, Failure>
    /// The places where something was replaced, such as `response.stateHandle`, in order of appearance;
    /// a place in an array has no index.
    public var replaced: [String] = []
  }

  /// Why no response came to a request.
  public struct Failure: Error, Sendable, Hashable {
    /// The reason.
    public let code: TransportError.Code
    /// Whether the request may have arrived, as in ``/IDXBase/TransportError``.
    public let mayHaveArrived: Bool

    /// Creates a failure.
    package init(_ code: TransportError.Code, mayHaveArrived: Bool) {
      self.code = code
      self.mayHaveArrived = mayHaveArrived
    }
  }

  /// A name that no place of the protocol has, such as that of a new step.
  public struct NewName: Sendable, Hashable {
    /// The name.
    public let name: String
    /// Where it was found first, such as `response.remediation.value.name`.
    public let place: String
  }

  /// When the first request of every recording was sent, after all times were moved: the beginning of the
  /// year 2030 (UTC).
  static let beginning = Date(timeIntervalSince1970: 1_893_456_000)

  /// All exchanges, in the order in which the requests were sent.
  public var exchanges: [Exchange]
  /// What the program says about itself and about the conversation, by name: `program` with its version, `system`,
  /// and what it adds.
  public var facts: [String: String]

  /// Creates a recording of exchanges and facts that contain nothing secret.
  init(_ exchanges: [Exchange], facts: [String: String] = [:]) {
    self.exchanges = exchanges
    self.facts = facts
  }
}

// MARK: - The file

extension Recording {
  private static let format = "idx-flow recording"
  private static let version = 1

  /// The recording as a JSON object, the content of a file.
  ///
  /// A body is in the member `json`, `form` or `text`, by its content type.
  public var json: JSONValue {
    [
      "format": .string(Self.format), "version": .number(JSONValue.Number(Self.version)),
      "about": """
      Words of the protocol at their places are kept. Everything else is replaced by random letters and \
      digits, the same for the same value, and new names by numbers. The member "replaced" lists the places.
      """,
      "facts": JSONValue(texts: facts),
      "exchanges": .array(exchanges.map(\.json)),
    ]
  }

  /// The recording without the last exchanges, if its file would have more bytes: a stand-in can be longer than its
  /// original, such as that of a picture.
  func fitting(_ maximumSize: Int) -> Recording {
    var size = 4096
    var new = self
    new.exchanges = Array(
      exchanges.prefix { exchange in
        size += exchange.json.bytes.count + 1
        return size <= maximumSize
      })
    return new
  }

  /// Whether a file says that it is a recording, whatever else it contains.
  package static func isRecording(_ bytes: [UInt8]) -> Bool {
    (try? JSONValue(parsing: bytes))?["format"]?.string == format
  }

  /// Reads a recording.
  ///
  /// - Throws: A ``RecordingError``, which names the exchange that is damaged.
  public init(parsing bytes: some Sequence<UInt8>) throws {
    let json: JSONValue
    do { json = try JSONValue(parsing: bytes) } catch {
      throw RecordingError("The file is not a recording, or is not complete. \(error)")
    }
    guard json["format"]?.string == Self.format else {
      throw RecordingError(
        "The file is not a recording: it has no member “format” with “\(Self.format)”.")
    }
    guard json["version"]?.integer == Self.version else {
      let version = json["version"]?.plainText ?? "unknown"
      throw RecordingError(
        "The recording has version \(version.printable.shortened(to: 20)); this program reads "
          + "version \(Self.version). Use the program that made it, or a newer one.")
    }
    guard let list = json["exchanges"]?.array else {
      throw RecordingError("The recording has no list “exchanges”.")
    }
    // Earlier versions of this program wrote “notes”.
    let texts = (json["facts"] ?? json["notes"])?.object?.members ?? []
    facts = Dictionary(texts.compactMap { text in text.value.string.map { (text.name, $0) } }) {
      $1
    }
    exchanges = try list.enumerated().map { index, value in
      do throws(RecordingError) { return try Exchange(value) } catch {
        throw RecordingError(error.message, exchange: index + 1)
      }
    }
  }
}

/// Why a recording cannot be read, or a request does not fit a recording.
public struct RecordingError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The exchange, counted from 1; nil if the whole recording is meant.
  public let exchange: Int?
  /// What is wrong.
  public let message: String

  /// Creates an error.
  init(_ message: String, exchange: Int? = nil) {
    self.message = message
    self.exchange = exchange
  }

  /// The exchange and the message.
  public var description: String {
    exchange.map { "Exchange \($0): \(message)" } ?? message
  }
}

extension Recording.Exchange {
  fileprivate var json: JSONValue {
    let sent: JSONValue = [
      "method": .string(request.method), "url": .string(request.url.absoluteString),
      "headers": JSONValue(texts: request.headers),
    ]
    let received: JSONValue
    switch result {
    case .success(let response):
      let head: JSONValue = [
        "status": .number(JSONValue.Number(response.status)),
        "headers": JSONValue(texts: response.headers),
      ]
      received = RecordedBody(of: response).added(to: head)
    case .failure(let failure):
      received = [
        "failure": .string(failure.code.rawValue), "mayHaveArrived": .bool(failure.mayHaveArrived),
      ]
    }
    return [
      "startMilliseconds": .number(.init(Int(start / .milliseconds(1)))),
      "durationMilliseconds": .number(.init(Int(duration / .milliseconds(1)))),
      "request": RecordedBody(of: request).added(to: sent), "response": received,
      "replaced": .array(replaced.map(JSONValue.string)),
    ]
  }

  fileprivate init(_ json: JSONValue) throws(RecordingError) {
    guard let start = json["startMilliseconds"]?.integer,
      let duration = json["durationMilliseconds"]?.integer,
      Self.times.contains(start), Self.times.contains(duration)
    else {
      throw RecordingError(
        "“startMilliseconds” and “durationMilliseconds” must be whole numbers up to "
          + "\(Self.times.upperBound).")
    }
    guard let request = json["request"], let method = request["method"]?.string,
      let address = request["url"]?.string, let url = URL(string: address), url.host != nil
    else { throw RecordingError("The request has no method, or no address with a host.") }
    guard let response = json["response"] else { throw RecordingError("There is no response.") }
    self.start = .milliseconds(start)
    self.duration = .milliseconds(duration)
    self.request = TransportRequest(
      method: method, url: url, headers: try Self.headers(request),
      body: try RecordedBody(in: request).bytes)
    if let code = response["failure"]?.string {
      result = .failure(
        Recording.Failure(
          TransportError.Code(rawValue: code),
          mayHaveArrived: response["mayHaveArrived"]?.bool ?? true))
    } else if let status = response["status"]?.integer, (100...999).contains(status) {
      result = .success(
        TransportResponse(
          status: status, headers: try Self.headers(response),
          body: try RecordedBody(in: response).bytes))
    } else {
      throw RecordingError("The response has neither a status from 100 to 999 nor a failure.")
    }
    replaced = json["replaced"]?.array?.compactMap(\.string) ?? []
  }

  /// The times that a file may have, in milliseconds: a day.
  private static let times = 0...86_400_000

  private static func headers(_ json: JSONValue) throws(RecordingError) -> [String: String] {
    Dictionary(try json.texts(of: "headers").map { ($0.name, $0.value) }) { $1 }
  }
}
