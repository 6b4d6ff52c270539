import IDXBase
import IDXOAuth
import IDXSimulatedOrg

/// Passes requests on, keeps them, and changes members of the JSON that comes back from paths with an ending.
///
/// A member that is nil is removed.
final class ChangedResponses: Transport {
  private let other: any Transport
  private let path: String
  private let members: [String: JSONValue?]
  private let sent = Locked<[TransportRequest]>([])

  init(_ other: any Transport, at path: String = "", _ members: [String: JSONValue?] = [:]) {
    self.other = other
    self.path = path
    self.members = members
  }

  /// All requests but those for keys.
  var requests: [TransportRequest] {
    sent.withLock { $0.filter { $0.url.lastPathComponent != "keys" } }
  }

  /// The last parts of the paths.
  var steps: [String] { requests.map(\.url.lastPathComponent) }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    sent.withLock { $0.append(request) }
    var response = try await other.send(request)
    if request.url.path.hasSuffix(path), var object = try? JSONValue(parsing: response.body).object
    {
      for (name, value) in members { object[name] = value }
      response.body = JSONValue.object(object).bytes
    }
    return response
  }
}
