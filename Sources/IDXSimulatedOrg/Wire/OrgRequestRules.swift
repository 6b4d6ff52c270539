/// Which requests a ``SimulatedOrg`` accepts; it can be changed at any time.
///
///     await org.changeRequests {
///       $0.isStrict = false
///       $0.trustedOrigins = ["http://localhost:3000"]
///     }
public struct OrgRequestRules: Sendable, Hashable {
  /// Whether the org refuses a body of Identity Engine that differs from the form in any way; true by default.
  ///
  /// If false, the org accepts the members `key` and `autoChallenge` of `authenticator` in every form, because Okta's
  /// clients send them. If another body does not fit, the response contains the forms of the step besides the messages.
  public var isStrict = true
  /// The origins of the web sites whose scripts can send requests (CORS), such as `http://localhost:3000`; none by
  /// default.
  ///
  /// They are compared with the header field `Origin` character by character, so they have no path, and no port that
  /// is the default.
  public var trustedOrigins: Set<String> = []

  /// Creates the default rules.
  public init() {}
}

extension OrgRequestRules {
  /// The paths of members that a body can have although its form does not.
  var toleratedMembers: Set<String> {
    isStrict ? [] : ["authenticator.key", "authenticator.autoChallenge"]
  }
}
