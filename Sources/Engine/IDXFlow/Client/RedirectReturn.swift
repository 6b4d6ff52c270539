public import IDXBase
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a browser brings back to the redirect URI.
///
/// Source: RFC 6749, sections 4.1.2 and 10.12; RFC 9207.
public enum RedirectReturn: Sendable, Hashable {
  /// The sign-in succeeded: this code can be exchanged for tokens (`interaction_code`).
  case interactionCode(Secret)
  /// The sign-in continues where it was (`error=interaction_required`).
  case interactionRequired
  /// The code of an email, from the link in it (`otp`).
  case oneTimePassword(Secret)
  /// The code of an ordinary authorization request (`code`).
  case authorizationCode(Secret)

  /// Reads the address that the browser returned to.
  ///
  /// Its `state` must be the one of this sign-in. Only `interaction_required` may come without it,
  /// because it carries nothing. If it says who sent it (`iss`), that must be the issuer of this sign-in: the code of
  /// another server must not be sent to this one. A server that announces `iss` must send it. Throws a
  /// ``/IDXOAuth/FlowError`` with the code `refused` and the provider's `OAuthError` as `underlying`, or with the code
  /// `redirectMismatch`.
  public init(_ url: URL, of state: FlowState) throws {
    let redirectURI = try state.configuration.requiredRedirectURI
    guard Self.isAddress(url, redirectURI) else {
      throw Self.mismatch(
        "This is not the address that the browser returns to. That address starts with "
          + "\(redirectURI).")
    }
    guard let parameters = Self.parameters(of: url) else {
      throw Self.mismatch("The address is damaged, or contains a parameter twice.")
    }
    func value(_ name: String) -> String? { parameters[name] }
    let isOurs = Self.hasState(state.redirectState, parameters)
    guard isOurs != false else {
      throw Self.mismatch("The address belongs to another sign-in: its “state” is different.")
    }
    guard Self.hasIssuer(of: state, parameters) else {
      throw Self.mismatch(
        value("iss") == nil
          ? "The address is not complete: copy all of it."
          : "The address comes from another server than that of this sign-in.")
    }
    let error = value("error").map { OAuthError.Code(rawValue: $0) }
    // On a page of the org in a browser, there are no steps that could go on.
    if error == .interactionRequired, state.signInProtocol != .browser {
      self = .interactionRequired
      return
    }
    guard isOurs == true else {
      throw Self.mismatch(
        "The address is not complete, or belongs to another sign-in: it has no “state”.")
    }
    try Self.checkRefusal(in: url, of: state)
    if let code = value("interaction_code") {
      self = .interactionCode(Secret(code))
    } else if let code = value("otp") {
      self = .oneTimePassword(Secret(code))
    } else if let code = value("code") {
      self = .authorizationCode(Secret(code))
    } else {
      throw Self.mismatch("The address contains neither a code nor an error.")
    }
  }

  /// Throws the error that an address carries, also one after which an embedded sign-in would go on
  /// (`interaction_required`).
  package static func checkRefusal(in url: URL, of state: FlowState) throws {
    guard let refusal = refusal(in: url, of: state) else { return }
    throw FlowError(.refused, refusal.description, underlying: refusal)
  }

  /// The error that an address carries for this sign-in, without its secrets; nil if it carries none, or is for another
  /// sign-in.
  package static func refusal(in url: URL, of state: FlowState) -> OAuthError? {
    guard let parameters = parameters(of: url), hasState(state.redirectState, parameters) == true,
      let error = parameters["error"]
    else { return nil }
    var secrets = [state.redirectState, state.nonce, state.interactionHandle]
    if case .sessionToken(let token)? = state.success { secrets.append(token) }
    return SecretRedactor(secrets).removed(
      from: OAuthError(
        OAuthError.Code(rawValue: error), description: parameters["error_description"]))
  }

  /// Whether an address is the redirect URI, has the `state` of this sign-in, and names no other issuer.
  static func belongs(_ url: URL, to state: FlowState) -> Bool {
    guard isAddress(url, state.configuration.redirectURI), let parameters = parameters(of: url)
    else { return false }
    return hasState(state.redirectState, parameters) == true
      && hasIssuer(of: state, parameters)
  }

  /// Whether an address has this `state`, and no parameter twice.
  static func hasState(_ state: Secret, _ url: URL) -> Bool {
    parameters(of: url).flatMap { hasState(state, $0) } ?? false
  }

  /// Whether the `state` is this one; nil if there is none.
  private static func hasState(_ state: Secret, _ parameters: [String: String]) -> Bool? {
    parameters["state"].map { equalInConstantTime(Array($0.utf8), Array(state.revealed.utf8)) }
  }

  /// Whether the `iss` is exactly that of the sign-in, or there is none and the server need not send one (RFC 9207, section
  /// 2.4).
  private static func hasIssuer(of state: FlowState, _ parameters: [String: String]) -> Bool {
    guard let text = parameters["iss"] else { return !state.needsIssuerInReturn }
    return text == state.issuerInReturn
  }

  /// The parameters with a value; nil if the query is damaged, or repeats one of them.
  private static func parameters(of url: URL) -> [String: String]? {
    let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery
    guard let pairs = FormURLEncoding.decode(query ?? ""), !repeats(pairs.map(\.name)) else {
      return nil
    }
    let filled = pairs.filter { !$0.value.isEmpty }.map { ($0.name, $0.value) }
    return Dictionary(filled) { first, _ in first }
  }

  /// Whether an address is a redirect URI, with any query and fragment.
  package static func isAddress(_ url: URL, _ redirectURI: String?) -> Bool {
    guard let wanted = redirectURI.flatMap(URL.init(string:)) else { return false }
    func path(_ url: URL) -> String { url.path.isEmpty ? "/" : url.path }
    return Origin(url) == Origin(wanted) && path(url) == path(wanted)
  }

  /// Whether a parameter occurs twice, which RFC 6749, section 3.1, forbids.
  private static func repeats(_ names: [String]) -> Bool {
    let read: Set = [
      "state", "iss", "error", "error_description", "interaction_code", "otp", "code",
    ]
    let known = names.filter(read.contains)
    return Set(known).count < known.count
  }

  /// The error for a code that the protocol of the sign-in does not have.
  package static var wrongKind: FlowError {
    mismatch("The address contains another kind of code than this sign-in uses.")
  }

  private static func mismatch(_ message: String) -> FlowError {
    FlowError(.redirectMismatch, message)
  }
}

extension FlowState {
  /// The member of ``clientState`` that says whether an address at which a browser returns must name the issuer.
  package static let returnsIssuer = "returns_issuer"

  fileprivate var needsIssuerInReturn: Bool { clientState?[Self.returnsIssuer]?.bool == true }

  /// The member of ``clientState`` with the name that the server gives itself, which can have a slash at its end.
  package static let issuerName = "issuer"

  fileprivate var issuerInReturn: String {
    clientState?[Self.issuerName]?.string ?? configuration.issuer.absoluteString
  }

  /// Whether an address belongs to this sign-in: it is the redirect URI, its `state` is ``redirectState``, and
  /// its `iss`, if it has one, is the issuer.
  public func isReturn(_ url: URL) -> Bool { RedirectReturn.belongs(url, to: self) }
}
