import Foundation
import IDXBase
import IDXPrompt

/// What `signin` is about if it is no option: `signin work` or `signin https://dev-1234.okta.com`.
enum SignInTarget {
  /// The options with what the operand means: a profile, or an issuer for which there is no profile yet.
  ///
  /// Throws if another option says the same, or if several profiles are for the org.
  static func options(_ call: CommandCall) throws -> CommandLineOptions {
    guard let text = call.options.operands.first else { return call.options }
    let isAddress = isAddress(text)
    let others =
      [SignInOptions.demo, Setting.issuer.option, SignInSettings.config]
      + (isAddress ? [] : [Profile.option])
    if let other = others.first(where: call.has) {
      throw CommandFailure(
        .usage, "\(other.name) and “\(text.sanitized)” cannot be used together.")
    }
    var options = call.options
    let file = try ProfileFile(call.environment)
    let named = try file.profile(named: text)
    let issuer = IssuerText(typed: text).issuer
    // With an address, the name is that of a new profile.
    if isAddress, call.has(Profile.option) {
      options.set(Setting.issuer.option, to: issuer)
      return options
    }
    // Somebody else may have given a profile the name of another org.
    if !isAddress || named.map({ isAtServer(of: issuer, $0) }) == true {
      options.set(Profile.option, to: text)
      return options
    }
    let (saved, names) = try usable(file, call)
    let same = saved.filter { IssuerText.areSame($0[.issuer] ?? "", issuer) }
    // An address without a path names the org, with all of its authorization servers.
    let isOrg = URL(string: issuer)?.path.isEmpty ?? false
    let found = same.isEmpty && isOrg ? saved.filter { isAtServer(of: issuer, $0) } : same
    let current = Profile.usual(in: call.environment)
    if let profile = found.first(where: { $0.name == current || found.count == 1 }) {
      options.set(Profile.option, to: profile.name)
    } else if found.isEmpty {
      options.set(Setting.issuer.option, to: issuer)
      if let name = newName(for: issuer, beside: names) {
        options.set(Profile.option, to: name)
      }
    } else {
      let commands = found.map { "\n  idx-flow signin --profile \($0.name.shellWord)" }
      throw CommandFailure(
        .usage, "Several profiles are for \(issuer.sanitized). Choose one:\(commands.joined())")
    }
    return options
  }

  /// The profile that the person chooses if there are several, and nothing says which one is meant; nil for another org.
  ///
  /// A file of a team has the profiles of all of its orgs, and none of them is the current one yet.
  static func chosenProfile(_ call: CommandCall, _ dialog: TerminalDialog) async throws -> String? {
    let options =
      [SignInOptions.demo, Profile.option, SignInSettings.config]
      + [Setting.issuer, .clientID].map(\.option)
    let variables = [Setting.issuer, .clientID].compactMap(\.variable) + ["IDX_FLOW_PROFILE"]
    guard !options.contains(where: call.has),
      variables.allSatisfy({ (call.environment[$0] ?? "").isEmpty }),
      let file = try? ProfileFile(call.environment), try file.usual() == nil
    else { return nil }
    let (profiles, _) = try usable(file, call)
    guard profiles.count > 1, !profiles.contains(where: { $0.name == Profile.defaultName }) else {
      return nil
    }
    let labels = profiles.map { profile -> Sentence in
      let url = profile[.issuer].flatMap { URL(string: IssuerText.addingScheme(to: $0)) }
      let place = url.map { IssuerText.host(of: $0) } ?? ""
      return Sentence(text: "\(profile.name.sanitized) \(place.sanitized)")
    }
    dialog.text(call.text("Which profile?"))
    let position = try await dialog.choose(among: labels + ["Another org"])
    return position < profiles.count ? profiles[position].name : nil
  }

  /// The profiles that can be used, and the names of all; a note says which one has a mistake.
  private static func usable(
    _ file: ProfileFile, _ call: CommandCall
  ) throws -> (profiles: [Profile], names: [String]) {
    let (profiles, names) = try file.usableProfiles()
    for name in names where !profiles.contains(where: { $0.name == name }) {
      call.streams.note("The profile “\(name.sanitized)” has a mistake and is skipped.")
    }
    return (profiles, names)
  }

  /// The org that a word may mean: `acme` is probably `acme.okta.com`; nil for any other text.
  static func org(named word: String) -> String? {
    // A client ID of Okta is none.
    let isClientID = word.hasPrefix("0oa") && word.count == 20
    let isName = !isClientID && word.wholeMatch(of: /[A-Za-z0-9]+(-[A-Za-z0-9]+)*/) != nil
    return isName && word.count < 64 ? "\(word.lowercased()).okta.com" : nil
  }

  /// The name of a new profile beside others: the first part of the host, or the host and the port; nil if there is no
  /// other profile.
  ///
  /// It has no dot, with which it would be an address.
  private static func newName(for issuer: String, beside names: [String]) -> String? {
    guard !names.isEmpty, let url = URL(string: issuer), let host = url.host else { return nil }
    let parts = host.split(separator: ".")
    let whole = (parts + [url.port.map { "\($0)" }].compactMap { $0?[...] }).joined(separator: "-")
    let first = parts.first.flatMap { $0.contains(where: \.isLetter) ? String($0) : nil }
    let numbered = (2...names.count + 2).map { "\(whole)-\($0)" }
    return ([first, whole].compactMap(\.self) + numbered).first { name in
      (try? Profile.check(name: name)) != nil && !names.contains(name)
    }
  }

  static func isAddress(_ text: String) -> Bool {
    text.contains("://") || text.contains(".") || text.contains(":") || text == "localhost"
  }

  private static func isAtServer(of issuer: String, _ profile: Profile) -> Bool {
    guard let url = URL(string: issuer), let text = profile[.issuer],
      let own = URL(string: IssuerText.addingScheme(to: text))
    else { return false }
    return Origin(url) == Origin(own)
  }
}
