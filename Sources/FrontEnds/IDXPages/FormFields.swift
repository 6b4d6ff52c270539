import Foundation
import IDXBase
public import IDXFlow

/// The names of the fields in the form of a page, and the reply that they mean.
///
/// The same input can belong to several choices, so a name contains the choices that lead to it:
/// `/authenticator/phone_number/authenticator.methodType`.
public enum FormFields {
  /// The field with the token against forged posts.
  public static let token = "token"
  /// The field with the revision of the page.
  public static let revision = "revision"
  /// The field with the answer of a passkey, which a script fills in.
  public static let passkey = "passkey"
  /// The field with what came of a challenge for Okta Verify, which a script fills in.
  public static let fastPass = "fastpass"
  /// The field of the button that was pressed.
  static let choice = "choose"
  /// The field of the row that was pressed; its value is what other fields would send.
  static let picked = "pick"

  /// The reply in the fields of a form; a failure of a passkey is described in these words.
  public static func reply(in form: [String: String], words: Words) -> Reply {
    if let option = form[choice] { return .choose(option) }
    if let answer = form[passkey], !answer.isEmpty {
      return Reply(passkeyJSON: answer) ?? .failed(words.page(.passkeyFailed))
    }
    if let result = form[fastPass], !result.isEmpty {
      return Reply(fastPassJSON: result) ?? .failed(words.page(.oktaVerifyFailed))
    }
    let picked = form[picked].map(fields) ?? [:]
    return .submit(values(in: form.merging(picked) { $1 }))
  }

  /// The fields that choices one after the other fill in, and the start of the names of what belongs to the last one.
  static func picking(
    _ picks: [Screen.ChoiceRow.Pick]
  ) -> (fields: [(name: String, value: String)], prefix: String) {
    var fields: [(name: String, value: String)] = []
    var prefix = ""
    for pick in picks {
      let name = name(of: pick.input, in: prefix)
      fields.append((name, pick.choice))
      prefix = self.prefix(of: pick.choice, in: name)
    }
    return (fields, prefix)
  }

  /// The value of a row that answers some inputs.
  static func value(picking fields: [(name: String, value: String)]) -> String {
    // The slashes between the parts of a name can stay.
    fields.map { "\(encoded($0.name).replacing("%2F", with: "/"))=\(encoded($0.value))" }
      .joined(separator: "&")
  }

  /// The fields in the value of a row.
  private static func fields(of value: String) -> [String: String] {
    let pairs = value.split(separator: "&").compactMap { pair -> (String, String)? in
      let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
        .map { $0.removingPercentEncoding ?? "" }
      return parts.count == 2 ? (parts[0], parts[1]) : nil
    }
    return Dictionary(pairs) { $1 }
  }

  /// The values of the inputs; those of choices that are not chosen are left out.
  private static func values(in form: [String: String]) -> [Screen.Input.ID: Secret] {
    var values: [Screen.Input.ID: Secret] = [:]
    for (name, value) in form where name.hasPrefix("/") {
      let parts = name.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      // Inputs and choices take turns, and an input is last.
      let isChosen = stride(from: 1, to: parts.count, by: 2).allSatisfy { index in
        let input = "/" + parts[..<index].joined(separator: "/")
        return form[input] == parts[index].removingPercentEncoding
      }
      guard parts.count % 2 == 1, isChosen, let id = parts.last?.removingPercentEncoding else {
        continue
      }
      values[id] = Secret(value)
    }
    return values
  }

  /// The name of an input inside a choice, or of one that is always shown.
  static func name(of input: Screen.Input.ID, in prefix: String) -> String {
    "\(prefix)/\(encoded(input))"
  }

  /// The name of a choice of an input.
  static func prefix(of choice: Screen.Choice.ID, in name: String) -> String {
    "\(name)/\(encoded(choice))"
  }

  private static func encoded(_ id: String) -> String {
    id.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
  }

  private static let allowed = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-#")
}
