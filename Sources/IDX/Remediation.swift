/// Something that may be done next: a form, and where to send it.
///
/// Remediations (`$.remediation.value[*]`), top-level actions (`$.cancel`) and the actions inside an
/// authenticator (`resend`, `poll`, `recover`) are all of this kind. Source: protocol sections 1.5
/// and 2.2.
public struct Remediation: Sendable, Hashable {
  /// The name; empty where the server sent none.
  public let name: Name
  /// The method, such as `POST`; nil where the server sent none.
  ///
  /// A `GET` is for a browser.
  public let method: String?
  /// Where to send it, absolute; nil where the server sent none.
  public let href: String?
  /// The media type of the request's body; nil where the server does not say.
  public let accepts: String?
  /// The media type of the response; nil where the server does not say.
  public let produces: String?
  /// How long to wait before sending it (`refresh`, milliseconds on the wire); nil where it is not
  /// meant to be polled.
  public let refresh: Duration?
  /// The form to fill.
  public internal(set) var form: Form
  /// What the server says about this step alone.
  public let messages: [Message]
  /// The authenticators that it relates to, those that are not there left out.
  public internal(set) var authenticators: [Authenticator] = []
  /// The identity provider that it leads to (`idp`); nil where it leads to none.
  public let identityProvider: IdentityProvider?
  /// The remediation as sent, with what is not modelled.
  public let raw: RawJSON

  let references: [Reference]

  /// An identity provider outside the org.
  public struct IdentityProvider: Sendable, Hashable {
    /// Its id; nil where the server does not say.
    public let id: String?
    /// Its name for a person; nil where the server does not say.
    public let name: String?
  }

  /// The first field that a dotted path leads to, as in `remediation["credentials.passcode"]`.
  public subscript(path: String) -> Field? { form[path] }

  /// Whether it is sent again and again until the server has news.
  public var isPolled: Bool { refresh != nil || Name.polls.contains(name) }
}

extension Remediation {
  init(reading reader: inout JSONReader) throws(JSONError) {
    let start = reader.mark()
    var name: String?
    var method: String?
    var href: String?
    var accepts: String?
    var produces: String?
    var refresh: Int?
    var fields: [Field] = []
    var messages: [Message] = []
    var references: [Reference] = []
    var identityProvider: IdentityProvider?
    var members = try reader.enterObject()
    while let key = try reader.nextName(&members) {
      switch key {
      case "name": name = try reader.stringOrSkip()
      case "method": method = try reader.stringOrSkip()
      case "href": href = try reader.stringOrSkip()
      case "accepts": accepts = try reader.stringOrSkip()
      case "produces": produces = try reader.stringOrSkip()
      case "refresh": refresh = try reader.integerOrSkip()
      case "value":
        fields = try reader.objects { reader, _ throws(JSONError) in try Field(reading: &reader) }
      case "messages":
        messages = try reader.collection { reader, _ throws(JSONError) in
          try Message(reading: &reader)
        }
      case "relatesTo": references = try Reference.list(reading: &reader)
      case "idp": identityProvider = try IdentityProvider(reading: &reader)
      default: try reader.skip()
      }
    }
    self.name = Name(rawValue: name ?? "")
    self.method = method
    self.href = href
    self.accepts = accepts
    self.produces = produces
    self.refresh = refresh.map { .milliseconds($0) }
    self.form = Form(fields: fields)
    self.messages = messages
    self.references = references
    self.identityProvider = identityProvider
    self.raw = reader.raw(since: start)
  }
}

extension Remediation {
  /// Reads what stands next where it is an action, an object with a name and an address; passes over
  /// anything else.
  init?(readingAction reader: inout JSONReader) throws(JSONError) {
    guard reader.isAtObject else {
      try reader.skip()
      return nil
    }
    let action = try Remediation(reading: &reader)
    guard action.href != nil, action.raw["name"]?.string != nil else { return nil }
    self = action
  }
}

extension Remediation.IdentityProvider {
  init?(reading reader: inout JSONReader) throws(JSONError) {
    guard reader.isAtObject else {
      try reader.skip()
      return nil
    }
    var id: String?
    var name: String?
    var members = try reader.enterObject()
    while let key = try reader.nextName(&members) {
      switch key {
      case "id": id = try reader.stringOrSkip()
      case "name": name = try reader.stringOrSkip()
      default: try reader.skip()
      }
    }
    self.id = id
    self.name = name
  }
}

extension Remediation: CustomStringConvertible, CustomReflectable {
  /// The name and the names of the fields, without their values.
  public var description: String { "\(name): \(form)" }
  /// Nothing to look into: fields hold state handles.
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
