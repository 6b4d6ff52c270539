public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// One response of the server: what happened, and which forms can be sent next.
///
/// It is a value without any connection to a client. Paths such as `$.app.value` begin at its JSON object.
/// A property is nil if the server did not send it.
///
/// ## Topics
///
/// ### Reading a response
/// - ``init(parsing:)``
/// - ``raw``
///
/// ### What can be done next
/// - ``remediations``
/// - ``subscript(_:)``
/// - ``actions``
/// - ``action(_:)``
/// - ``allForms``
///
/// ### Messages
/// - ``messages``
/// - ``allMessages``
/// - ``says(_:)``
///
/// ### Authenticators
/// - ``currentAuthenticator``
/// - ``authenticators``
/// - ``authenticators(in:)``
/// - ``webAuthnAutofillChallenge``
/// - ``deviceChallenge``
/// - ``userCode``
///
/// ### The end of a sign-in
/// - ``issue``
/// - ``interactionCode``
/// - ``isTerminal``
/// - ``successRedirect``
///
/// ### About the sign-in
/// - ``user-swift.property``
/// - ``User-swift.struct``
/// - ``application-swift.property``
/// - ``Application-swift.struct``
/// - ``stateHandle``
/// - ``expiresAt``
/// - ``intent``
/// - ``version``
///
/// ### Responses made by code
/// - ``Draft``
/// - ``original``
///
/// ### Comparing and printing
/// - ``==(_:_:)``
/// - ``hash(into:)``
/// - ``description``
public struct IDXResponse: Sendable, Hashable {
  /// The largest number of JSON values that is read: 20,000, many times more than a server sends.
  ///
  /// A small text can contain very many forms, and every one of them takes work at each step.
  static let maximumValues = 20_000

  /// The forms that can be sent next (`$.remediation.value`), in server order; the first is nearly always
  /// the current step.
  public let remediations: [Remediation]
  /// The other forms at the top level, in server order: `cancel`, `issue`, `context` and others.
  public let actions: [Remediation]
  /// The whole response as sent; `raw["captcha"]`, for example, is a member that has no property.
  public let raw: RawJSON

  /// The person who signs in (`$.user.value`).
  ///
  /// A property is nil if the server did not send it.
  public struct User: Sendable, Hashable {
    /// The ID.
    public var id: String? { raw.string("id") }
    /// The username.
    public var identifier: String? { raw.string("identifier") }
    /// The user as sent, including the profile.
    public let raw: RawJSON
  }

  /// The app that the person signs in to (`$.app.value`).
  ///
  /// A property is nil if the server did not send it.
  public struct Application: Sendable, Hashable {
    /// The ID.
    public var id: String? { raw.string("id") }
    /// The kind of app, such as `oidc_client`.
    public var name: String? { raw.string("name") }
    /// The name for people.
    public var label: String? { raw.string("label") }
    /// The app as sent, including logo and links.
    public let raw: RawJSON
  }

  /// Reads a response.
  ///
  /// Small deviations are tolerated: flags written as strings, missing members, references that lead
  /// nowhere, stray elements of lists. Throws if the bytes are not an IDX response, are nested more than
  /// 128 levels, are longer than 4 MiB, or have more than 20,000 values.
  public init(parsing bytes: some Sequence<UInt8>) throws(IDXResponseError) {
    let json: JSONDocument
    do throws(JSONError) { json = try JSONDocument(parsing: Array(bytes)) } catch {
      throw .notJSON(error)
    }
    guard json.count <= Self.maximumValues else { throw .tooManyValues(json.count) }
    guard json.isObject(0) else { throw .notAnObject }
    raw = RawJSON(ResponseDocument(json))
    guard Self.identifyingNames.contains(where: raw.has) else {
      throw .notIDX(names: json.children(of: 0).map(json.name(of:)))
    }
    remediations = raw.collection("remediation", Remediation.init)
    actions = raw.actions(except: Self.reservedNames).map(Remediation.init)
  }

  /// Every IDX response has at least one of these members.
  static let identifyingNames: [StaticString] = [
    "version", "stateHandle", "remediation", "messages", "successWithInteractionCode", "success",
  ]

  /// Members that are never actions, even if they look like one.
  private static let reservedNames: [StaticString] =
    ["version", "stateHandle", "remediation", "messages", "intent", "expiresAt", "user", "app"]
    + IDXAuthenticator.Container.allCases.map(\.literal)
}

// MARK: - Top-level members

extension IDXResponse {
  /// The version of the format (`version`): `1.0.0`.
  public var version: String? { raw.string("version") }
  /// The purpose of the transaction (`intent`), such as `LOGIN`.
  public var intent: String? { raw.string("intent") }
  /// The handle of the sign-in (`stateHandle`): anyone who has it can continue the sign-in.
  public var stateHandle: Secret? { raw.string("stateHandle").map { Secret($0) } }
  /// The time when this step expires (`expiresAt`), as sent.
  package var expiresAtText: String? { raw.string("expiresAt") }
  /// The time when this step expires; nil also if it is not a date in ISO 8601.
  public var expiresAt: Date? { expiresAtText.flatMap(Date.init(timestamp:)) }
  /// The messages about the step, in server order.
  public var messages: [IDXMessage] { raw.collection("messages", IDXMessage.init) }
  /// The form that exchanges the interaction code for tokens (`successWithInteractionCode`); nil until
  /// the sign-in has succeeded.
  public var issue: Remediation? {
    raw.member("successWithInteractionCode").flatMap { $0.isAction ? Remediation(raw: $0) : nil }
  }
  /// The address that a browser opens after a successful sign-in that began on a page of the org
  /// (`$.success.href`); nil until then, and in other sign-ins.
  public var successRedirect: Secret? {
    raw.member("success")?.string("href").map { Secret($0) }
  }
  /// All authenticators, by container in the order of ``IDXAuthenticator/Container``, then in server
  /// order.
  public var authenticators: [IDXAuthenticator] { raw.document.authenticators }
  /// The person who signs in; nil if the server does not know or say who it is.
  public var user: User? { raw.firstOfCollection("user").map(User.init) }
  /// The app that the person signs in to; nil if the server does not say.
  public var application: Application? { raw.firstOfCollection("app").map(Application.init) }
}

// MARK: - Searching

extension IDXResponse {
  /// The first remediation with a name; nil if it is not offered.
  public subscript(name: Remediation.Name) -> Remediation? {
    remediations.first { $0.name == name }
  }

  /// The first action with a name, at the top level; nil if it is not offered.
  public func action(_ name: Remediation.Name) -> Remediation? {
    actions.first { $0.name == name }
  }

  /// The authenticator of the current step; nil if the step has none.
  ///
  /// It is the one that the first remediation relates to, otherwise the enrollment that is challenged,
  /// otherwise the authenticator that is being set up or challenged.
  public var currentAuthenticator: IDXAuthenticator? {
    remediations.first?.firstAuthenticator
      ?? raw.document.firstAuthenticator(in: .currentAuthenticatorEnrollment)
      ?? raw.document.firstAuthenticator(in: .currentAuthenticator)
  }

  /// The authenticators of one container, in server order.
  public func authenticators(in container: IDXAuthenticator.Container) -> [IDXAuthenticator] {
    authenticators.filter { $0.container == container }
  }

  /// All forms that can be sent: the remediations, the actions, and the actions of the current
  /// authenticators.
  ///
  /// If several have the same name, the first one takes precedence.
  public var allForms: [Remediation] {
    let current: [IDXAuthenticator.Container] = [
      .currentAuthenticator, .currentAuthenticatorEnrollment, .recoveryAuthenticator,
      .authenticatorChallenge,
    ]
    return remediations + actions
      + authenticators.filter { current.contains($0.container) }.flatMap(\.actions)
  }

  /// The interaction code; nil until the sign-in has succeeded.
  public var interactionCode: Secret? {
    issue?["interaction_code"]?.value?.string.map { Secret($0) }
  }

  /// Whether the sign-in cannot continue from here: there is no remediation and no success.
  public var isTerminal: Bool { remediations.isEmpty && issue == nil }

  /// All messages: about the step, then those of each remediation and its fields.
  public var allMessages: [IDXMessage] {
    messages + remediations.flatMap { $0.messages + $0.form.allMessages }
  }

  /// Whether any message of the response has this key.
  public func says(_ key: IDXMessage.Key) -> Bool { allMessages.contains { $0.key == key } }

  /// Whether the server reports too many requests, with either of its two keys.
  package var isRateLimited: Bool {
    says(.tooManyRequests) || says(.tooManyRequestsForOperation)
  }

  /// Whether the server reports that the account is locked, with either of its two keys.
  package var isLocked: Bool { says(.userLocked) || says(.userLockedOut) }

  /// Whether the server reports that the transaction is over, with either of its two keys.
  package var isExpired: Bool { says(.sessionExpired) || says(.expiredSession) }

  /// The data of passkeys that can sign in before the server knows who the person is
  /// (`$.webauthnAutofillUIChallenge.value.challengeData`); nil if they are not asked for.
  public var webAuthnAutofillChallenge: JSONValue? {
    raw.member("webauthnAutofillUIChallenge")?.member("value")?.member("challengeData")?.json
  }
}

// MARK: - Conformances

extension IDXResponse {
  /// Whether both have the same bytes; everything else follows from them.
  public static func == (left: IDXResponse, right: IDXResponse) -> Bool { left.raw == right.raw }
  /// Hashes the bytes.
  public func hash(into hasher: inout Hasher) { hasher.combine(raw) }
}

extension IDXResponse: Redacted {
  /// The names of the forms and the number of messages.
  public var description: String {
    let offered = (remediations + actions).map(\.name.rawValue).joined(separator: ", ")
    return "IDX response offering \(offered.isEmpty ? "nothing" : offered); "
      + "\(messages.count) messages"
  }
}

// MARK: - Errors

/// Why bytes are not an IDX response.
public enum IDXResponseError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The bytes are not JSON, are nested too deeply, or are too many.
  case notJSON(JSONError)
  /// There are more than 20,000 JSON values; the number is how many.
  case tooManyValues(Int)
  /// The JSON is not an object.
  case notAnObject
  /// The object has none of the members that identify an IDX response; `names` are the ones it has.
  case notIDX(names: [String])

  /// One sentence for a person.
  public var description: String {
    switch self {
    case .notJSON(let error): return error.description
    case .tooManyValues(let count):
      return "It has \(count) JSON values; at most \(IDXResponse.maximumValues) are read."
    case .notAnObject: return "It is not an IDX response: the JSON is not an object."
    case .notIDX(let names):
      let known = IDXResponse.identifyingNames.map(\.description).joined(separator: ", ")
      let found = names.isEmpty ? "" : "; it has " + names.prefix(8).joined(separator: ", ")
      return "It is not an IDX response: it has none of the members \(known)\(found)."
    }
  }

  /// The description.
  public var errorDescription: String? { description }
}
