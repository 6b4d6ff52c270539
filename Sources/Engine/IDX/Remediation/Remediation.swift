public import IDXBase

/// One thing that can be done next: a form, and the address to send it to.
///
/// Remediations (`$.remediation.value[*]`), actions at the top level (`$.cancel`) and the actions of an
/// authenticator (`resend`, `poll`, `recover`) all have this type. As JSON, each is an object with `name`,
/// `href`, `method`, `accepts` and the fields in `value`. A property is nil if the server did not send it.
public struct Remediation: Sendable, Hashable {
  /// The remediation as sent, for example to read `scopes`, which has no property.
  public let raw: RawJSON

  /// The name; empty if the server sent none.
  public var name: Name { Name(rawValue: raw.string("name") ?? "") }
  /// The HTTP method, such as `POST`; a form with `GET` is for a browser.
  public var method: String? { raw.string("method", usually: "POST") }
  /// The absolute URL to send the form to.
  public var href: String? { raw.string("href") }
  /// The media type of the request body.
  public var accepts: String? {
    raw.string("accepts", usually: "application/json; okta-version=1.0.0")
  }
  /// The media type of the response.
  public var produces: String? {
    raw.string("produces", usually: "application/ion+json; okta-version=1.0.0")
  }
  /// The time to wait before the form is sent (`refresh`, milliseconds on the wire); nil if the server
  /// sent no interval.
  public var refresh: Duration? { raw.integer("refresh").map { .milliseconds($0) } }
  /// The fields of the form.
  public var form: Remediation.Form {
    Remediation.Form(fields: raw.objects("value", Remediation.Field.init))
  }
  /// The messages about this remediation, in server order.
  public var messages: [IDXMessage] { raw.collection("messages", IDXMessage.init) }
  /// The authenticators that `relatesTo` names, each once; paths that lead nowhere are left out.
  public var authenticators: [IDXAuthenticator] { raw.relatedAuthenticators }
  /// The first of ``authenticators``.
  package var firstAuthenticator: IDXAuthenticator? { raw.firstRelatedAuthenticator }
  /// The identity provider that it leads to (`idp` and `type`); nil for other remediations.
  public var identityProvider: IdentityProvider? {
    raw.member("idp").flatMap { provider in
      IdentityProvider(provider, kind: raw.string("type").map(IdentityProvider.Kind.init))
    }
  }

  /// An identity provider outside the org.
  ///
  /// A property is nil if the server did not send it.
  public struct IdentityProvider: Sendable, Hashable {
    /// The ID.
    public let id: String?
    /// The name for people.
    public let name: String?
    /// The company or the protocol (`type`), for example to choose a logo; nil if the server sends none.
    public let kind: Kind?

    /// The company that provides it, or its protocol.
    public struct Kind: OpenSet {
      /// The name in capital letters, such as `GOOGLE`.
      public let rawValue: String
      /// Creates a kind with this name.
      public init(rawValue: String) { self.rawValue = rawValue }

      /// Any provider with OpenID Connect.
      public static let openIDConnect: Self = "OIDC"
      /// Any provider with SAML 2.0.
      public static let saml: Self = "SAML2"
      /// A certificate on a smart card.
      public static let smartCard: Self = "X509"
      /// A service that verifies who a person is.
      public static let identityVerification: Self = "ID_PROOFING"
      /// Apple.
      public static let apple: Self = "APPLE"
      /// Facebook.
      public static let facebook: Self = "FACEBOOK"
      /// GitHub.
      public static let gitHub: Self = "GITHUB"
      /// Google.
      public static let google: Self = "GOOGLE"
      /// LinkedIn.
      public static let linkedIn: Self = "LINKEDIN"
      /// Microsoft.
      public static let microsoft: Self = "MICROSOFT"
    }
  }

  /// The first field at a dotted path, as in `remediation["credentials.passcode"]`; nil if there is none.
  public subscript(path: String) -> Remediation.Field? { form[path] }

  /// Whether the form is sent again and again, until the server offers the next step.
  public var isPolled: Bool { refresh != nil || Name.polls.contains(name) }
}

extension Remediation.IdentityProvider {
  fileprivate init?(_ raw: RawJSON, kind: Kind?) {
    guard raw.isObject else { return nil }
    id = raw.string("id")
    name = raw.string("name")
    self.kind = kind
  }
}

extension Remediation {
  /// Whether both have the same bytes and relate to equal authenticators.
  public static func == (left: Remediation, right: Remediation) -> Bool {
    left.raw.isEqualWithRelations(to: right.raw)
  }
}

extension Remediation: Redacted {
  /// The name of the remediation and of its fields.
  public var description: String { "\(name): \(form)" }
}
