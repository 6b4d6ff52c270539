public import IDXBase
import IDX
import IDXOAuth

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// What a browser brings back to the redirect URI.
///
/// Source: protocol section 1.9; RFC 6749, sections 4.1.2 and 10.12.
public enum RedirectReturn: Sendable, Hashable {
  /// The sign-in is done: this code stands for tokens (`interaction_code`).
  case interactionCode(Secret)
  /// The sign-in goes on where it was left (`error=interaction_required`).
  case interactionRequired
  /// The code of a mail, from its link (`otp`).
  case oneTimePassword(Secret)
  /// The code of a plain authorization request (`code`).
  case authorizationCode(Secret)

  /// Reads the address that the browser came back to.
  ///
  /// `state` must be the one that the sign-in was started with; only with `interaction_required` may
  /// it be missing, as that carries nothing. Throws a ``FlowError``: ``FlowError/Code/refused`` with
  /// the `OAuthError` of the provider, or ``FlowError/Code/redirectMismatch``.
  public init(_ url: URL, of state: FlowState) throws {
    guard Self.isAddress(url, of: state.configuration) else {
      throw Self.mismatch(
        "This is not the address that the browser comes back to, which starts with "
          + "\(state.configuration.redirectURI).")
    }
    let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.percentEncodedQuery
    guard let pairs = FormURLEncoding.decode(query ?? ""), !Self.repeats(pairs.map(\.name)) else {
      throw Self.mismatch("The address is damaged, or says one thing twice.")
    }
    func value(_ name: String) -> String? {
      let value = pairs.first { $0.name == name }?.value
      return value?.isEmpty == false ? value : nil
    }
    let isOurs = value("state").map {
      equalInConstantTime(Array($0.utf8), Array(state.redirectState.revealed.utf8))
    }
    let error = value("error").map { OAuthError.Code(rawValue: $0) }
    if error == .interactionRequired, isOurs != false {
      self = .interactionRequired
      return
    }
    guard isOurs == true else {
      throw Self.mismatch("The address belongs to another sign-in: its state is not the right one.")
    }
    if let error {
      var secrets = [state.redirectState, state.nonce, state.interactionHandle]
      if case .sessionToken(let token)? = state.success { secrets.append(token) }
      let refusal = SecretRedactor(secrets).removed(
        from: OAuthError(error, description: value("error_description")))
      throw FlowError(.refused, refusal.description, underlying: refusal)
    }
    if let code = value("interaction_code") {
      self = .interactionCode(Secret(code))
    } else if let code = value("otp") {
      self = .oneTimePassword(Secret(code))
    } else if let code = value("code") {
      self = .authorizationCode(Secret(code))
    } else {
      throw Self.mismatch("The address carries neither a code nor an error.")
    }
  }

  /// Whether an address is the redirect URI, with whatever query and fragment.
  static func isAddress(_ url: URL, of configuration: FlowConfiguration) -> Bool {
    guard let wanted = URL(string: configuration.redirectURI) else { return false }
    func path(_ url: URL) -> String { url.path.isEmpty ? "/" : url.path }
    return Origin(url) == Origin(wanted) && path(url) == path(wanted)
  }

  /// Whether a parameter stands twice among these, which no server may send (RFC 6749, section 3.1).
  private static func repeats(_ names: [String]) -> Bool {
    let read: Set = ["state", "error", "error_description", "interaction_code", "otp", "code"]
    let known = names.filter(read.contains)
    return Set(known).count < known.count
  }

  /// The error for an authorization code, which Identity Engine does not send.
  static var wrongKind: FlowError {
    mismatch("The address carries a code of another kind than this sign-in has.")
  }

  private static func mismatch(_ message: String) -> FlowError {
    FlowError(.redirectMismatch, message)
  }
}

extension Step {
  /// What follows from the address that a browser came back to.
  ///
  /// Throws a ``FlowError`` also where a code comes to a step that asks for none: the link of an old
  /// mail is no reason to end the sign-in.
  func resumption(by url: URL) throws -> Decision {
    let returned = try RedirectReturn(url, of: state)
    switch returned {
    case .oneTimePassword where !response.takesCode:
      throw FlowError(.redirectMismatch, "The link brought a code, and none is asked for here.")
    case .authorizationCode where state.flowProtocol == .identityEngine:
      throw RedirectReturn.wrongKind
    default: return .resume(returned)
    }
  }
}

extension IDXResponse {
  fileprivate var takesCode: Bool {
    (self[.challengeAuthenticator] ?? self[.enrollAuthenticator])?["credentials.passcode"] != nil
  }
}
