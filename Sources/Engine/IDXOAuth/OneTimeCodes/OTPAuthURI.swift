public import IDXBase

/// The content of the QR code for an authenticator app: a key, its account, and the settings of its codes.
///
/// The format is `otpauth://totp/{issuer}:{account}?secret={Base32}&issuer={issuer}`, followed by
/// `algorithm`, `digits` and `period` unless they are SHA1, 6 and 30.
public struct OTPAuthURI: Sendable, Hashable {
  /// The organization that issued the key, such as its host name.
  public let issuer: String?
  /// The account, such as a username; may be empty.
  ///
  /// If there is no issuer, the text before a colon is read back as one.
  public let account: String
  /// The key in Base32, as given.
  public let secret: Secret
  /// The number of digits of a code.
  public let digits: Int
  /// The number of seconds for which a code is valid.
  public let period: Int
  /// The hash function.
  public let algorithm: TOTPGenerator.Algorithm

  /// Creates a URI.
  ///
  /// An empty issuer becomes nil. `digits` and `period` are limited as in ``TOTPGenerator``.
  public init(
    issuer: String?, account: String, secret: Secret, digits: Int = 6, period: Int = 30,
    algorithm: TOTPGenerator.Algorithm = .sha1
  ) {
    self.issuer = issuer.flatMap { $0.isEmpty ? nil : $0 }
    self.account = account
    self.secret = secret
    self.digits = TOTPGenerator.limited(digits: digits)
    self.period = TOTPGenerator.limited(period: period)
    self.algorithm = algorithm
  }

  /// Reads a URI; nil if it is not valid, is not for TOTP, or its key is not Base32.
  ///
  /// Scheme, type, parameter names and algorithm are not case-sensitive. The colon of the label may be
  /// escaped. The issuer is read from the parameter, otherwise from the label. Unknown parameters are
  /// ignored.
  public init?(parsing text: String) {
    let prefix = "otpauth://totp/"
    guard text.lowercased().hasPrefix(prefix) else { return nil }
    let parts = text.utf8.dropFirst(prefix.utf8.count).split(
      separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let label = Self.label(parts[0]),
      let parameters = Self.parameters(parts[1]), let secret = parameters["secret"]
    else { return nil }

    guard let digits = Int(parameters["digits"] ?? "6"), TOTPGenerator.digitRange.contains(digits),
      let period = Int(parameters["period"] ?? "30"), period > 0,
      let algorithm = TOTPGenerator.Algorithm(
        rawValue: (parameters["algorithm"] ?? "SHA1").uppercased())
    else { return nil }

    self.init(
      issuer: parameters["issuer"] ?? label.issuer, account: label.account, secret: Secret(secret),
      digits: digits, period: period, algorithm: algorithm)
    guard totp != nil else { return nil }
  }

  /// The URI as text; it contains the key, so show it only to the owner of the account.
  public var text: Secret {
    let issuer = issuer.map { FormURLEncoding.percentEncode($0) }
    var text = "otpauth://totp/"
    if let issuer { text += "\(issuer):" }
    text += FormURLEncoding.percentEncode(account)
    // Some apps do not accept spaces, lowercase letters or padding.
    let key = Base32.decode(secret.revealed).map(Base32.encode) ?? secret.revealed
    text += "?secret=\(FormURLEncoding.percentEncode(key))"
    if let issuer { text += "&issuer=\(issuer)" }
    if algorithm != .sha1 { text += "&algorithm=\(algorithm.rawValue)" }
    if digits != 6 { text += "&digits=\(digits)" }
    if period != 30 { text += "&period=\(period)" }
    return Secret(text)
  }

  /// The generator of the codes; nil if the key is not Base32.
  public var totp: TOTPGenerator? {
    TOTPGenerator(base32: secret, digits: digits, period: period, algorithm: algorithm)
  }

  /// Splits the text before the question mark at the first colon, otherwise at the first escaped colon.
  private static func label(_ text: some Collection<UInt8>) -> (issuer: String?, account: String)? {
    let colon = UInt8(ascii: ":")
    guard let whole = FormURLEncoding.percentDecode(text) else { return nil }
    let rest: String
    let issuer: String
    if let end = text.firstIndex(of: colon) {
      guard let before = FormURLEncoding.percentDecode(text[..<end]),
        let after = FormURLEncoding.percentDecode(text[end...].dropFirst())
      else { return nil }
      (issuer, rest) = (before, after)
    } else if let end = whole.firstIndex(of: ":") {
      (issuer, rest) = (String(whole[..<end]), String(whole[end...].dropFirst()))
    } else {
      return (nil, whole)
    }
    return (issuer, String(rest.drop { $0 == " " }))
  }

  /// The parameters by lowercase name; the first value of a name counts.
  private static func parameters(_ query: some Sequence<UInt8>) -> [String: String]? {
    // A plus sign is not a space here: apps write a space as %20.
    var parameters: [String: String] = [:]
    for pair in Array(query).split(separator: UInt8(ascii: "&")) {
      let parts = pair.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = FormURLEncoding.percentDecode(parts[0])?.lowercased(),
        let value = FormURLEncoding.percentDecode(parts.count > 1 ? parts[1] : [])
      else { return nil }
      if parameters[name] == nil, !value.isEmpty { parameters[name] = value }
    }
    return parameters
  }
}
