import IDXFlow
import IDXTesting

struct DemoOrg: Transport {
  init(_ environment: [String: String]) throws {}
  func send(_ request: HTTPRequest) async throws -> HTTPResponse { HTTPResponse(status: 500) }
}
