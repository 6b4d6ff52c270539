import Expectations
import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXSimulatedOrg
import Testing

/// Connections.
struct ConnectionTests {
  @Test("A first sign-in needs five requests; the keys are fetched in parallel")
  func signIn() async throws {
    let org = Locked<SimulatedOrg?>(nil)
    let script: LoopbackServer.Script = { request in
      // The thread of a connection may block.
      let response = blocking { try? await org.withLock { $0 }?.answer(request) }
      guard let response = response ?? nil else { return [.reset] }
      let fields = response.headers.filter { $0.key.lowercased() != "content-length" }
      return [
        .respond(
          "\(response.status) Reason", headers: fields.map { "\($0.key): \($0.value)" },
          bytes: response.body)
      ]
    }
    let requests = try await LoopbackServer.run(script: script) { server in
      let issuer = "http://127.0.0.1:\(server.port)/oauth2/default"
      // The clock is fixed, so that nothing expires on a busy machine.
      let now = Date(timeIntervalSince1970: 1_800_000_000)
      let simulated = SimulatedOrg(
        issuer: issuer, users: [.demo], policy: SignInPolicy(), clock: { now })
      org.withLock { $0 = simulated }
      let configuration = try FlowConfiguration(
        issuer: issuer, clientID: simulated.clientID, redirectURI: simulated.redirectURI)
      var handlers = Handlers()
      handlers.on(.identify) { _ in .submit(["identifier": "ada@example.com"]) }
      handlers.on(.challengeAuthenticator, .password) { _ in
        .submit(["credentials.passcode": "Analytical-1843"])
      }
      // The org answers in tasks, which may be slow on a busy machine.
      let transport = HTTPTransport(limits: .patient)
      let client = IDXClient(
        transport: transport, tokens: TokenClient(transport: transport, now: { now }))
      let outcome = try await FlowCoordinator(client: client, handlers: handlers).run(configuration)
      guard case .signedIn = outcome else {
        Issue.record("The sign-in did not succeed.")
        return
      }
    }
    let keys = requests.filter { $0.target.hasSuffix("/keys") }
    let others = requests.filter { !$0.target.hasSuffix("/keys") }
    expectEqual(keys.count, 1)
    expectEqual(
      others.map { "\($0.method) \($0.target)" },
      [
        "POST /oauth2/default/v1/interact", "POST /idp/idx/introspect", "POST /idp/idx/identify",
        "POST /idp/idx/challenge/answer", "POST /oauth2/default/v1/token",
      ])
    #if os(Linux)
      expectEqual(Set(requests.map(\.connection)).count, requests.count)
    #else
      // While one connection fetches the keys, the next request may need another, but never a third.
      expect(Set(requests.map(\.connection)).count <= 2)
    #endif
  }

  @Test("A connection that the server has closed is replaced at once")
  func closedByServer() async throws {
    let transport = HTTPTransport(limits: .patient)
    let script: LoopbackServer.Script = { $0.target == "/a" ? [.respond(), .close] : [.respond()] }
    let requests = try await LoopbackServer.run(script: script) { server in
      var ends = server.endedConnections.makeAsyncIterator()
      _ = try await transport.send(
        TransportRequest(method: "POST", url: server.url("/a"), body: [1]))
      _ = await ends.next()
      _ = try await transport.send(
        TransportRequest(method: "POST", url: server.url("/b"), body: [2]))
    }
    expectEqual(requests.map(\.connection), [1, 2])
    expectEqual(requests.map(\.body), [[1], [2]])
  }

  @Test("Bytes after a response are never taken for the next response", .promise("response-end"))
  func spareBytes() async throws {
    let transport = HTTPTransport(limits: .patient)
    let spare = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nspare"
    let script: LoopbackServer.Script = { _ in [.respond(body: "right"), .send(spare)] }
    try await LoopbackServer.run(script: script) { server in
      for _ in 1...5 {
        let request = try TransportRequest(method: "POST", url: server.url("/x"), body: [1])
        let response = try await transport.send(request)
        expectEqual(String(decoding: response.body, as: UTF8.self), "right")
      }
    }
  }

  @Test(
    "A request that the server closes without a response is sent once, and fails at once",
    .promise("lost-response"))
  func closedWithoutResponse() async throws {
    let transport = HTTPTransport(limits: .patient)
    let script: LoopbackServer.Script = { $0.target == "/code" ? [.close] : [.respond()] }
    let requests = try await LoopbackServer.run(script: script) { server in
      for path in ["/a", "/b"] {
        _ = try await transport.send(
          TransportRequest(method: "POST", url: server.url(path), body: [1]))
      }
      let code = try TransportRequest(method: "POST", url: server.url("/code"), body: [1, 2, 3])
      let error = try await #require(throws: TransportError.self) { try await transport.send(code) }
      expect(error.mayHaveArrived && error.code == .connectionLost)
    }
    expectEqual(requests.map(\.target), ["/a", "/b", "/code"])
  }

  #if os(Linux)
    @Test("Transports that send nothing need no file descriptors")
    func descriptors() throws {
      let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      let transports = (0..<600).map { _ in HTTPTransport(limits: .patient) }
      let after = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
      // Other tests open files at the same time.
      expect(after < before + 300 && transports.count == 600)
    }
  #endif
}

extension SimulatedOrg {
  fileprivate func answer(_ request: LoopbackServer.Request) async throws -> TransportResponse? {
    guard let url = URL(string: request.target, relativeTo: issuer)?.absoluteURL else { return nil }
    let headers = Dictionary(request.headers.map { ($0.name, $0.value) }) { $1 }
    return try await send(
      TransportRequest(method: request.method, url: url, headers: headers, body: request.body))
  }
}

/// Runs an asynchronous body and blocks the thread until it ends.
private func blocking<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value? {
  let result = Locked<Value?>(nil)
  let done = DispatchSemaphore(value: 0)
  _ = Task {
    let value = await body()
    result.withLock { $0 = value }
    done.signal()
  }
  done.wait()
  return result.withLock { $0 }
}
