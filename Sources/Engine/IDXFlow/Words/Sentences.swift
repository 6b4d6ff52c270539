public import IDX
import IDXBase

extension Words {
  /// A rule of a password.
  func rule(_ rule: PasswordRule) -> String {
    func count(_ name: String, _ number: Int) -> String { sentence(.rule(name), count: number) }
    return switch rule {
    case .length(let number): count("length", number)
    case .lowerCase(let number): count("lowercase", number)
    case .upperCase(let number): count("uppercase", number)
    case .digits(let number): count("digits", number)
    case .symbols(let number): count("symbols", number)
    case .repeats(let number): count("repeats", number)
    case .username: sentence(.rule("username"))
    case .attribute(let name):
      text(.rule(name)) ?? sentence(.rule("attribute"), ["name": name.brief])
    }
  }

  /// Why an answer cannot be sent.
  func problem(_ reason: InvalidAnswers.Problem.Reason) -> String {
    switch reason {
    case .missing, .unknown: sentence(.problem("missing"))
    case .notAnOption: sentence(.problem("choose"))
    case .notChangeable: sentence(.problem("fixed"))
    case .wrongType(let kind):
      switch kind {
      case .boolean: sentence(.problem("yes_or_no"))
      case .object: sentence(.problem("choose"))
      default: sentence(.problem("number"))
      }
    case .tooShort(let minimum): sentence(.problem("short"), count: minimum)
    case .tooLong(let maximum): sentence(.problem("long"), count: maximum)
    case .notAlphanumeric: sentence(.problem("alphanumeric"))
    case .breaksRules(let rules):
      sentence(.problem("rules"), ["rules": rules.map(rule).joined(separator: ", ")])
    case .differs: sentence(.problem("repetition"))
    }
  }

  /// What to tell the person after the server has accepted a form (``/IDXFlow/FlowEvent/accepted(_:_:)``);
  /// nil if the next screen shows it.
  public func confirmation(
    of form: Remediation, _ authenticator: IDXAuthenticator?
  ) -> String? {
    switch form.name {
    // A code has to be typed after the poll.
    case .enrollPoll where authenticator?.key == .nfcPIN: nil
    case .enrollAuthenticator, .enrollPoll, .enrollAuthenticatorPromotion:
      authenticator.map { sentence(.done("enrolled"), ["authenticator": name(of: $0)]) }
    case .resetAuthenticator, .reenrollAuthenticator, .reenrollAuthenticatorWarning:
      authenticator?.isPassword == true ? sentence(.done("password")) : nil
    case .challengePoll: sentence(.done("approved"))
    case .resend: sentence(.done("sent"))
    case .cancelPolling, .cancelPollingTransaction:
      switch form["reason"]?.value?.string.map(DeviceChallenge.Reason.init(rawValue:)) {
      case .unreachable?: sentence("fastpass.unreachable")
      case .returnedError?: sentence("fastpass.refused")
      default: nil
      }
    default: nil
    }
  }

  /// The server's name of an authenticator, or its key as words.
  func name(of authenticator: IDXAuthenticator) -> String {
    let name = String((authenticator.displayName?.brief ?? "").trimmed())
    guard name.isEmpty else { return name }
    return authenticator.key.flatMap { text(.name($0)) }
      ?? (authenticator.key?.rawValue ?? authenticator.type?.rawValue ?? "authenticator").humanized
  }

  /// The rules of a new password as a sentence; nil for other inputs, and without rules.
  package func sentence(ofRules input: Screen.Input) -> String? {
    guard input.contentType == .newPassword, !input.rules.isEmpty else { return nil }
    return sentence("rules", ["rules": input.rules.joined(separator: ", ")])
  }

  /// A text that the English table has.
  package func sentence(_ key: Key, _ values: [String: String] = [:]) -> String {
    text(key, values) ?? ""
  }

  /// A text that the English table has, for a number of things.
  package func sentence(_ key: Key, count: Int) -> String { text(key, count: count) ?? "" }
}

extension String {
  /// A text of the server as part of a line.
  var brief: String { TextSanitizer(oneLine: true).clean(shortened(to: 200)) }

  /// A key as words: `device-assurance` and `deviceAssurance` become “Device assurance”.
  var humanized: String {
    var words = ""
    for character in brief {
      if "-_.".contains(character) {
        words += " "
      } else if character.isUppercase, words.last?.isLowercase == true {
        words += " " + character.lowercased()
      } else {
        words.append(character)
      }
    }
    return words.prefix(1).uppercased() + words.dropFirst()
  }
}
