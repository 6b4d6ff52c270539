import Foundation
import IDX
import IDXBase
public import IDXFlow
public import IDXSimulatedOrg

/// A person with the devices of a simulated org's user, who gives the right answer to any screen.
///
/// The person chooses every option once before choosing one again, so that a sign-in ends although some
/// options fail. What the user's phone does by itself (``/IDXSimulatedOrg/SimulatedUser/device``), the person
/// leaves to the phone; a password that is changed on another site, the person changes there, and starts over. After 60
/// screens the person cancels.
///
///     let person = SimulatedPerson(of: org)
///     var last: Screen?
///     while let screen = await model.next(after: last) {
///       if let reply = try await person.reply(to: screen) { model.reply(reply, to: screen) }
///       last = screen
///     }
public actor SimulatedPerson {
  private let org: SimulatedOrg
  /// The person's username; after a registration, that of the new account.
  public nonisolated let login: String
  private let passkeys: (any PasskeyProvider)?
  private let oktaVerify: SimulatedOktaVerify?
  /// What the person wants and has not chosen yet.
  private var goal: Goal?
  private var screensLeft = 60
  /// How often something was chosen, by the title and the ID of the input.
  private var choices: [String: Int] = [:]

  /// Creates a person.
  ///
  /// - Parameters:
  ///   - org: The org.
  ///   - login: The person's username; if nil, that of the user ``/IDXSimulatedOrg/SimulatedUser/demo``, or
  ///     `mary@example.com` for a person who registers.
  ///   - goal: What the person wants, such as ``/IDXSimulatedOrg/OrgScenario/goal``: the person chooses the option
  ///     for it as soon as a screen has it. Nil to only sign in.
  ///   - passkeys: Answers requests to a passkey; nil if the person has none.
  ///   - oktaVerify: Okta Verify on the person's computer; nil if it is not there.
  public init(
    of org: SimulatedOrg, login: String? = nil, goal: Goal? = nil,
    passkeys: (any PasskeyProvider)? = nil, oktaVerify: SimulatedOktaVerify? = nil
  ) {
    self.org = org
    self.login = login ?? (goal == .register ? Self.newAddress : SimulatedUser.demo.login)
    self.goal = goal
    self.passkeys = passkeys
    self.oktaVerify = oktaVerify
  }

  private static let newAddress = "mary@example.com"

  /// The reply to a screen; nil if the person has done something elsewhere, and waits for news.
  public func reply(to screen: Screen) async throws -> Reply? {
    screensLeft -= 1
    guard let step = screen.step, screensLeft > 0 else { return .cancel }
    if let form = goal?.form, let way = screen.options.first(where: { $0.id == form.rawValue }) {
      goal = nil
      return .choose(way.id)
    }
    let device = await org.user(login)?.device ?? SimulatedUser.Device()
    if screen.wait != nil, device.followsLinksAfter != nil { return nil }
    if screen.action.role == .wait {
      if device.setsUpAfter == nil { await org.completeEnrollment(for: login) }
      if device.pushReactions.isEmpty {
        await org.approvePush(for: login, choosing: step.authenticator?.numberChallenge)
      }
      return nil
    }
    if let link = screen.link, let oktaVerify {
      _ = try await oktaVerify.open(link)
      return nil
    }
    if let challenge = screen.deviceChallenge, let oktaVerify {
      return try await challenge.reply(from: LoopbackFastPass(transport: oktaVerify))
    }
    if let page = screen.page {
      let url = await org.visit(page.url, as: login)
      return url.map(Reply.returned) ?? .failed("The browser did not return.")
    }
    if let request = screen.passkey, let passkeys {
      return try await request.reply(from: passkeys)
    }
    if screen.action.role == .startOver, let site = UnsupportedStep(step)?.link.flatMap(URL.init) {
      _ = await org.visit(site, as: login)
      return .choose(screen.action.id)
    }
    // Right answers that are refused twice will be refused again.
    guard !screen.inputs.isEmpty, screen.attempt < 3 else { return choose(at: screen) }
    var questions = ScreenQuestions(screen)
    while let input = questions.next() {
      guard questions.refusals < 3 else { return .cancel }
      questions.take(Secret(await value(for: input, at: screen, questions.values)))
    }
    return .submit(questions.values)
  }

  /// The next way that is not just the end or the beginning of the sign-in.
  private func choose(at screen: Screen) -> Reply {
    let ways = ([screen.action] + screen.options).filter { way in
      ![.quit, .startOver].contains(way.role)
        && (screen.inputs.isEmpty || way.id != screen.action.id)
    }
    return next(among: ways, screen.title).map { .choose($0.id) } ?? .cancel
  }

  private func next<Element>(among elements: [Element], _ place: String) -> Element? {
    guard !elements.isEmpty else { return nil }
    defer { choices[place, default: 0] += 1 }
    return elements[choices[place, default: 0] % elements.count]
  }

  /// What the person enters: the right password or code, or something that fits.
  private func value(
    for input: Screen.Input, at screen: Screen, _ values: [Screen.Input.ID: Secret]
  ) async -> String {
    if let first = input.repeats { return values[first]?.revealed ?? "" }
    switch input.kind {
    case .choice(let choices):
      // A protocol may offer also what the person does not have.
      let enrolled = await org.user(login)?.enrollments.map(\.authenticator.rawValue) ?? []
      let own = choices.filter {
        $0.id.split(separator: "#").first.map(String.init).map(enrolled.contains) == true
      }
      let place = "\(screen.title) \(input.id)"
      return next(among: own.isEmpty ? choices : own, place)?.id ?? ""
    case .toggle: return "true"
    case .text, .secret: return await text(for: input, at: screen.step)
    }
  }

  /// The right text for an input, as the person knows it or reads it on a device.
  public func text(for input: Screen.Input, at step: Step?) async -> String {
    switch input.id {
    case "identifier", "credentials.clientData", "userProfile.email": return login
    case "userCode": return "WDJB-MJHT"
    case "credentials.answer": return await answer ?? "Difference"
    case "credentials.credentialId": return await org.user(login)?.symantecCredentialID ?? ""
    case let path where path.lowercased().hasSuffix("email"): return Self.newAddress
    case let path where path.hasSuffix("Phone") || path.hasSuffix("phoneNumber"):
      return "+15550100188"
    case let path where path.hasPrefix("userProfile."): return "Somerville"
    default: break
    }
    if input.contentType == .newPassword { return "Mechanism-1831" }
    guard let authenticator = step?.authenticator, let key = authenticator.key,
      !authenticator.isPassword
    else { return await org.user(login)?.password.revealed ?? "" }
    let ahead = input.id == "credentials.nextPasscode" ? 1 : 0
    // A protocol may know only that the code is from an app.
    for key in [key, .oktaVerify, .googleAuthenticator] {
      if let code = await org.code(of: key, for: login, ahead: ahead) { return code }
      if await org.mailbox.messages.last?.code != nil { break }
    }
    if let code = await org.mailbox.messages.last?.code { return code }
    // One that fits: at a replay, no message comes.
    let length = min(max(step?.remediation[input.id]?.minimumLength ?? 6, 6), 100)
    return String((0..<length).map { Character("\($0 % 9 + 1)") })
  }

  /// The answer to the security question; nil if there is none.
  private var answer: String? {
    get async { await org.user(login)?.enrollments.lazy.compactMap(\.answer).first?.revealed }
  }
}
