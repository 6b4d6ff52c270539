import Foundation
import IDX
import IDXBase
import IDXSimulatedOrg

/// The mailbox of an org, and what the devices of its users show now.
struct Devices: Sendable {
  struct User: Sendable {
    let login: String
    /// The codes of apps, tokens and keys, with the names of their authenticators.
    let codes: [(key: IDXAuthenticator.Key, name: String, code: String)]
    /// The pushes that wait, oldest first.
    let pushes: [SimulatedOrg.Push]
    /// The setups that wait for the phone.
    let setUps: [IDXAuthenticator.Key]
  }

  struct Message: Sendable {
    /// Its place in the mailbox, oldest first.
    let index: Int
    let message: Mailbox.Message
    /// The address that its link opens in the browser of the app; nil if no sign-in waits for the link.
    let link: URL?
  }

  /// The messages, newest first.
  let messages: [Message]
  let users: [User]

  static func name(of key: IDXAuthenticator.Key) -> String {
    SimulatedOrg.authenticators.first { $0.key == key }?.name ?? key.rawValue
  }

  init(of org: SimulatedOrg) async {
    var messages: [Message] = []
    for (index, message) in await org.mailbox.messages.enumerated() {
      let link = message.method == "email" ? await org.openLink(in: message) : nil
      messages.append(Message(index: index, message: message, link: link))
    }
    self.messages = messages.reversed()
    var users: [User] = []
    for user in await org.users {
      var codes: [(key: IDXAuthenticator.Key, name: String, code: String)] = []
      for (key, name) in SimulatedOrg.authenticators {
        if let code = await org.code(of: key, for: user.login) { codes.append((key, name, code)) }
      }
      users.append(
        User(
          login: user.login, codes: codes, pushes: await org.pushes(for: user.login),
          setUps: await org.waitingEnrollments(for: user.login)))
    }
    self.users = users
  }

  /// The same as JSON, with the token that posts need.
  func json(token: String) -> JSONValue {
    [
      "token": .string(token),
      "messages": .array(
        messages.map { entry in
          [
            "message": .number(.init(entry.index)), "to": .string(entry.message.recipient),
            "method": .string(entry.message.method.rawValue), "code": .string(entry.message.code),
            "text": .string(entry.message.text),
            "link": entry.link.map { .string($0.absoluteString) } ?? .null,
          ]
        }), "users": .array(users.map(\.json)),
    ]
  }
}

extension Devices.User {
  fileprivate var json: JSONValue {
    [
      "login": .string(login),
      "codes": .object(
        .init(codes.map { .init($0.key.rawValue, .string($0.code)) })),
      "pushes": .array(
        pushes.map {
          [
            "authenticator": .string($0.authenticator.rawValue),
            "number": $0.number.map(JSONValue.string) ?? .null,
          ]
        }), "set-ups": .array(setUps.map { .string($0.rawValue) }),
    ]
  }
}
