import Expectations
import IDXClassicAuth
import IDXFlow
import IDXSimulatedOrg
import SignInSupport
import Testing

@testable import Embedding

/// A coordinator for the classic API.
struct ClassicCoordinatorTests {
  /// A person with answers; nil as a code stands for the right one.
  private actor Person: ClassicCoordinatorDelegate {
    private let org: SimulatedOrg
    private let factor: String
    private var codes: [String?]
    private var newPasswords: [String]
    private(set) var refusals: [[String]] = []
    private(set) var factors: [String] = []

    init(
      _ org: SimulatedOrg, factor: String = "", codes: [String?] = [], newPasswords: [String] = []
    ) {
      (self.org, self.factor, self.codes, self.newPasswords) = (org, factor, codes, newPasswords)
    }

    func chooseFactor(among names: [String]) -> Int? {
      factors = names
      return names.firstIndex(of: factor)
    }

    func code(of factor: String, after refusals: [String]) async -> String? {
      self.refusals.append(refusals)
      guard !codes.isEmpty else { return nil }
      if let code = codes.removeFirst() { return code }
      return await org.authenticatorCode(for: login)
    }

    func newPassword(after refusals: [String]) -> String? {
      self.refusals.append(refusals)
      return newPasswords.isEmpty ? nil : newPasswords.removeFirst()
    }
  }

  private func authenticate(
    _ org: SimulatedOrg, _ person: Person, _ secret: String = password
  ) async throws -> ClassicCoordinator.Result {
    let client = ClassicAuthClient(transport: org, tokens: org.tokenClient)
    return try await ClassicCoordinator(
      client: client, configuration: org.configuration, delegate: person
    ).authenticate(username: login, password: secret)
  }

  @Test("A factor is chosen by its name, and its code is asked for again after a wrong one")
  func code() async throws {
    let org = SimulatedOrg(OrgScenario["choose-factor"])
    let person = Person(org, factor: "Google Authenticator", codes: ["000000", nil])
    guard case .signedIn(let credential) = try await authenticate(org, person) else {
      Issue.record("Nobody is signed in.")
      return
    }
    expectEqual(credential.username, login)
    await expect(person.factors.count > 3)
    await expectEqual(person.refusals.map(\.isEmpty), [true, false])
  }

  @Test("A wrong password is refused with the server's words, after one request")
  func wrongPassword() async throws {
    let org = SimulatedOrg(OrgScenario["password"])
    guard case .refused(let message) = try await authenticate(org, Person(org), "wrong") else {
      Issue.record("It was not refused.")
      return
    }
    expect(!message.isEmpty)
    await expectEqual(org.count(of: "/authn"), 1)
  }

  @Test(
    "A locked account is reported, also one that too many wrong codes have locked",
    arguments: [OrgScenario["locked-shown"], OrgScenario["google"]])
  func locked(scenario: OrgScenario) async throws {
    let org = SimulatedOrg(scenario)
    let person = Person(org, codes: Array(repeating: "000000", count: 20))
    let result = try await authenticate(org, person)
    guard case .lockedOut = result else {
      Issue.record("\(result)")
      return
    }
  }

  @Test("An expired password is replaced, after one that is too weak")
  func expired() async throws {
    let org = SimulatedOrg(OrgScenario["password-expired"])
    let person = Person(org, newPasswords: ["weak", "Difference-1846"])
    guard case .signedIn = try await authenticate(org, person) else {
      Issue.record("Nobody is signed in.")
      return
    }
    await expectEqual(person.refusals.map(\.isEmpty), [true, false])
    await expectEqual(org.user(login)?.password, "Difference-1846")
  }

  @Test("Closing a view cancels")
  func cancelled() async throws {
    let org = SimulatedOrg(OrgScenario["google"])
    guard case .cancelled = try await authenticate(org, Person(org)) else {
      Issue.record("It was not canceled.")
      return
    }
  }
}
