public import IDXBase

/// What the QR code of an authenticator app holds: a key, whose it is and how codes are made of it.
///
/// The text is `otpauth://totp/{issuer}:{account}?secret={Base32}&issuer={issuer}`, followed by
/// `algorithm`, `digits` and `period` where they are not SHA1, 6 and 30.
public struct OTPAuthURI: Sendable, Hashable {
  /// Who hands the key out, such as the organisation's host; nil where the text does not say.
  public let issuer: String?
  /// Whose key it is, such as a login; may be empty.
  ///
  /// A colon in it is read back as the end of an issuer, unless there is an issuer.
  public let account: String
  /// The key in Base32, as it was given.
  public let secret: Secret
  /// How many digits a code has.
  public let digits: Int
  /// For how many seconds a code stands.
  public let period: Int
  /// The hash function.
  public let algorithm: TOTPGenerator.Algorithm

  /// A URI of these parts.
  ///
  /// An empty issuer counts as none. `digits` and `period` are limited as ``TOTPGenerator`` limits them.
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

  /// Reads a URI; nil where it is none, is not for codes by time, or has settings that cannot be.
  ///
  /// Scheme, type, parameter names and algorithm may be in any case, the colon of the label may be
  /// escaped, and the issuer may stand in the label, the parameter (which counts more) or nowhere.
  /// A key that is not Base32 is refused; parameters that are not known are passed over.
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

  /// The URI.
  ///
  /// It holds the key: show it to nobody but the account's owner.
  public var text: Secret {
    let issuer = issuer.map { FormURLEncoding.percentEncode($0) }
    var text = "otpauth://totp/"
    if let issuer { text += "\(issuer):" }
    text += FormURLEncoding.percentEncode(account)
    // Some apps take no spaces, no lower case and no padding.
    let key = Base32.decode(secret.revealed).map(Base32.encode) ?? secret.revealed
    text += "?secret=\(FormURLEncoding.percentEncode(key))"
    if let issuer { text += "&issuer=\(issuer)" }
    if algorithm != .sha1 { text += "&algorithm=\(algorithm.rawValue)" }
    if digits != 6 { text += "&digits=\(digits)" }
    if period != 30 { text += "&period=\(period)" }
    return Secret(text)
  }

  /// The generator of the codes; nil where the key is not Base32.
  public var totp: TOTPGenerator? {
    TOTPGenerator(base32: secret, digits: digits, period: period, algorithm: algorithm)
  }

  /// The names before the question mark, split at the first colon, or else the first escaped one.
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

  /// The parameters by their names in lower case, the first of a name counting.
  private static func parameters(_ query: some Sequence<UInt8>) -> [String: String]? {
    // A plus sign stands for itself here: apps write a space as %20.
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
