import Foundation
import IDX
import IDXBase
import IDXOAuth

/// A credential as text and as JSON, without its tokens.
struct CredentialText {
  private let credential: Credential
  private let isDemo: Bool
  /// The profile with the settings of the credential; nil if there is none.
  private let profile: Profile?
  /// Whether the profile of that name was removed, or was never saved.
  private let isNameFree: Bool
  private let environment: [String: String]
  private let now = Date()

  /// Creates the text; the `environment` says where the profiles are, which suggested commands need.
  init(_ credential: Credential, isDemo: Bool = false, _ environment: [String: String]? = nil) {
    self.credential = credential
    self.isDemo = isDemo
    self.environment = isDemo ? [:] : environment ?? [:]
    let name = credential.id.label ?? Profile.defaultName
    let saved = isDemo ? nil : environment.flatMap { try? ProfileFile($0).profile(named: name) }
    profile = saved.flatMap { $0.isFor(credential) ? $0 : nil }
    isNameFree = saved == nil
  }

  /// The name of the user.
  var user: String {
    (credential.username ?? credential.id.subject ?? "an unnamed user").sanitized
  }

  /// The options that name the org and the app.
  var appOptions: [(option: OptionSpec, value: String)] {
    [
      (Setting.issuer.option, credential.id.issuer.absoluteString),
      (Setting.clientID.option, credential.id.clientID),
    ]
  }

  /// The option that names the profile; nil if it is for another org or app.
  var profileOption: (option: OptionSpec, value: String)? {
    let isUsable = profile != nil || credential.id.label != nil && isNameFree
    return isUsable ? (Profile.option, credential.id.label ?? Profile.defaultName) : nil
  }

  /// The command that makes it the current credential among some, for a person to copy.
  func useCommand(among credentials: [Credential]) -> String {
    let isClear = credentials.allSatisfy { other in
      other.id == credential.id || CredentialText(other).user != user
    }
    var words = isDemo ? [CredentialAccess.demo.name] : []
    if !isDemo, !isClear || isProfileChosen {
      words += Self.words(profileOption.map { [$0] } ?? appOptions)
    }
    // After `--`, a name that starts with a hyphen is not an option.
    words += (user.hasPrefix("-") ? ["--"] : []) + [user.shellWord]
    return (["idx-flow", "use"] + words).joined(separator: " ").sanitized
  }

  /// The command that signs in again to the same org and app, saved in the same profile, for a person to copy.
  var signInCommand: String {
    if isDemo { return "idx-flow signin --demo" }
    // A chosen profile would be for another org.
    let command =
      profileOption.map { Profile.signInCommand($0.value, in: environment) }
      ?? (isProfileChosen ? "IDX_FLOW_PROFILE= " : "") + "idx-flow signin"
    let words = profile == nil ? Self.words(appOptions) : []
    return ([command] + words).joined(separator: " ").sanitized
  }

  /// The same command, which also asks for scopes.
  func signInCommand(adding scopes: [String]) -> String {
    let others = askedScopes.filter { !scopes.contains($0) }
    return "\(signInCommand) \(Self.option(for: others + scopes))"
  }

  /// Whether `IDX_FLOW_PROFILE` is set, which commands without `--profile` obey.
  private var isProfileChosen: Bool { Profile.chosen(in: environment) != nil }

  /// The scopes that the next sign-in asks for.
  private var askedScopes: [String] {
    profile?[.scopes].map(SignInSettings.scopes) ?? credential.scopes
  }

  private static func option(for scopes: [String]) -> String {
    "--scope \(scopes.joined(separator: " ").shellWord)".sanitized
  }

  private static func words(_ options: [(option: OptionSpec, value: String)]) -> [String] {
    options.flatMap { [$0.option.name, $0.value.shellWord] }
  }

  /// The user, the issuer and the app on one line.
  var line: String { "\(user)  \(app)" }

  /// The user, and the host of the issuer with its port if it has one: `ada@example.com at dev-1234.okta.com`.
  var userAndHost: Sentence { "\(user) at \(Self.host(of: credential).sanitized)" }

  /// The name of the user in a sentence: with the org, if the credentials in a store are of several orgs.
  func name(in store: (any CredentialStore)?) async -> Sentence {
    let saved = (try? await store?.entries())?.compactMap(\.credential) ?? []
    let hosts = Set((saved + [credential]).map(Self.host))
    return hosts.count > 1 ? userAndHost : Sentence(text: user)
  }

  private static func host(of credential: Credential) -> String {
    IssuerText.host(of: credential.id.issuer)
  }

  /// The issuer and the app.
  var app: String {
    let id = credential.id
    let profile = id.label.map { "  (profile \($0))" } ?? ""
    return "\(id.issuer.absoluteString)  \(id.clientID)\(profile)".sanitized
  }

  /// Until when the access token is valid.
  var validity: Sentence {
    if let date = credential.refusedAt {
      return "refused by the server on \(Self.time(date)); sign in again: \(signInCommand)"
    }
    guard let end = credential.expiresAt else {
      return "the server did not say how long it is valid"
    }
    guard credential.isValid(at: now) else {
      let end = Self.time(end)
      return isUsable
        ? "expired \(end); refreshed when needed"
        : "expired \(end); sign in again: \(signInCommand)"
    }
    let time: Sentence = "until \(Self.time(end)) (\(Self.span(end.timeIntervalSince(now))) left)"
    return credential.tokens.refreshToken == nil ? time : "\(time), then refreshed"
  }

  /// How long the access token of a sign-in is valid, in a few words; nil if the server did not say.
  var lifetime: Sentence? {
    guard let end = credential.expiresAt else { return nil }
    let time: Sentence = "valid for \(Self.span(end.timeIntervalSince(now)))"
    return credential.tokens.refreshToken == nil ? time : "\(time), then refreshed"
  }

  /// When the access token expired: `at 17:31`, or with the date if that was on another day; nil if it is valid or
  /// refused.
  var expiry: Sentence? {
    guard credential.refusedAt == nil, !credential.isValid(at: now),
      let end = credential.expiresAt, end < now
    else { return nil }
    let isToday = Calendar.current.isDate(end, inSameDayAs: now)
    return isToday ? "at \(Self.time(end).dropFirst(11).prefix(5))" : "on \(Self.time(end))"
  }

  /// Whether the credential can be used without a new sign-in.
  var isUsable: Bool {
    credential.refusedAt == nil
      && (credential.isValid(at: now) || credential.tokens.refreshToken != nil)
  }

  /// Whether the person stays signed in, and the command that changes it for the next sign-in.
  private var refresh: Sentence {
    let hasToken = credential.tokens.refreshToken != nil
    if hasToken, credential.refusedAt != nil { return "no longer accepted" }
    // The server gives it all the same.
    if hasToken, !askedScopes.contains(StaySignedInQuestion.scope) { return "yes" }
    if !hasToken, profile != nil, askedScopes.contains(StaySignedInQuestion.scope) {
      return "no; to stay signed in, sign in again: \(signInCommand)"
    }
    let others = askedScopes.filter { $0 != StaySignedInQuestion.scope }
    let option = Self.option(for: hasToken ? others : others + [StaySignedInQuestion.scope])
    let command =
      profile.map { "idx-flow profile set \($0.name.shellWord) \(option)" }
      ?? "\(signInCommand) \(option)"
    return hasToken
      ? "yes; to end it at the next sign-in: \(command)" : "no; to stay signed in: \(command)"
  }

  /// Who is signed in, where, until when, and with which profile, one on each line.
  var lines: [Sentence] {
    let id = credential.id
    let name =
      id.subject == nil ? "\(user) (not confirmed by an ID token)" : Sentence(text: user)
    let profileName: Sentence =
      profileOption.map { Sentence(text: $0.value.sanitized) } ?? "none"
    return [
      "user      \(name)", "issuer    \(id.issuer.absoluteString.sanitized)",
      "access    \(validity)",
    ] + (isDemo ? [] : ["profile   \(profileName)"])
  }

  /// The other details, one on each line.
  var moreLines: [Sentence] {
    let id = credential.id
    return (id.subject.map { ["user ID   \($0.sanitized)"] } ?? []) + [
      "app       \(id.clientID.sanitized)",
      "refresh   \(refresh.sanitized)",
      "scopes    \(credential.scopes.joined(separator: " ").sanitized)",
    ] + (credential.tokens.needsProof ? ["bound to  a key of this computer (DPoP)"] : [])
      + (credential.authenticatedAt.map { ["signed in \(Self.time($0))"] } ?? [])
  }

  var json: JSONValue {
    let id = credential.id
    func seconds(_ date: Date?) -> JSONValue {
      JSONValue(date.flatMap { Int(exactly: $0.timeIntervalSince1970.rounded(.down)) })
    }
    return [
      "user": JSONValue(credential.username), "subject": JSONValue(id.subject),
      "issuer": .string(id.issuer.absoluteString), "client_id": .string(id.clientID),
      "profile": JSONValue(id.label),
      "scopes": .array(credential.scopes.map(JSONValue.string)),
      "expires_at": seconds(credential.expiresAt),
      "is_valid": .bool(credential.isValid(at: now)),
      "has_refresh_token": .bool(credential.tokens.refreshToken != nil),
      "authenticated_at": seconds(credential.authenticatedAt),
      "refused_at": seconds(credential.refusedAt),
      "is_bound_to_key": .bool(credential.tokens.needsProof),
    ]
  }

  /// Whether a credential comes before another one in a list.
  static func order(_ left: Credential, _ right: Credential) -> Bool {
    func key(_ credential: Credential) -> [String] {
      [
        credential.id.issuer.absoluteString, credential.id.clientID,
        credential.username ?? "", credential.id.subject ?? "",
      ]
    }
    return key(left).lexicographicallyPrecedes(key(right))
  }

  /// A time in the local time zone: `2026-11-21 06:11:18`.
  static func time(_ date: Date) -> String {
    let style = Date.ISO8601FormatStyle(timeZone: .current).year().month().day()
    return date.formatted(style.dateTimeSeparator(.space).time(includingFractionalSeconds: false))
  }

  private static func span(_ seconds: TimeInterval) -> Sentence {
    switch seconds {
    case ..<120: "\(Int(seconds.rounded())) s"
    case ..<7200: "\(Int((seconds / 60).rounded())) min"
    case ..<172_800: "\(Int((seconds / 3600).rounded())) h"
    default: "\(Int((min(seconds, 1e9) / 86_400).rounded())) days"
    }
  }
}
