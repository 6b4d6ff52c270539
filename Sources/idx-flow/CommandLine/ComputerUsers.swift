import Foundation
import IDXBase

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The users and groups of this computer, which say who has the rights of a group.
struct ComputerUsers {
  struct User {
    let name: String
    let id: uid_t
    /// The primary group, which need not list the user as a member.
    let group: gid_t
  }

  struct Group {
    let name: String
    let id: gid_t
    let members: [String]
  }

  var users: [User] = []
  var groups: [Group] = []
  /// Whether no user and no group is missing.
  var areComplete: Bool

  /// Whether a group has the name of a user, as systems create it with the user, and no other user has its
  /// rights.
  ///
  /// Of other groups, such as `mail`, programs can have the rights (setgid). False if accounts are missing,
  /// because one of them could have the rights too.
  func isPrivate(_ group: gid_t, to user: uid_t) -> Bool {
    let names = users.filter { $0.id == user }.map(\.name)
    // Several groups can have the same ID.
    let entries = groups.filter { $0.id == group }
    return areComplete
      && entries.contains { names.contains($0.name) }
      && entries.allSatisfy { $0.members.allSatisfy(names.contains) }
      && users.allSatisfy { $0.group != group || $0.id == user }
  }
}

extension ComputerUsers {
  /// Reads the accounts of the system.
  static func ofSystem() -> ComputerUsers {
    lock.withLock { _ in
      var accounts = ComputerUsers(areComplete: hasLocalAccountsOnly)
      setpwent()
      defer { endpwent() }
      while let entry = accounts.next(getpwent)?.pointee {
        accounts.users.append(
          User(name: String(cString: entry.pw_name), id: entry.pw_uid, group: entry.pw_gid))
      }
      setgrent()
      defer { endgrent() }
      while let entry = accounts.next(getgrent)?.pointee {
        var members: [String] = []
        var member = entry.gr_mem
        while let name = member?.pointee {
          members.append(String(cString: name))
          member = member?.successor()
        }
        accounts.groups.append(
          Group(name: String(cString: entry.gr_name), id: entry.gr_gid, members: members))
      }
      return accounts
    }
  }

  /// Whether the configuration of the name service (nsswitch.conf) names only sources that list all accounts.
  ///
  /// A source on the network, such as LDAP, usually finds an account by its name but does not list it.
  static func areListed(by configuration: String) -> Bool {
    configuration.split(separator: "\n").allSatisfy { line in
      let parts = line.prefix { $0 != "#" }.split(separator: ":", maxSplits: 1)
      let words = parts.map { part in
        // What to do after a result, such as `[NOTFOUND=return]`, is no source.
        part.replacing(#/\[[^\]]*\]/#, with: " ").split(whereSeparator: \.isWhitespace)
      }
      guard let name = words.first?.first, ["passwd", "group", "initgroups"].contains(name) else {
        return true
      }
      return words.dropFirst().joined().allSatisfy(localSources.contains)
    }
  }

  private static let localSources: [Substring] = ["files", "altfiles", "extrausers", "systemd"]

  /// The functions of the system have one position for the whole process.
  private static let lock = Locked(())

  private static var hasLocalAccountsOnly: Bool {
    #if os(Linux)
      // Without a file, only local accounts are used.
      ["/etc/nsswitch.conf", "/usr/etc/nsswitch.conf"].allSatisfy { path in
        do {
          let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
          return areListed(by: String(decoding: bytes, as: UTF8.self))
        } catch { return (error as? CocoaError)?.code == .fileReadNoSuchFile }
      }
    #else
      false
    #endif
  }

  /// The next entry; nil at the end, and after an error, which leaves the accounts incomplete.
  private mutating func next<Entry>(
    _ call: () -> UnsafeMutablePointer<Entry>?
  ) -> UnsafeMutablePointer<Entry>? {
    errno = 0
    if let entry = call() { return entry }
    if errno != 0, errno != ENOENT { areComplete = false }
    return nil
  }
}
