import Testing
import WebServer

@Suite("The end of the HTTP server")
struct StopTests {
  /// Something that happens once, and what waits for it.
  private struct Event: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func happen() { continuation.finish() }
    /// Waits; returns at once if the task is cancelled.
    func wait() async { for await _ in stream {} }
  }

  @Test(
    "While requests are in progress, a server that stops refuses all others, and then sends the responses",
    .promise("server-stop")
  )
  func refusedRequests() async throws {
    let (stops, mayFinish) = (Event(), Event())
    let (begun, begin) = AsyncStream.makeStream(of: Void.self)
    // No connection is idle for too long, however busy the machine is.
    var limits = HTTPServer.Limits()
    limits.idleSeconds = 600
    let server = try HTTPServer(
      port: 0, limits: limits,
      sleep: { _ in
        stops.happen()
        await Event().wait()
      },
      handler: { request in
        if request.path == "/slow" {
          begin.yield()
          await mayFinish.wait()
        }
        return HTTPResponse(status: 200, body: Array("done".utf8))
      })
    let open = try (0..<20).map { _ in try #require(LoopbackConnection(server.port)) }
    for connection in open { #expect(await connection.get("/").hasPrefix("HTTP/1.1 200 ")) }
    let slow = try (0..<5).map { _ in try #require(LoopbackConnection(server.port)) }
    let responses = slow.map { connection in Task { await connection.get("/slow") } }
    var requests = begun.makeAsyncIterator()
    for _ in slow { await requests.next() }

    let stopped = Task { await server.stop() }
    await stops.wait()
    #expect(LoopbackConnection(server.port) == nil)
    for connection in open {
      let response = await connection.get("/")
      #expect(response.hasPrefix("HTTP/1.1 503 ") && response.contains("Connection: close"))
    }
    mayFinish.happen()
    for response in responses {
      let text = await response.value
      #expect(text.hasPrefix("HTTP/1.1 200 ") && text.hasSuffix("done"))
    }
    await stopped.value
  }

  @Test(
    "A server that stops waits for a request only for its limit, and cancels it then",
    .promise("server-stop"))
  func limit() async throws {
    let (begun, mayFinish, isCancelled) = (Event(), Event(), Event())
    let (limits, limit) = AsyncStream.makeStream(of: Duration.self)
    let server = try HTTPServer(
      port: 0, sleep: { limit.yield($0) },
      handler: { _ in
        begun.happen()
        await withTaskCancellationHandler {
          await Task { await mayFinish.wait() }.value
        } onCancel: {
          isCancelled.happen()
        }
        return HTTPResponse(status: 200)
      })
    let connection = try #require(LoopbackConnection(server.port))
    let response = Task { await connection.get("/") }
    await begun.wait()
    await server.stop()
    await isCancelled.wait()
    #expect(await !response.value.contains(" 200 "))
    #expect(await limits.first { _ in true } == .seconds(10))
    mayFinish.happen()
  }

  @Test("A server that stops does not wait for the rest of a request")
  func unfinishedBody() async throws {
    let server = try HTTPServer(
      port: 0, sleep: { _ in await Event().wait() }, handler: { _ in HTTPResponse(status: 200) })
    let connection = try #require(LoopbackConnection(server.port))
    let head = "POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n"
    #expect(await connection.send(head))
    // Then the head has been read.
    #expect(await connection.receive { $0.hasSuffix("\r\n\r\n") }.contains(" 100 "))
    await server.stop()
  }
}
