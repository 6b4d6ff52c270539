/// Which of the tokens; the raw value is what `token_type_hint` says (RFC 7009, section 2.1).
public enum TokenKind: String, Sendable, Hashable, CaseIterable {
  /// What calls to an API carry.
  case access = "access_token"
  /// What buys new tokens.
  case refresh = "refresh_token"
  /// What tells who signed in.
  case id = "id_token"
}
