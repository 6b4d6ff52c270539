import IDXBase
import IDXBrowserAuth
import IDXOAuth

/// The body of a message, by its content type.
enum RecordedBody {
  case none
  case json(JSONValue)
  case form([(name: String, value: String)])
  case text(String)
  /// A sign-in page of an org, of which only the state tokens are kept.
  case page(stateTokens: [String])

  init(of request: TransportRequest) { self.init(request.body, request.headers["Content-Type"]) }

  init(of response: TransportResponse) {
    self.init(response.body, response.header("Content-Type"))
  }

  /// A body that does not fit its content type is a text.
  private init(_ bytes: [UInt8], _ contentType: String?) {
    let type = contentType?.lowercased() ?? ""
    let text = String(decoding: bytes, as: UTF8.self)
    let page = type.hasPrefix("text/html") ? HostedPage(bytes) : nil
    if bytes.isEmpty {
      self = .none
    } else if let tokens = page?.stateTokens, !tokens.isEmpty {
      self = .page(stateTokens: tokens.map(\.revealed))
    } else if let value = Self.json(bytes, isExpected: type.contains("json")) {
      self = .json(value)
    } else if type.hasPrefix(FormURLEncoding.contentType),
      let pairs = FormURLEncoding.decode(text)
    {
      self = .form(pairs)
    } else {
      self = .text(text)
    }
  }

  /// A JSON value, or an object or array of another content type.
  private static func json(_ bytes: [UInt8], isExpected: Bool) -> JSONValue? {
    guard let value = try? JSONValue(parsing: bytes) else { return nil }
    return isExpected || value.object != nil || value.array != nil ? value : nil
  }

  /// Reads the body from a message of a recording.
  init(in message: JSONValue) throws(RecordingError) {
    if let value = message["json"] {
      self = .json(value)
    } else if message["form"] != nil {
      self = .form(try message.texts(of: "form"))
    } else if let tokens = message["stateTokens"]?.array {
      self = .page(stateTokens: tokens.compactMap(\.string))
    } else if let text = message["text"] {
      guard let text = text.string else { throw RecordingError("The member “text” must be text.") }
      self = .text(text)
    } else {
      self = .none
    }
  }

  /// The message of a recording with this body.
  func added(to message: JSONValue) -> JSONValue {
    switch self {
    case .none: message
    case .json(let value) where !Self.canBeRead(value):
      message.adding("text", .string(value.text))
    case .json(let value): message.adding("json", value)
    case .form(let pairs):
      message.adding("form", JSONValue(texts: pairs))
    case .text(let text): message.adding("text", .string(text))
    case .page(let tokens):
      message.adding("stateTokens", .array(tokens.map(JSONValue.string)))
    }
  }

  /// Whether a value is not nested too deeply for a member of a recording.
  private static func canBeRead(_ value: JSONValue) -> Bool {
    let start = [UInt8](repeating: UInt8(ascii: "["), count: 8)
    let end = [UInt8](repeating: UInt8(ascii: "]"), count: 8)
    return (try? JSONValue(parsing: start + value.bytes + end)) != nil
  }

  var bytes: [UInt8] {
    switch self {
    case .none: []
    case .json(let value): value.bytes
    case .form(let pairs): Array(FormURLEncoding.encode(pairs.map { ($0.name, $0.value) }).utf8)
    case .text(let text): Array(text.utf8)
    case .page(let tokens):
      Array(
        ("<!doctype html><script>" + tokens.map { "var stateToken = '\($0)';" }.joined()
          + "</script>").utf8)
    }
  }
}

extension JSONValue {
  /// An object of texts.
  init(texts: [(name: String, value: String)]) {
    self = .object(Object(texts.map { .init($0.name, .string($0.value)) }))
  }

  /// An object of texts, sorted by their names.
  init(texts: [String: String]) {
    self.init(texts: texts.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
  }

  /// The texts of a member that is an object, or is missing.
  func texts(of name: String) throws(RecordingError) -> [(name: String, value: String)] {
    let members = (self[name] ?? [:]).object?.members
    let texts = members?.compactMap { member in
      member.value.string.map { (name: member.name, value: $0) }
    }
    guard let texts, texts.count == members?.count else {
      throw RecordingError("The member “\(name)” must be an object of texts.")
    }
    return texts
  }
}
