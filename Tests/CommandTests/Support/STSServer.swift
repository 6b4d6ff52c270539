import Foundation
import IDXBase
import IDXOAuth

/// A security token service of AWS on a loopback port, which gives other keys for each request.
final class STSServer: Sendable {
  typealias Response = @Sendable (_ number: Int) async -> TransportResponse

  private let server: LoopbackServer
  private let log = Locked<[TransportRequest]>([])

  /// Creates a service; by default its keys are valid for an hour.
  init(_ response: @escaping Response = { STSServer.keys(number: $0) }) throws {
    server = try LoopbackServer()
    server.start { [log] request in
      let number = log.withLock { log in
        log.append(request)
        return log.count
      }
      return OrgServer.bytes(Self.response(await response(number), to: request))
    }
  }

  /// A response for another action has its name.
  private static func response(
    _ response: TransportResponse, to request: TransportRequest
  ) -> TransportResponse {
    guard String(decoding: request.body, as: UTF8.self).contains("AssumeRoleWithSAML") else {
      return response
    }
    let text = String(decoding: response.body, as: UTF8.self)
      .replacing("AssumeRoleWithWebIdentity", with: "AssumeRoleWithSAML")
    return xml(response.status, text)
  }

  var endpoint: String { server.address }

  /// The forms of all requests, in order.
  var forms: [[String: String]] {
    log.withLock { $0 }.map { request in
      let pairs = FormURLEncoding.decode(String(decoding: request.body, as: UTF8.self)) ?? []
      return Dictionary(pairs) { $1 }
    }
  }

  func stop() { server.stop() }

  /// The response with keys that have a number in them.
  static func keys(
    number: Int, token: String = "FQoGZXIvYXdzEBYaD+/=",
    until end: Date = Date(timeIntervalSinceNow: 3600)
  ) -> TransportResponse {
    xml(
      200,
      """
      <AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <AssumeRoleWithWebIdentityResult>
          <Audience>0oaDemo</Audience>
          <Credentials>
            <AccessKeyId>ASIAEXAMPLE\(number)</AccessKeyId>
            <SecretAccessKey>secret+key/\(number)</SecretAccessKey>
            <SessionToken>\(token)\(number)</SessionToken>
            <Expiration>\(end.timestamp)</Expiration>
          </Credentials>
        </AssumeRoleWithWebIdentityResult>
        <ResponseMetadata><RequestId>c6104cbe-af31-11e0-8154-cbc7ccf896c7</RequestId></ResponseMetadata>
      </AssumeRoleWithWebIdentityResponse>
      """)
  }

  /// The response of a refusal.
  static func refusal(_ code: String, _ message: String, status: Int = 400) -> TransportResponse {
    xml(
      status,
      """
      <ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/">
        <Error><Type>Sender</Type><Code>\(code)</Code><Message>\(message)</Message></Error>
        <RequestId>4f4d6a5e-0000-11e0-8154-cbc7ccf896c7</RequestId>
      </ErrorResponse>
      """)
  }

  static func xml(_ status: Int, _ text: String) -> TransportResponse {
    TransportResponse(
      status: status, headers: ["Content-Type": "text/xml"], body: Array(text.utf8))
  }
}
