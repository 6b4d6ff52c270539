public import IDXBase

/// Something that may be done next: a form, and where to send it.
///
/// Remediations (`$.remediation.value[*]`), top-level actions (`$.cancel`) and the actions inside an
/// authenticator (`resend`, `poll`, `recover`) are all of this kind. Source: protocol sections 1.5
/// and 2.2.
public struct Remediation: Sendable, Hashable {
  /// The remediation as sent, with what is not modelled.
  public let raw: RawJSON

  init(_ raw: RawJSON) { self.raw = raw }

  /// The name; empty where the server sent none.
  public var name: Name { Name(rawValue: raw.string("name") ?? "") }
  /// The method, such as `POST`; nil where the server sent none.
  ///
  /// A `GET` is for a browser.
  public var method: String? { raw.string("method") }
  /// Where to send it, absolute; nil where the server sent none.
  public var href: String? { raw.string("href") }
  /// The media type of the request's body; nil where the server does not say.
  public var accepts: String? { raw.string("accepts") }
  /// The media type of the response; nil where the server does not say.
  public var produces: String? { raw.string("produces") }
  /// How long to wait before sending it (`refresh`, milliseconds on the wire); nil where it is not
  /// meant to be polled.
  public var refresh: Duration? { raw.integer("refresh").map { .milliseconds($0) } }
  /// The form to fill.
  public var form: Remediation.Form {
    Remediation.Form(fields: raw.objects("value", Remediation.Field.init))
  }
  /// What the server says about this step alone.
  public var messages: [IDXMessage] {
    raw.collection("messages", IDXMessage.init)
  }
  /// The authenticators that it relates to, each once, those that are not there left out.
  public var authenticators: [IDXAuthenticator] { raw.relatedAuthenticators }
  /// The identity provider that it leads to (`idp`); nil where it leads to none.
  public var identityProvider: IdentityProvider? {
    raw.member("idp").flatMap(IdentityProvider.init)
  }

  /// An identity provider outside the org.
  public struct IdentityProvider: Sendable, Hashable {
    /// Its id; nil where the server does not say.
    public let id: String?
    /// Its name for a person; nil where the server does not say.
    public let name: String?
  }

  /// The first field that a dotted path leads to, as in `remediation["credentials.passcode"]`.
  public subscript(path: String) -> Remediation.Field? { form[path] }

  /// Whether it is sent again and again until the server has news.
  public var isPolled: Bool { refresh != nil || Name.polls.contains(name) }
}

extension Remediation.IdentityProvider {
  fileprivate init?(_ raw: RawJSON) {
    guard raw.isObject else { return nil }
    id = raw.string("id")
    name = raw.string("name")
  }
}

extension Remediation {
  /// Whether both were sent alike and relate to the same authenticators.
  public static func == (left: Remediation, right: Remediation) -> Bool {
    left.raw.isEqualWithRelations(to: right.raw)
  }
}

extension Remediation: Redacted {
  /// The name and the names of the fields, without their values.
  public var description: String { "\(name): \(form)" }
}
