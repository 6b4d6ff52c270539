import Expectations
import Foundation
import IDXBase
import IDXFlow
import IDXOAuth
import IDXSimulatedOrg
import IDXSoftwarePasskeys
import IDXTesting
import Testing

/// With the variable `SCREEN_JSON_FOLDER`, each test writes its screens there, and
/// `Tests/Checks/test_front_end.py` compares them with the schema.
@Suite("The screens of every scenario as JSON", .timeLimit(.minutes(10)))
struct ScreenJSONScenarioTests {
  @Test(
    "They are read back as they were written, without a state or a password",
    .promise("front-end-lines"),
    arguments: ScenarioCase.all.sample(every: 7))
  func scenarios(test: ScenarioCase) async throws {
    let org = SharedSignIn.org(test.scenario)
    let okta = SimulatedOktaVerify(of: SharedSignIn.login, at: org)
    let person = SimulatedPerson(
      of: org, goal: test.scenario.goal, passkeys: SoftwareAuthenticator([.demo]), oktaVerify: okta)
    let sessions = OpenSignIns(
      client: await test.signInProtocol.client(of: org), configuration: org.configuration,
      handlers: .showing(Screens(canUsePasskeys: true, fastPass: .asks, rememberDevice: .asks)),
      now: { org.now }, sleep: { _ in try await Task.sleep(for: .seconds(3600)) })
    var screens: [Screen] = []
    do {
      let end = try await sessions.play(person, at: org) { screen in
        if screens.last != screen { screens.append(screen) }
      }
      if case .ended(let screen) = end { screens.append(screen) }
    } catch is FlowError {
      // Some scenarios end with an error.
    }
    expect(!screens.isEmpty)
    for screen in screens { try check(screen) }
    guard let folder = ProcessInfo.processInfo.environment["SCREEN_JSON_FOLDER"] else { return }
    try Data(screens.map { $0.json.text + "\n" }.joined().utf8)
      .write(
        to: URL(filePath: folder).appending(
          path: "\(test.scenario.name)-\(test.signInProtocol).jsonl"))
  }

  private func check(_ screen: Screen) throws {
    let json = screen.json
    let text = json.text
    try expectEqual(JSONValue(parsing: text.utf8), json)
    expect(!text.contains("\n"))
    expectEqual(json["inputs"]?.array?.map(\.["id"]?.string), screen.inputs.map(\.id))
    expectEqual(json["options"]?.array?.map(\.["id"]?.string), screen.options.map(\.id))
    expect(!text.contains(SharedSignIn.password))
    guard let state = screen.step?.state else { return }
    // The address of a page names the sign-in.
    var rest = json.object ?? .init()
    rest["page"] = nil
    let shown = JSONValue.object(rest).text
    expect(!shown.contains(state.nonce.revealed))
    if let handle = state.response.raw["stateHandle"]?.string { expect(!shown.contains(handle)) }
  }
}
