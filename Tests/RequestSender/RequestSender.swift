import Foundation
import IDXBase
import IDXNetwork
import IDXOAuth

/// Sends the requests that a script asks for, and prints what became of them.
///
/// Each line of the standard input is a JSON object: a request, which is sent at once, or a number of a request
/// to cancel. Each line of the output is the report of a request. Arguments: a limit of time in seconds, and
/// optionally a file with certificate authorities.
@main
struct RequestSender {
  struct Command: Decodable {
    let number: Int
    var method: String?
    /// Nil cancels the request with this number.
    var url: URL?
    var headers: [String: String]?
    var body: String?
    /// Requests with the same text may share a connection.
    var group: String?
  }

  struct Report: Encodable {
    let number: Int
    var status: Int?
    var headers: [String: String]?
    var body: String?
    var error: String?
    var message: String?
    var mayHaveArrived: Bool?
  }

  static func main() async throws {
    NetworkEnvironment.secure()
    let arguments = CommandLine.arguments
    let transport = HTTPTransport(
      limits: .init(time: .seconds(arguments.count > 1 ? Double(arguments[1]) ?? 30 : 30)),
      authorities: arguments.count > 2 ? try CertificateAuthorities(file: arguments[2]) : nil)
    await withTaskGroup { group in
      let tasks = Locked<[Int: Task<Void, Never>]>([:])
      while let line = readLine() {
        guard let command = try? JSONDecoder().decode(Command.self, from: Data(line.utf8)) else {
          print("not a command: \(line)")
          continue
        }
        guard let url = command.url else {
          tasks.withLock { $0[command.number] }?.cancel()
          continue
        }
        var request = TransportRequest(
          method: command.method ?? "POST", url: url, headers: command.headers ?? [:],
          body: Array((command.body ?? "").utf8))
        request.connectionGroup = command.group.map { ConnectionGroup(Secret($0)) }
        // This function blocks its thread while it reads.
        let task = Task.detached { [request] in
          write(await report(of: request, command.number, over: transport))
        }
        tasks.withLock { $0[command.number] = task }
        group.addTask { await task.value }
      }
    }
  }

  private static func report(
    of request: TransportRequest, _ number: Int, over transport: HTTPTransport
  ) async -> Report {
    do {
      let response = try await transport.send(request)
      return Report(
        number: number, status: response.status, headers: response.headers,
        body: String(decoding: response.body, as: UTF8.self))
    } catch let error as TransportError {
      return Report(
        number: number, error: error.code.rawValue, message: error.message,
        mayHaveArrived: error.mayHaveArrived)
    } catch {
      return Report(number: number, error: "\(error)")
    }
  }

  private static func write(_ report: Report) {
    guard var line = try? JSONEncoder().encode(report) else { return }
    line.append(0x0A)
    // One call for each line, so that the lines of several tasks do not mix.
    FileHandle.standardOutput.write(line)
  }
}
