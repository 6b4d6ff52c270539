import Expectations
import Foundation
import IDXBase
import IDXOAuth
import Testing

@testable import idx_flow

/// The console of AWS.
struct AWSConsoleTests {
  private let requests = Locked<[TransportRequest]>([])

  private struct Federation: Transport {
    let response: TransportResponse
    let requests: Locked<[TransportRequest]>

    func send(_ request: TransportRequest) -> TransportResponse {
      requests.withLock { $0.append(request) }
      return response
    }
  }

  private func address(_ status: Int, _ body: String, partition: String = "aws") async throws -> URL
  {
    let request = AWSKeyRequest(
      roleARN: "arn:\(partition):iam::123456789012:role/NAME", duration: nil,
      endpoint: try require(URL(string: "https://sts.amazonaws.com/")))
    let keys = AWSKeys(
      request: request, accessKeyID: "ASIA1", secretAccessKey: "a+b/c", sessionToken: "d=",
      receivedAt: Date(), expiresAt: Date(timeIntervalSinceNow: 3600))
    let transport = Federation(
      response: TransportResponse(status: status, body: Array(body.utf8)), requests: requests)
    return try await AWSConsole(
      CommandCall(options: CommandLineOptions()), keys, transport: transport
    ).address()
  }

  @Test(
    "The keys are exchanged for an address in the partition of the role",
    arguments: [
      ("aws", "signin.aws.amazon.com", "https://console.aws.amazon.com/"),
      ("aws-cn", "signin.amazonaws.cn", "https://console.amazonaws.cn/"),
      ("aws-us-gov", "signin.amazonaws-us-gov.com", "https://console.amazonaws-us-gov.com/"),
    ])
  func partitions(partition: String, host: String, console: String) async throws {
    let url = try await address(200, #"{"SigninToken":"t-1"}"#, partition: partition)
    expectEqual(url.host, host)
    func values(_ url: URL) -> [String: String] {
      Dictionary(FormURLEncoding.decode(url.query(percentEncoded: true) ?? "") ?? []) { $1 }
    }
    expectEqual(
      values(url),
      ["Action": "login", "Issuer": "idx-flow", "Destination": console, "SigninToken": "t-1"])
    let request = try require(requests.withLock { $0.first })
    expectEqual(request.url.path, "/federation")
    let session = try JSONValue(parsing: Array((values(request.url)["Session"] ?? "").utf8))
    expectEqual(
      session, ["sessionId": "ASIA1", "sessionKey": "a+b/c", "sessionToken": "d="])
  }

  @Test(
    "Other responses are explained, and show no key",
    arguments: [(400, ""), (200, "{}"), (200, "<html>"), (200, #"{"SigninToken":""}"#), (503, "")])
  func refused(status: Int, body: String) async throws {
    let failure = await #expect(throws: CommandFailure.self) { try await address(status, body) }
    expectEqual(failure?.code, "aws_console")
    expect(!printedTexts(of: try require(failure)).contains("a+b/c"))
    await #expect(throws: CommandFailure.self) { try await address(200, "", partition: "aws-iso") }
  }
}
