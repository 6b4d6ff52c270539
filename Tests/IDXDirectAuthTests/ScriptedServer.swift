import Foundation
import IDX
import IDXFlow
import IDXOAuth

/// Answers requests one by one as it was told to, and keeps what was asked.
actor ScriptedServer: Transport {
  struct Answer: Sendable {
    let status: Int
    let body: String

    static func json(_ body: String, status: Int = 200) -> Answer {
      Answer(status: status, body: body)
    }

    static func error(_ code: String, _ more: String = "", status: Int = 400) -> Answer {
      Answer(status: status, body: #"{"error":"\#(code)"\#(more)}"#)
    }

    /// No response comes, though the request has arrived.
    static let lost = Answer(status: 0, body: "")

    static let tokens = Answer(
      status: 200, body: #"{"access_token":"at-1","token_type":"Bearer","expires_in":3600}"#)
  }

  private var answers: [Answer]
  /// The requests but those for keys: the endpoint, and the parameters by name.
  private(set) var requests: [(endpoint: String, parameters: [String: String])] = []

  init(_ answers: [Answer]) { self.answers = answers }

  var isUsedUp: Bool { answers.isEmpty }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard request.method == "POST" else {
      return TransportResponse(status: 200, body: Array(#"{"keys":[]}"#.utf8))
    }
    let pairs = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? []
    requests.append(
      (request.url.lastPathComponent, Dictionary(pairs.map { ($0.name, $0.value) }) { $1 }))
    guard !answers.isEmpty else {
      throw TransportError(
        .unreachable, message: "Nothing more is answered.", mayHaveArrived: false)
    }
    let answer = answers.removeFirst()
    guard answer.status > 0 else {
      throw TransportError(.connectionLost, message: "The answer got lost.", mayHaveArrived: true)
    }
    return TransportResponse(
      status: answer.status, headers: ["Content-Type": "application/json"],
      body: Array(answer.body.utf8))
  }
}
