public import IDXBase

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What the server says at one moment of a sign-in: what happened, and what may be done next.
///
/// It is data: it holds no client and does nothing. Source: protocol section 2.1.
public struct IDXResponse: Sendable, Hashable {
  /// What may be done next, in server order: the first is the current step nearly always.
  public let remediations: [Remediation]
  /// The forms beside the remediations: `cancel`, `issue`, `context` and others, in server order.
  public let actions: [Remediation]
  /// The response as sent, with what is not modelled.
  public let raw: RawJSON

  /// Who signs in (`$.user.value`).
  public struct User: Sendable, Hashable {
    /// The id; nil where it is not sent.
    public var id: String? { raw.string("id") }
    /// The user name; nil where it is not sent.
    public var identifier: String? { raw.string("identifier") }
    /// The user as sent, with the profile.
    public let raw: RawJSON
  }

  /// What the person signs in to (`$.app.value`).
  public struct Application: Sendable, Hashable {
    /// The id of the app; nil where it is not sent.
    public var id: String? { raw.string("id") }
    /// The kind of app; nil where it is not sent.
    public var name: String? { raw.string("name") }
    /// What a person calls it; nil where it is not sent.
    public var label: String? { raw.string("label") }
    /// The app as sent, with logo and links.
    public let raw: RawJSON
  }
}

extension IDXResponse {
  /// Whether both were sent alike: all else follows from the bytes.
  public static func == (left: IDXResponse, right: IDXResponse) -> Bool { left.raw == right.raw }
  /// Feeds the bytes to the hasher.
  public func hash(into hasher: inout Hasher) { hasher.combine(raw) }
}

// MARK: - Looking things up

extension IDXResponse {
  /// The version of the format (`version`), `1.0.0`; nil where it is not sent.
  public var version: String? { raw.string("version") }
  /// What the transaction is for (`intent`), such as `LOGIN`; nil where it is not sent.
  public var intent: String? { raw.string("intent") }
  /// The handle of the transaction (`stateHandle`).
  ///
  /// Anyone who has it can continue the sign-in.
  public var stateHandle: Secret? { raw.string("stateHandle").map { Secret($0) } }
  /// When this step expires (`expiresAt`), as sent; nil where it is not sent.
  public var expiresAtText: String? { raw.string("expiresAt") }
  /// What the server says to the person, in order.
  public var messages: [IDXMessage] {
    raw.collection("messages", IDXMessage.init)
  }
  /// The form that trades the interaction code for tokens (`successWithInteractionCode`); nil until
  /// the sign-in has succeeded.
  public var issue: Remediation? {
    raw.member("successWithInteractionCode").flatMap { $0.isAction ? Remediation($0) : nil }
  }
  /// All authenticators, container by container, in server order.
  public var authenticators: [IDXAuthenticator] { raw.document.authenticators }
  /// Who signs in; nil while the server does not know or does not say.
  public var user: User? { raw.collection("user", User.init).first }
  /// What the person signs in to; nil where it is not sent.
  public var application: Application? {
    raw.collection("app", Application.init).first
  }

  /// When this step expires; nil where that is not sent or is no date in ISO 8601.
  public var expiresAt: Date? { expiresAtText.flatMap(Date.init(timestamp:)) }

  /// The first remediation of a name; nil where it is not offered.
  public subscript(name: Remediation.Name) -> Remediation? {
    remediations.first { $0.name == name }
  }

  /// The first action of a name beside the remediations; nil where it is not offered.
  public func action(_ name: Remediation.Name) -> Remediation? {
    actions.first { $0.name == name }
  }

  /// The authenticator that the current step is about; nil where the step is about none.
  ///
  /// It is the one that the first remediation relates to, else the enrolment that is challenged,
  /// else the authenticator that is being set up or challenged.
  public var currentAuthenticator: IDXAuthenticator? {
    remediations.first?.authenticators.first
      ?? authenticators.first { $0.container == .currentAuthenticatorEnrollment }
      ?? authenticators.first { $0.container == .currentAuthenticator }
  }

  /// The authenticators of one container, in server order.
  public func authenticators(in container: IDXAuthenticator.Container) -> [IDXAuthenticator] {
    authenticators.filter { $0.container == container }
  }

  /// Everything that can be sent, in order of precedence where names are equal: the remediations,
  /// the actions beside them, and the actions of the authenticators that the step is about.
  public var allForms: [Remediation] {
    let current: [IDXAuthenticator.Container] = [
      .currentAuthenticator, .currentAuthenticatorEnrollment, .recoveryAuthenticator,
      .authenticatorChallenge,
    ]
    return remediations + actions
      + authenticators.filter { current.contains($0.container) }.flatMap(\.actions)
  }

  /// The interaction code, after the sign-in has succeeded.
  public var interactionCode: Secret? {
    issue?["interaction_code"]?.value?.string.map { Secret($0) }
  }

  /// Whether nothing more can be done here but perhaps start over: no remediation and no success.
  public var isTerminal: Bool { remediations.isEmpty && issue == nil }

  /// All messages: those about the step, those of remediations, and those of fields.
  public var allMessages: [IDXMessage] {
    messages + remediations.flatMap { $0.messages + $0.form.allMessages }
  }

  /// Whether the server says that it takes no more for now, in either of its ways.
  package var isRateLimited: Bool {
    says(.tooManyRequests) || says(.tooManyRequestsForOperation)
  }

  /// Whether the server says that the transaction is over, in either of its ways.
  package var isExpired: Bool { says(.sessionExpired) || says(.expiredSession) }

  /// Whether a message with this key stands anywhere in the response.
  public func says(_ key: IDXMessage.Key) -> Bool { allMessages.contains { $0.key == key } }
}

extension Remediation.Form {
  /// All messages of fields, also of nested ones, in server order.
  public var allMessages: [IDXMessage] {
    fields.flatMap { field in
      field.messages + (field.form?.allMessages ?? [])
        + field.options.flatMap { $0.form?.allMessages ?? [] }
    }
  }
}
