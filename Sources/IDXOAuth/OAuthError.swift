#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The refusal of an OAuth request, or a response that cannot be read.
///
/// Source: RFC 6749, sections 4.1.2.1 and 5.2.
public struct OAuthError: Error, Sendable, Hashable {
  /// What was refused, by the server's word for it.
  ///
  /// An open set.
  public struct Code: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// The word, as in `error`, without control characters.
    public let description: String
    /// A code by the server's word.
    public init(_ word: String) { description = word.printable }
    /// A code by the server's word.
    public init(stringLiteral value: String) { self.init(value) }

    /// The request lacks something or is badly formed.
    public static let invalidRequest: Code = "invalid_request"
    /// The client is not known, or did not prove who it is.
    public static let invalidClient: Code = "invalid_client"
    /// The code, token or verifier is wrong, used up or expired.
    public static let invalidGrant: Code = "invalid_grant"
    /// The client may not use this grant.
    public static let unauthorizedClient: Code = "unauthorized_client"
    /// The server does not know this grant.
    public static let unsupportedGrantType: Code = "unsupported_grant_type"
    /// A scope is not known or not allowed.
    public static let invalidScope: Code = "invalid_scope"
    /// The person or a policy said no; for Okta also: the grant is not enabled.
    public static let accessDenied: Code = "access_denied"
    /// More steps are needed: the flow goes on with the same interaction handle.
    public static let interactionRequired: Code = "interaction_required"
    /// The access token is expired, revoked or damaged (RFC 6750, section 3.1).
    public static let invalidToken: Code = "invalid_token"
    /// The access token is not good for this (RFC 6750, section 3.1).
    public static let insufficientScope: Code = "insufficient_scope"
    /// The server failed.
    public static let serverError: Code = "server_error"
    /// The server is too busy for now.
    public static let temporarilyUnavailable: Code = "temporarily_unavailable"
    /// What came is no token response.
    ///
    /// This package's own; servers do not send it.
    public static let unreadableResponse: Code = "unreadable_response"
  }

  /// What was refused.
  public let code: Code
  /// The server's explanation for developers, without control characters; nil where there is none.
  public let explanation: String?

  /// An error of these parts.
  public init(_ code: Code, description: String? = nil) {
    self.code = code
    let explanation = description.map(\.printable)
    self.explanation = explanation == "" ? nil : explanation
  }

  /// Reads the body of a refusal; nil where it is none.
  ///
  /// The shape is `{"error": "…", "error_description": "…"}`; other members are passed over.
  public init?(parsing body: [UInt8]) {
    guard let response = try? JSONDecoder().decode(Response.self, from: Data(body)),
      !response.error.isEmpty
    else { return nil }
    self.init(Code(response.error), description: response.explanation)
  }

  /// Reads the value of `WWW-Authenticate` as an API sends it; nil where it names no error.
  ///
  /// The shape is `Bearer error="…", error_description="…"`. Source: RFC 6750, section 3.
  public init?(challenge: String) {
    guard challenge.lowercased().hasPrefix("bearer ") else { return nil }
    func value(of name: String) -> String? {
      // An even number of quotes before it: not within another value.
      var pieces = challenge.split(separator: "\"", omittingEmptySubsequences: false)[...]
      while let head = pieces.popFirst(), let value = pieces.popFirst() {
        let names = head.split { " ,".contains($0) }
        if names.last?.lowercased() == name + "=" { return String(value) }
      }
      return nil
    }
    guard let word = value(of: "error"), !word.isEmpty else { return nil }
    self.init(Code(word), description: value(of: "error_description"))
  }

  private struct Response: Decodable {
    let error: String
    let explanation: String?

    enum CodingKeys: String, CodingKey {
      case error
      case explanation = "error_description"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      error = try container.decode(String.self, forKey: .error)
      explanation = try? container.decodeIfPresent(String.self, forKey: .explanation)
    }
  }
}

extension OAuthError: CustomStringConvertible {
  /// A sentence for a person, then the server's word and its explanation, cut where they are long.
  public var description: String {
    let explanation = explanation.map { ": \(Self.brief($0, 500))" } ?? ""
    return "\(sentence) (\(Self.brief(code.description, 500))\(explanation))"
  }

  private static func brief(_ text: String, _ limit: Int) -> String {
    text.count > limit ? text.prefix(limit) + "…" : text
  }

  private var sentence: String {
    switch code {
    case .invalidRequest: "The server finds the request badly formed."
    case .invalidClient: "The server does not know this client, or does not trust it."
    case .invalidGrant: "The code or token is wrong, used up or expired."
    case .unauthorizedClient, .unsupportedGrantType: "This client may not sign in in this way."
    case .invalidScope: "The server does not grant one of the scopes."
    case .accessDenied: "Access was denied."
    case .invalidToken: "The access token is expired, revoked or damaged."
    case .insufficientScope: "The access token is not good for this."
    case .interactionRequired: "The sign-in needs more steps."
    case .serverError: "The server failed."
    case .temporarilyUnavailable: "The server is too busy for now."
    case .unreadableResponse: "The server's answer cannot be read."
    default: "The server refused the request."
    }
  }
}

extension OAuthError: LocalizedError {
  /// The sentence that ``description`` gives, for `localizedDescription`.
  public var errorDescription: String? { description }
}
