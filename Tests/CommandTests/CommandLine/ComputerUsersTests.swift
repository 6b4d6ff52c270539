import Expectations
import Testing

@testable import idx_flow

/// Who has the rights of a group.
struct ComputerUsersTests {
  private static let own = ComputerUsers.Group(name: "ada", id: 1000, members: [])

  private func isPrivate(
    _ groups: [ComputerUsers.Group], other: ComputerUsers.User? = nil, areComplete: Bool = true
  ) -> Bool {
    let users = [
      ComputerUsers.User(name: "root", id: 0, group: 0),
      ComputerUsers.User(name: "ada", id: 1000, group: 1000),
    ]
    let accounts = ComputerUsers(
      users: users + (other.map { [$0] } ?? []), groups: groups, areComplete: areComplete)
    return accounts.isPrivate(1000, to: 1000)
  }

  @Test(
    "A group is private if it has the name of the user, and nobody else of all accounts belongs to it",
    .promise("private-group"))
  func isPrivate() {
    expect(isPrivate([Self.own]))
    expect(isPrivate([ComputerUsers.Group(name: "ada", id: 1000, members: ["ada"])]))
    expect(isPrivate([Self.own], other: ComputerUsers.User(name: "grace", id: 1001, group: 1001)))
    expect(!isPrivate([]))
    expect(!isPrivate([ComputerUsers.Group(name: "mail", id: 1000, members: [])]))
    expect(!isPrivate([ComputerUsers.Group(name: "ada", id: 1000, members: ["grace"])]))
    // It is the primary group of another user.
    expect(!isPrivate([Self.own], other: ComputerUsers.User(name: "grace", id: 1001, group: 1000)))
    // Another name of the same user.
    expect(
      isPrivate([Self.own], other: ComputerUsers.User(name: "lovelace", id: 1000, group: 1000)))
    // Another group has the same ID.
    let other = ComputerUsers.Group(name: "family", id: 1000, members: ["grace"])
    expect(!isPrivate([Self.own, other]))
    // The system does not list all accounts.
    expect(!isPrivate([Self.own], areComplete: false))
  }

  @Test(
    "The accounts are all listed if they come from this computer only", .promise("private-group"),
    arguments: [
      ("", true), ("passwd: files systemd\ngroup:files [SUCCESS=merge] systemd\nhosts: dns", true),
      ("passwd: files # sss", true), ("# passwd: ldap", true), ("passwd: files sss", false),
      ("group: ldap [NOTFOUND=return UNAVAIL=continue] files", false), ("passwd: compat", false),
      ("passwd: files\n  initgroups: nis", false),
      ("group: files [!success=continue] winbind", false),
    ])
  func sources(configuration: String, areListed: Bool) {
    expectEqual(ComputerUsers.areListed(by: configuration), areListed, "\(configuration)")
  }

  #if os(Linux)
    @Test("The accounts of the system are read")
    func system() {
      let accounts = ComputerUsers.ofSystem()
      expect(accounts.users.contains { $0.name == "root" && $0.id == 0 && $0.group == 0 })
      expect(accounts.groups.contains { $0.name == "root" && $0.id == 0 })
    }
  #endif
}
