import IDXFlow

/// A transport to a badge server that loses requests or responses, and knows the cookies that it got.
actor LosingTransport: Transport {
  enum Loss { case request, response }

  let server = BadgeServer()
  var loss: Loss?
  private(set) var sent: [(path: String, cookie: String?)] = []

  func lose(_ loss: Loss?) { self.loss = loss }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let path = request.url.lastPathComponent
    sent.append((path, request.headers["Cookie"]))
    let isLost = path == "prove"
    if isLost, loss == .request { throw Self.error }
    let response = try await server.send(request)
    if isLost, loss == .response { throw Self.error }
    return response
  }

  /// Nobody knows whether the request arrived.
  private static let error = TransportError(
    .connectionLost, message: "The connection broke.", mayHaveArrived: true)
}

enum ClientChecks {
  private static let right: Answers = ["identifier": "ada", "credentials.passcode": "4711"]

  static func run() async throws {
    try await signsIn()
    try await asksAfterALostResponse()
    try await asksAfterALostRequest()
  }

  /// Signs in through the coordinator, with our front-end and a wrong number first.
  private static func signsIn() async throws {
    let transport = LosingTransport()
    let person = ScriptedLines([
      .init("Name") { "ada" }, .init("Number") { "1234" }, .init("Number") { "4711" },
    ])
    let coordinator = FlowCoordinator(
      client: BadgeClient(transport: transport),
      handlers: .showing(on: LineFrontEnd(lines: person)))
    let outcome = try await coordinator.run(BadgeServer.configuration)
    guard case .signedIn(let signIn) = outcome else {
      throw Failure(description: "The right number must sign in.")
    }
    try expect(signIn.credential.username == "ada", "The credential must have the name.")
    try await expect(person.isFinished, "Each answer must be used.")
    let sent = await transport.sent
    try expect(sent.map(\.path) == ["start", "prove", "prove"], "Each answer must be sent once.")
    try expect(sent.map(\.cookie) == [nil, "door=7", "door=7"], "The cookie must come back.")
  }

  private static func asksAfterALostResponse() async throws {
    let transport = LosingTransport()
    let client = BadgeClient(transport: transport)
    let state = try await client.start(BadgeServer.configuration)
    await transport.lose(.response)
    let end = try await client.proceed(.identify, right, from: state)
    try expect(end.isSignedIn, "The server must be asked, and it says that the sign-in succeeded.")
    try await expect(transport.server.proofs == 1, "The number must be sent once.")
    try await expect(
      transport.sent.map(\.path) == ["start", "prove", "status"], "The server must be asked once.")
    let credential = try await client.redeem(end)
    try expect(credential.username == "ada", "The response to the question has the name.")
  }

  private static func asksAfterALostRequest() async throws {
    let transport = LosingTransport()
    let client = BadgeClient(transport: transport)
    let state = try await client.start(BadgeServer.configuration)
    // The sign-in continues in another process, whose requests carry the cookie too.
    let saved = try FlowState(snapshot: state.snapshot(), for: BadgeServer.configuration)
    await transport.lose(.request)
    do {
      _ = try await client.proceed(.identify, right, from: saved)
      throw Failure(description: "A lost answer must be an error.")
    } catch let error as FlowError {
      try expect(error.code == .answerUnconfirmed, "The error must say that it is unconfirmed.")
      try expect(error.remediation == .identify, "The error must name the step.")
    }
    try await expect(transport.server.proofs == 0, "The number must not be sent again.")
    await transport.lose(nil)
    let end = try await client.proceed(.identify, right, from: saved)
    try expect(end.isSignedIn, "The state must still be valid.")
    try await expect(
      transport.sent.dropFirst().allSatisfy { $0.cookie == "door=7" }, "The cookie must come back.")
    let again = try await client.startOver(saved)
    try expect(again.response[.identify] != nil, "After a cancel, the sign-in starts over.")
    try await expect(transport.sent.last?.cookie == "door=7", "A cancel must keep the cookie.")
  }
}
