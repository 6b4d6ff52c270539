import Foundation
import IDX
import IDXBase
import IDXFlow
import IDXNetwork
import IDXOAuth
import IDXSimulatedOrg
import IDXTesting
import IDXSoftwarePasskeys

/// An org that is simulated in memory, and hints for signing in to it.
struct Demo {
  let org: SimulatedOrg
  let configuration: FlowConfiguration
  /// A security key with the passkeys of the org's users.
  let passkeys = SoftwareAuthenticator.demo

  private static let password = "Analytical-1843"

  private let scenario: OrgScenario
  private let environment: [String: String]
  private let streams: Streams

  /// The value of `--demo` that lists the demos.
  static let listName = "list"

  /// The demos that work with a protocol, in groups, one on each line.
  static func list(for flow: ProtocolChoice) -> String {
    let groups = groups(for: flow)
    let rows = groups.flatMap(\.demos).map { ("  \($0.name)", $0.summary) }
    var lines = twoColumns(rows).split(separator: "\n")[...]
    return groups.map { group in
      defer { lines = lines.dropFirst(group.demos.count) }
      return ([group.title + ":"] + lines.prefix(group.demos.count).map(String.init))
        .joined(separator: "\n")
    }.joined(separator: "\n\n")
  }

  /// The demos that work with a protocol, as an array of objects.
  static func json(for flow: ProtocolChoice) -> JSONValue {
    .array(
      groups(for: flow).flatMap { group in
        group.demos.map { demo in
          let protocols = ProtocolChoice.all.filter(demo.protocols.contains)
          return [
            "name": .string(demo.name), "group": .string(group.title),
            "summary": .string(demo.summary),
            "flows": .array(protocols.map { .string($0.rawValue) }),
          ]
        }
      })
  }

  private static func groups(
    for flow: ProtocolChoice
  ) -> [(title: String, demos: [OrgScenario])] {
    OrgScenario.groups.compactMap { group in
      let demos = group.scenarios.filter { $0.protocols.contains(flow.signInProtocol) }
      return demos.isEmpty ? nil : (group.title, demos)
    }
  }

  /// Creates the demo with a name; an empty name selects the demo of the goal, or the first one.
  init(
    named name: String, _ options: SignInOptions, flow: ProtocolChoice, dpop: DPoPPolicy,
    _ call: CommandCall
  ) throws {
    let streams = call.streams
    let name = name.isEmpty ? options.goal?.name ?? OrgScenario.demo.name : name
    let list = "idx-flow signin --demo list" + (flow.name == "idx" ? "" : " --flow \(flow.name)")
    guard let scenario = OrgScenario.named(name) else {
      let hint = Spelling.hint(
        for: name, among: OrgScenario.all(for: flow.signInProtocol).map(\.name) + [Self.listName])
      throw CommandFailure(
        .usage,
        "There is no demo \(name).\(hint) See: \(list)")
    }
    guard scenario.protocols.contains(flow.signInProtocol) else {
      throw CommandFailure(
        .usage,
        "The demo \(name) does not work with --flow \(flow.name). See: \(list)")
    }
    self.scenario = scenario
    environment = call.environment
    self.streams = streams
    org = SimulatedOrg(
      scenario, redirectURIs: [Self.freeAddress],
      onMessage: { message in
        let method = Sentence(template: message.method.rawValue)
        streams.note("mailbox: \(method) to \(message.recipient): \(message.text)")
      })
    configuration = try FlowConfiguration(
      issuer: org.issuer.absoluteString, clientID: org.clientID, redirectURI: org.redirectURI,
      scopes: options.demoScopes ?? FlowConfiguration.defaultScopes + ["email", "offline_access"],
      dpop: dpop)
  }

  /// A redirect URI with an unused port.
  private static var freeAddress: String {
    LoopbackSocket.findFreePort().map { "http://127.0.0.1:\($0)/callback" }
      ?? "com.example.demo:/callback"
  }

  /// Loads the tokens that the org issued earlier, so that its other credentials stay valid.
  func restore() async throws { try await DemoOrg(environment).restore(into: org) }

  /// Saves the tokens that the org issued, for other commands such as `idx-flow whoami --demo`.
  func save() async throws { try await DemoOrg(environment).save(org, scenario) }

  /// Says something about the simulation, which is no part of the sign-in.
  private func note(_ sentence: Sentence) { streams.note(sentence, isFaint: true) }

  func greet() {
    note("demo: this org is simulated in memory; nothing is sent over the network.")
    if let user = scenario.users.first {
      note("demo: the user is \(user.login), the password \(Self.password)")
    }
    for hint in scenario.hints {
      note("demo: \(Sentence(template: hint))")
    }
  }

  /// Okta Verify on this computer, at a port that the org names.
  var oktaVerify: SimulatedOktaVerify {
    SimulatedOktaVerify(of: scenario.users.first?.login ?? "", at: org)
  }

  /// Makes the org accept polls every second, so that nobody waits long in a demo, and gives it a sign-in page if the
  /// demo needs one.
  func prepare(for flow: ProtocolChoice) async {
    await org.changeTokens { $0.devicePollInterval = 1 }
    if flow.signInProtocol == .hosted {
      await org.changeRequests { $0.signInPage = OrgSignInPage() }
    }
  }

  /// Enters a user code that is new after two seconds, like a person with another device; `last` is the state before.
  func enterUserCode(of state: FlowState, after last: FlowState?) {
    guard let code = state.response.userCode?.text, code != last?.response.userCode?.text else {
      return
    }
    Task {
      try await Task.sleep(for: .seconds(2))
      guard await org.enter(userCode: code) else { return }
      note("demo: a browser on another device has entered the code and signed in.")
    }
  }

  /// Acts as the browser at a page of the org: signs in there and returns to the loopback address; or as Okta Verify at
  /// one of its links.
  func open(_ page: URL) async -> Bool {
    if page.scheme == "com-okta-authenticator" {
      let isAccepted = (try? await oktaVerify.open(page)) == true
      if isAccepted { note("demo: Okta Verify has approved the sign-in.") }
      return isAccepted
    }
    guard let end = await org.visit(page) else { return false }
    note("demo: the browser has signed in there and returns.")
    Task {
      do {
        _ = try await HTTPTransport().send(TransportRequest(method: "GET", url: end))
      } catch {
        note("demo: paste this address: \(end.absoluteString)")
      }
    }
    return true
  }

  /// What the devices of the person reply to the main action of a screen; nil if it needs none of them.
  func reply(of screen: Screen) async throws -> Reply? {
    if let page = screen.page { return await org.visit(page.url).map(Reply.returned) }
    if let request = screen.passkey { return try await request.reply(from: passkeys) }
    if let challenge = screen.deviceChallenge {
      return try await challenge.reply(from: LoopbackFastPass(transport: oktaVerify))
    }
    if let link = screen.link { _ = await open(link) }
    return nil
  }

  /// Shows the code that the person's device would show for a screen.
  func showCode(on screen: inout Screen) async {
    guard let login = scenario.users.first?.login,
      let authenticator = screen.step?.authenticator, let key = authenticator.key,
      !Self.sent.contains(key), let input = screen.inputs.first(where: Self.isForCode),
      let code = await org.code(
        of: key, for: login, ahead: input.id.hasSuffix("nextPasscode") ? 1 : 0)
    else { return }
    let name = authenticator.displayName.map { Sentence(text: $0) } ?? "the authenticator"
    let hint: Sentence = "demo: \(name) shows \(code)"
    // Above the QR code of a setup, a small window would not show it.
    if screen.setUp != nil, screen.attempt == 1 {
      screen.notes.append(streams.words.text(of: hint))
    } else {
      note(hint)
    }
  }

  private static func isForCode(_ input: Screen.Input) -> Bool {
    let name = input.id.split(separator: ".").last ?? ""
    return ["passcode", "totp", "nextPasscode"].contains(name)
  }

  /// The codes that are shown when they are sent.
  private static let sent: [IDXAuthenticator.Key] = [.password, .email, .phone]
}
